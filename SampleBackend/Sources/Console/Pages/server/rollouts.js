/**
 * Rollouts: change requests whose schedule raises the percentage of a condition step by step.
 */

import {call, NoAnswerError, projectPath} from './api.js';
import {clockDifference, readRequest, seen} from './change-requests.js';
import {clearDoubt, isUnsettled} from './publishing.js';

/**
 * Path of the rollouts, or of an act on one of them.
 *
 * @param {string} project
 * @param {string} [act] Identifier of the request, and what is done.
 * @param {Record<string, string | number | boolean | undefined>} [query]
 */
function pathOf(project, act = '', query = {}) {
    return projectPath(project, `rollouts${act}`, query);
}

/**
 * What would be stored of a rollout, with its plan; nothing is stored.
 *
 * @param {string} project
 * @param {SentRollout} rollout
 * @param {?ChangeRequest} request The request that is rolled out; null for what is live.
 * @returns {Promise<ChangeRequest>}
 */
export async function planRollout(project, rollout, request) {
    return (await call('POST', pathOf(project, '', {validateOnly: true}), request
        ? {...seen(request), body: {...rollout, changeRequest: request.id}} : {body: rollout}))
        .body;
}

/**
 * Rolls out a condition of what is live. After a lost response, finds out whether it was started.
 *
 * @param {string} project
 * @param {SentRollout} rollout
 * @param {string} user Name of the user.
 * @param {DoubtOptions} options
 * @returns {Promise<Pick<ChangeRequest, 'id' | 'title'>>}
 * @throws Error as `call`; one that says that nothing was started.
 */
export async function startRollout(project, rollout, user, options) {
    const start = Date.now();
    try {
        return (await call('POST', pathOf(project), {body: rollout})).body;
    } catch (error) {
        if (!(error instanceof NoAnswerError) && !isUnsettled(error)) throw error;
    }
    const made = await clearDoubt(async () => {
        const {body} = await call('GET', pathOf(project, '', {pageSize: 50}));
        return /** @type {ChangeRequest[]} */ (body.rollouts).find((request) => (
            request.author.actor === user
                && request.schedule?.rollout?.condition === rollout.condition
                && Date.parse(request.creationTime) > start - clockDifference)) ?? null;
    }, options);
    if (made) return made;
    throw new Error('The server did not answer, and there is no such rollout. Start it again.');
}

/**
 * Rolls out a request as it was read; returns its new state.
 *
 * @param {string} project
 * @param {ChangeRequest} request
 * @param {SentRollout} rollout
 */
export async function rollOutRequest(project, request, rollout) {
    await call('POST', pathOf(project), {...seen(request),
        body: {...rollout, changeRequest: request.id}});
    return readRequest(project, request.id);
}

/**
 * Holds, resumes or takes back a rollout as it was read; returns the request's new state.
 *
 * @param {string} project
 * @param {ChangeRequest} request
 * @param {'hold' | 'resume' | 'takeBack'} act
 * @param {{reason?: string, now?: true, ignoreReports?: true}} body
 */
export async function actOnRollout(project, request, act, body) {
    await call('POST', pathOf(project, `/${encodeURIComponent(request.id)}:${act}`),
        {...seen(request), body});
    return readRequest(project, request.id);
}
