/**
 * Change requests: edits that others review before they are published.
 */

import {call, NoAnswerError, projectPath} from './api.js';
import {clearDoubt, isUnsettled} from './publishing.js';

/** Milliseconds by which the clocks of browser and server may differ. */
export const clockDifference = 10 * 60 * 1000;

/**
 * Path of a request, or of what is below it.
 *
 * @param {string} project
 * @param {string} id
 * @param {string} [rest]
 * @param {Record<string, string | undefined>} [query]
 */
function pathOf(project, id, rest = '', query = {}) {
    return projectPath(project, `changeRequests/${encodeURIComponent(id)}${rest}`, query);
}

/**
 * Path of the scheduled publishes, or of one of them.
 *
 * @param {string} project
 * @param {string} [id] Identifier of its request.
 * @param {Record<string, string | number | undefined>} [query]
 */
function schedulesPath(project, id, query = {}) {
    const name = id === undefined ? '' : `/${encodeURIComponent(id)}`;
    return projectPath(project, `scheduledPublishes${name}`, query);
}

/**
 * Times without an end that is null, which only a schedule that is moved can have.
 *
 * @param {?ScheduleTimes} [times]
 */
function withoutNull(times) {
    if (!times || times.until !== null) return times ?? {};
    return {at: times.at, zone: times.zone};
}

/**
 * Precondition that a request is as it was read.
 *
 * @param {ChangeRequest} request
 */
export const seen = ({etag}) => ({ifMatch: `"${etag}"`});

/**
 * A page of the requests, the last changed one first.
 *
 * @param {string} project
 * @param {{state?: string, pageSize?: number, pageToken?: string}} query
 * @param {AbortSignal} [signal]
 * @returns {Promise<{changeRequests: ChangeRequest[], nextPageToken?: string}>}
 */
export async function listRequests(project, query, signal) {
    return (await call('GET', projectPath(project, 'changeRequests', query), {signal})).body;
}

/**
 * Number of the open requests.
 *
 * @param {string} project
 * @returns {Promise<number>}
 */
export async function countOpenRequests(project) {
    return (await call('GET', projectPath(project, 'changeRequests:count'))).body.open;
}

/**
 * Reads a request; one that is rolled out, with what apps report.
 *
 * @param {string} project
 * @param {string} id
 * @param {AbortSignal} [signal]
 * @returns {Promise<ChangeRequest>}
 */
export async function readRequest(project, id, signal) {
    /** @type {ChangeRequest} */
    const request = (await call('GET', pathOf(project, id), {signal})).body;
    if (!request.schedule?.rollout) return request;
    const path = projectPath(project, `rollouts/${encodeURIComponent(id)}`);
    return (await call('GET', path, {signal})).body;
}

/**
 * The template that a request would publish if nothing was published since its base.
 *
 * @param {string} project
 * @param {string} id
 * @param {AbortSignal} [signal]
 * @returns {Promise<Template>}
 */
export async function readRequestedTemplate(project, id, signal) {
    return (await call('GET', pathOf(project, id, '/template'), {signal})).body;
}

/**
 * Makes a request, and schedules it if it has times. After a lost response, finds out whether it
 * was made.
 *
 * @param {string} project
 * @param {{title: string, text: string, template: Template, base: string,
 *     times?: ?ScheduleTimes}} content `base` is the entity tag of the template that was edited.
 * @param {string} user Name of the user.
 * @param {DoubtOptions} options
 * @returns {Promise<Pick<ChangeRequest, 'id' | 'title'>>}
 * @throws Error as `call`; one that says that no request was made.
 */
export async function makeRequest(project, {title, text, template, base, times}, user, options) {
    const start = Date.now();
    try {
        return (await call('POST', times ? schedulesPath(project)
            : projectPath(project, 'changeRequests'), {
            body: {title, ...text && {text}, template, base, ...withoutNull(times)}})).body;
    } catch (error) {
        if (!(error instanceof NoAnswerError) && !isUnsettled(error)) throw error;
    }
    const made = await clearDoubt(async () => (
        await listRequests(project, {pageSize: 50})).changeRequests.find((request) => (
        request.author.actor === user && request.title === title && (request.text ?? '') === text
            && Date.parse(request.creationTime) > start - clockDifference)) ?? null, options);
    if (made) return made;
    throw new Error('The server did not answer, and there is no such change request. Send it '
        + 'again.');
}

/**
 * Changes title, text or content of a request; with `draft`, the content becomes that of the user's
 * draft on the server.
 *
 * @param {string} project
 * @param {ChangeRequest} request
 * @param {{title?: string, text?: string, draft?: true}} change
 * @returns {Promise<ChangeRequest>}
 */
export async function editRequest(project, request, change) {
    return (await call('PATCH', pathOf(project, request.id), {...seen(request), body: change}))
        .body;
}

/**
 * Votes on a request as it was read, or closes it.
 *
 * @param {string} project
 * @param {ChangeRequest} request
 * @param {'approve' | 'requestChanges' | 'close'} act
 * @param {string} comment
 * @returns {Promise<ChangeRequest>}
 */
export async function actOn(project, request, act, comment) {
    return (await call('POST', pathOf(project, request.id, `:${act}`), {
        ...seen(request), body: comment ? {comment} : {}})).body;
}

/**
 * Comments on the newest state of a request, or on a place in it.
 *
 * @param {string} project
 * @param {ChangeRequest} request
 * @param {string} text
 * @param {string} path Path of the place in a template; empty for the whole request.
 * @returns {Promise<ChangeRequest>}
 */
export async function commentOn(project, {id}, text, path) {
    return (await call('POST', pathOf(project, id, '/comments'), {
        body: {text, ...path && {path}}})).body;
}

/**
 * Publishes the changes of a request as it was read; with a reason also without approvals, or
 * together with the user's approval. `cancelsSchedule` is true for one that waits for its time.
 *
 * @param {string} project
 * @param {ChangeRequest} request
 * @param {{bypass?: string, approves?: boolean, cancelsSchedule?: boolean}} grounds
 * @returns {Promise<Version>}
 */
export async function publishRequest(project, request, {bypass, approves, cancelsSchedule}) {
    return (await call('POST', pathOf(project, request.id, ':publish', {bypass}), {
        ...seen(request), body: {...approves && {approve: true},
            ...cancelsSchedule && {cancelSchedule: true}}})).body.version;
}

/**
 * A page of the requests that are or were scheduled, the last changed one first.
 *
 * @param {string} project
 * @param {{pageSize?: number, pageToken?: string, waiting?: string}} query
 * @param {AbortSignal} [signal]
 * @returns {Promise<{scheduledPublishes: ChangeRequest[], nextPageToken?: string}>}
 */
export async function listScheduled(project, query, signal) {
    return (await call('GET', schedulesPath(project, undefined, query), {signal})).body;
}

/**
 * Schedules a request as it was read; returns its new state.
 *
 * @param {string} project
 * @param {ChangeRequest} request
 * @param {ScheduleTimes} times
 */
export async function scheduleRequest(project, request, times) {
    await call('POST', schedulesPath(project), {...seen(request),
        body: {changeRequest: request.id, ...withoutNull(times)}});
    return readRequest(project, request.id);
}

/**
 * Moves a schedule that waits; returns the request's new state. A rollout has no end.
 *
 * @param {string} project
 * @param {ChangeRequest} request
 * @param {ScheduleTimes} times
 */
export async function moveSchedule(project, request, times) {
    const body = request.schedule?.rollout ? withoutNull(times) : times;
    await call('PATCH', schedulesPath(project, request.id), {...seen(request), body});
    return readRequest(project, request.id);
}

/**
 * Gives an end that was missed or refused another time.
 *
 * @param {string} project
 * @param {ChangeRequest} request
 * @param {string} until
 */
export async function moveEnd(project, request, until) {
    await call('PATCH', schedulesPath(project, request.id), {...seen(request), body: {until}});
    return readRequest(project, request.id);
}

/**
 * Cancels what waits of a schedule; returns the request's new state.
 *
 * @param {string} project
 * @param {ChangeRequest} request
 */
export async function cancelSchedule(project, request) {
    await call('DELETE', schedulesPath(project, request.id), seen(request));
    return readRequest(project, request.id);
}
