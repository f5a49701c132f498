/**
 * The rollback to a version, the undo of one, and restoring its changes as a draft.
 */

import {additionRefusal, withAdded} from '../drafts/draft-additions.js';
import {call, projectPath, ServerError} from '../server/api.js';
import {clearDoubt, isUnsettled} from '../server/publishing.js';
import {etagOf} from '../server/versions.js';
import {mergeTemplates} from '../template/template-merge.js';

/**
 * Publishes a version again in place of `versionNumber`; after a lost response, determines whether
 * that happened.
 *
 * @param {string} project
 * @param {{before: string, versionNumber: string, description?: string}} replaced `before` is
 *     the version to publish again, `description` that of the new version.
 * @param {DoubtOptions} options
 * @returns {Promise<?Version>} The new version; null when there is none, undefined when the signal
 *     was aborted before the server answered.
 * @throws ServerError with a status below 500; 412 when another version was published since.
 */
export function rollback(project, {before, versionNumber, description}, options) {
    return replacing(project, versionNumber, 'remoteConfig:rollback',
        {versionNumber: before, description}, ({rollbackSource}) => rollbackSource === before,
        options);
}

/**
 * Takes back the changes of a version, and publishes the result in place of `versionNumber`; after
 * a lost response, determines whether that happened.
 *
 * @param {string} project
 * @param {{undone: string, versionNumber: string, description?: string}} replaced `undone` is the
 *     version whose changes are taken back, `description` that of the new version.
 * @param {DoubtOptions} options
 * @returns {Promise<?Version>} As that of `rollback`.
 * @throws ServerError as `rollback`.
 */
export function undo(project, {undone, versionNumber, description}, options) {
    return replacing(project, versionNumber, 'remoteConfig:undo',
        {versionNumber: undone, description},
        ({undoneVersionNumber}) => undoneVersionNumber === undone, options);
}

/**
 * Sends a request that publishes a version in place of `versionNumber`.
 *
 * @param {string} project
 * @param {string} versionNumber
 * @param {string} resource
 * @param {object} request
 * @param {(version: Version) => boolean} isOwn True for a version that the request publishes.
 * @param {DoubtOptions} options
 * @returns {Promise<?Version>}
 */
async function replacing(project, versionNumber, resource, request, isOwn, options) {
    const send = async () => {
        const {body} = await call('POST', projectPath(project, resource), {
            body: request, ifMatch: etagOf(project, versionNumber)});
        return body.version;
    };
    const find = async () => {
        const {body} = await call(
            'GET', projectPath(project, 'remoteConfig:listVersions', {pageSize: 20}));
        // The oldest of those that were published over the version.
        const [version] = /** @type {Version[]} */ (body.versions).filter(
            (later) => Number(later.versionNumber) > Number(versionNumber)).reverse();
        return version && isOwn(version) ? version : null;
    };
    try {
        return await send();
    } catch (error) {
        if (error instanceof ServerError && error.status < 500) throw error;
        if (!isUnsettled(error)) return clearDoubt(find, options);
    }
    return clearDoubt(async () => {
        try {
            return await send();
        } catch (error) {
            const version = error.status === 412 ? await find() : null;
            if (version) return version;
            throw error;
        }
    }, {...options, onDoubt: (attempt) => options.onDoubt(attempt, true)});
}

/**
 * Restores a version's changes as a draft over the current version, with its description. Edits of
 * an existing draft are kept, and win conflicts.
 *
 * @param {Workspace} workspace
 * @param {string} before
 * @param {string} versionNumber
 * @returns {Promise<string[]>} The places where an existing draft wins.
 * @throws Error if the draft must be merged first: its base is gone, or it is of another version
 *     than the current one and would win over changes that it does not know. The rest of a draft
 *     of which a choice was published has the undone version as its base.
 */
export async function editAgain(workspace, before, versionNumber) {
    await workspace.load();
    const [old, undone] = await Promise.all(
        [before, versionNumber].map((number) => (number === '0'
            ? {template: {}, version: undefined} : workspace.fetchTemplate(number))));
    const {draft, published} = workspace;
    const again = mergeTemplates(old.template, undone.template, published);
    const {description} = undone.version ?? {};
    const template = description ? {...again, version: {description}} : again;
    const result = draft ? withAdded(draft, template) : {template, kept: []};
    const refused = additionRefusal(draft, workspace.versionNumber);
    if (refused && (draft?.isBaseGone || result.kept.length)) throw new Error(refused);
    workspace.rebase(result.template, {
        versionNumber: workspace.versionNumber, etag: workspace.etag, baseTemplate: published},
    `version ${versionNumber} again`);
    return result.kept;
}
