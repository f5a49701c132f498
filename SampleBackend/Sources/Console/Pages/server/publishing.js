/**
 * Publishing a draft. After a lost response, finds out whether the draft was published.
 */

import {isEqual} from '../json/json.js';
import {call, NoAnswerError, projectPath, ServerError} from './api.js';

/** Milliseconds before each attempt to determine the outcome. */
const pause = 1000;

/**
 * Waits, or returns early when the signal is aborted.
 *
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
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
 * True if a user published a version in the console.
 *
 * @param {Version} version
 * @param {string} user Name of the user.
 */
export function isOwnVersion({updateUser, updateOrigin}, user) {
    return updateUser?.name === user && updateOrigin === 'CONSOLE';
}

/**
 * Outcome of a publish by the versions after the draft's base, of the newest 20. Only the current
 * version can have the draft's content in its place: an older one was replaced since, perhaps by
 * its undo.
 *
 * @param {Workspace} workspace
 * @param {Template} normalized The draft's template in the form in which the server stores it.
 * @param {string} base Number of the version that the draft is based on.
 * @param {boolean} isLost True if a response was lost, so that the draft may have been published.
 * @returns {Promise<PublishOutcome>} As that of `publish`.
 */
async function outcomeByVersions(workspace, normalized, base, isLost) {
    const {body} = await call(
        'GET', projectPath(workspace.project, 'remoteConfig:listVersions', {pageSize: 20}));
    /** @type {Version[]} */
    const later = body.versions.filter(
        (/** @type {Version} */ {versionNumber}) => Number(versionNumber) > Number(base));
    const [newest] = later;
    if (!newest) return {outcome: isLost ? 'notPublished' : 'outdated'};
    for (const version of isLost ? later : [newest]) {
        const isOwn = isOwnVersion(version, workspace.user);
        if (version !== newest && !isOwn) continue;
        const {template} = await workspace.fetchTemplate(version.versionNumber);
        if (!isEqual(template, normalized)) continue;
        if (version !== newest) return {outcome: 'superseded', version, newest};
        return {outcome: isOwn ? 'published' : 'publishedByOthers', version};
    }
    return {outcome: 'outdated'};
}

/**
 * True when the server does not know yet whether a change is stored. Reading the store proves
 * nothing then, since the change may be stored minutes later. Sending it again for the same version
 * settles it: the server stores it at most once.
 *
 * @param {{code?: string}} error
 */
export function isUnsettled({code}) {
    return code === 'OUTCOME_UNKNOWN';
}

/**
 * Message while the outcome of a change is unsettled.
 *
 * @param {string} change
 */
export function unsettledText(change) {
    return `${change} is pending: the store did not respond to the server, which keeps retrying. `
        + 'The console retries until the outcome is known.';
}

/**
 * Determines the outcome of a call whose response was lost.
 *
 * @param {function(): Promise<*>} find Asks the server; repeated until that responds.
 * @param {DoubtOptions} options `onDoubt` is called
 *     before each attempt with its number, from 1.
 * @returns {Promise<*>} The result of `find`; undefined when the signal is aborted first.
 * @throws ServerError of `find` with a status below 500.
 */
export async function clearDoubt(find, {signal, onDoubt}) {
    for (let attempt = 1; !signal.aborted; attempt += 1) {
        onDoubt(attempt);
        await wait(pause, signal);
        if (signal.aborted) break;
        try {
            return await find();
        } catch (error) {
            // Retries after a 5xx, too: a server that is starting may not be ready yet.
            if (!(error instanceof NoAnswerError) && !(error.status >= 500)) throw error;
        }
    }
    return undefined;
}

/**
 * Number of approvals that a refused publish lacks; 0 if it is unknown.
 *
 * @param {ServerError} error
 */
function missingApprovals({details}) {
    const [detail] = /** @type {{missingApprovals?: number}[]} */ (details);
    return Number(detail?.missingApprovals ?? 0);
}

/**
 * Publishes the draft, or some of its changes.
 *
 * @param {Workspace} workspace Workspace with a draft.
 * @param {Template} normalized The sent template in the form in which the server stores it.
 * @param {DoubtOptions & {description: string, sent?: Template, bypass?: string}} options
 *     `sent` is the template that is published, by default the draft's. `bypass` is the reason for
 *     a publish without approvals in a protected project. `signal` stops only the
 *     attempts to determine the outcome, never the publish. `onDoubt` is called before each of
 *     these attempts with its number, from 1, and with true when the server does not know the
 *     outcome itself.
 * @returns {Promise<PublishOutcome>} `published` with `version`; `publishedByOthers` with
 *     the current `version` in which another user published the same content; `superseded` with the
 *     published `version` and the `newest` one that replaced it, after a lost response; `outdated`
 *     when other content was published meanwhile; `notPublished` when there was no usable response
 *     and nothing was published; `invalid` with `problems`; `unapproved` with the number of
 *     `missing` approvals; `refused` with `message`; `left` when the signal was aborted while the
 *     outcome was unknown.
 * @throws ServerError with a status below 500 when the versions cannot be read.
 */
export async function publish(
    workspace, normalized, {description, sent, bypass, signal, onDoubt}) {
    const {draft, project} = workspace;
    if (!draft) throw new Error('There is no draft.');
    const {version, ...template} = sent ?? draft.template;
    const body = description ? {...template, version: {description}} : template;
    /** @param {boolean} isLost */
    const byVersions = (isLost) => outcomeByVersions(workspace, normalized, draft.base, isLost);
    /**
     * @param {boolean} [isRepeated] True if an earlier attempt may have been executed.
     * @returns {Promise<PublishOutcome>}
     */
    const send = async (isRepeated = false) => {
        try {
            const answer = await call(
                'PUT', projectPath(project, 'remoteConfig', {bypass}),
                {body, ifMatch: draft.etag});
            return {outcome: 'published', version: answer.body.version};
        } catch (error) {
            if (!(error instanceof ServerError) || error.status >= 500) throw error;
            if (error.status === 412) return await byVersions(isRepeated);
            if (error.code === 'APPROVAL_REQUIRED') {
                return {outcome: 'unapproved', missing: missingApprovals(error)};
            }
            return error.details.length ? {outcome: 'invalid', problems: error.details}
                : {outcome: 'refused', message: error.message};
        }
    };
    try {
        return await send();
    } catch (error) {
        if (isUnsettled(error)) {
            const settled = await clearDoubt(
                () => send(true), {signal, onDoubt: (attempt) => onDoubt(attempt, true)});
            return settled ?? {outcome: 'left'};
        }
        const found = await clearDoubt(() => byVersions(true), {signal, onDoubt});
        return found ?? {outcome: 'left'};
    }
}
