/**
 * The rollback of a version, and restoring its changes as a draft.
 */

import {call, projectPath, ServerError} from '../server/api.js';
import {clearDoubt, isUnsettled} from '../server/publishing.js';
import {etagOf} from '../server/versions.js';
import {mergeTemplates} from '../template/template-merge.js';

/** Description of the version that undoes the first one. */
const emptyText = 'Empty, as before the first version';

/**
 * Publishes the version `before` again in place of `versionNumber`; after a lost response,
 * determines whether that happened.
 *
 * @param {string} project
 * @param {{before: string, versionNumber: string, description?: string}} undone `description` is
 *     that of the new version.
 * @param {DoubtOptions} options
 * @returns {Promise<?Version>} The new version; null when there is none, undefined when the signal
 *     was aborted before the server answered.
 * @throws ServerError with a status below 500; 412 when another version was published since.
 */
export async function rollback(project, {before, versionNumber, description}, options) {
    const send = async () => {
        const ifMatch = etagOf(project, versionNumber);
        // Nothing was published before the first version, so an empty one takes its place.
        const {body} = before === '0'
            ? await call('PUT', projectPath(project, 'remoteConfig'), {ifMatch, body: {
                parameters: {}, version: {description: description ?? emptyText}}})
            : await call('POST', projectPath(project, 'remoteConfig:rollback'), {
                body: {versionNumber: before, description}, ifMatch});
        return body.version;
    };
    const find = async () => {
        const {body} = await call(
            'GET', projectPath(project, 'remoteConfig:listVersions', {pageSize: 20}));
        // The oldest of those that were published over the version.
        const [version] = /** @type {Version[]} */ (body.versions).filter(
            (later) => Number(later.versionNumber) > Number(versionNumber)).reverse();
        const isOwn = before === '0' ? version?.description === (description ?? emptyText)
            : version?.rollbackSource === before;
        return isOwn && version ? version : null;
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
    workspace.rebase(draft
        ? mergeTemplates(draft.baseTemplate, draft.template, template) : template, {
        versionNumber: workspace.versionNumber, etag: workspace.etag, baseTemplate: published},
    `version ${versionNumber} again`);
}
