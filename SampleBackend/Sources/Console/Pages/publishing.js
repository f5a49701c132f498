/**
 * Publishing a draft so that its outcome is always known in the end.
 */

import {call, NoAnswerError, projectPath, ServerError} from './api.js';
import {isEqual} from './json.js';

/** Milliseconds between two questions to a server that does not answer. */
const pause = 1000;

/** Waits; ends early when it is told to. */
function wait(milliseconds, signal) {
    return new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        signal.addEventListener('abort', () => {
            clearTimeout(timer);
            resolve();
        }, {once: true});
    });
}

/**
 * Looks for a version that holds just what was to be published.
 *
 * @param {object} workspace The workspace.
 * @param {object} normalized The template as the server stores it.
 * @param {string} base The version that the draft began from.
 * @returns {Promise<?object>} The version; null when there is none.
 */
async function findPublished(workspace, normalized, base) {
    const {body} = await call(
        'GET', projectPath(workspace.project, 'remoteConfig:listVersions', {pageSize: 20}));
    for (const version of body.versions) {
        if (Number(version.versionNumber) <= Number(base)) break;
        const {template} = await workspace.fetchTemplate(version.versionNumber);
        if (isEqual(template, normalized)) return version;
    }
    return null;
}

/**
 * Asks until the server answers which version holds the draft, or null for none; undefined when
 * nobody waits any more.
 */
async function clearDoubt(workspace, normalized, base, {signal, onDoubt}) {
    for (let attempt = 1; !signal.aborted; attempt += 1) {
        onDoubt(attempt);
        await wait(pause, signal);
        if (signal.aborted) break;
        try {
            return await findPublished(workspace, normalized, base);
        } catch (error) {
            // A server that is starting may answer that it is not ready yet.
            if (!(error instanceof NoAnswerError) && !(error.status >= 500)) throw error;
        }
    }
    return undefined;
}

/**
 * Publishes the draft.
 *
 * @param {object} workspace The workspace with the draft.
 * @param {object} normalized The template as the server would store it.
 * @param {{description: string, signal: AbortSignal, onDoubt: function(number): void}} options
 *     `onDoubt` is called before each question to a server that did not answer.
 * @returns {Promise<{outcome: string}>} `published` with `version`; `outdated` when somebody
 *     published meanwhile; `notPublished`, after a doubt; `invalid` with `problems`; `refused` with
 *     `message`; `left` when nobody waits any more.
 */
export async function publish(workspace, normalized, {description, signal, onDoubt}) {
    const {draft, project} = workspace;
    const body = description ? {...draft.template, version: {description}} : draft.template;
    try {
        const answer = await call(
            'PUT', projectPath(project, 'remoteConfig'), {body, ifMatch: draft.etag});
        return {outcome: 'published', version: answer.body.version};
    } catch (error) {
        if (error instanceof ServerError && error.status < 500) {
            if (error.status === 412) return await afterMismatch(workspace, normalized, draft.base);
            return error.details.length ? {outcome: 'invalid', problems: error.details}
                : {outcome: 'refused', message: error.message};
        }
        const version = await clearDoubt(workspace, normalized, draft.base, {signal, onDoubt});
        if (version === undefined) return {outcome: 'left'};
        return version ? {outcome: 'published', version} : {outcome: 'notPublished'};
    }
}

/** What a mismatch means: the draft's own publish may have arrived after all. */
async function afterMismatch(workspace, normalized, base) {
    const version = await findPublished(workspace, normalized, base);
    return version ? {outcome: 'published', version} : {outcome: 'outdated'};
}
