/**
 * What the undo of one version would change in the current one, or why it is not possible.
 */

import {conflictName} from '../merge/conflict-view.js';
import {call, projectPath, ServerError} from '../server/api.js';
import {etagOf} from '../server/versions.js';

/**
 * Asks the server for the current version without the changes of another one; nothing is published.
 *
 * @param {string} project
 * @param {string} versionNumber The version to undo.
 * @param {string} current Number of the current version.
 * @param {AbortSignal} [signal]
 * @returns {Promise<UndoPreview>}
 * @throws ServerError with status 412 when another version is current; 404 when the version or the
 *     one before it is no longer kept.
 */
export async function previewUndo(project, versionNumber, current, signal) {
    try {
        const {body} = await call(
            'POST', projectPath(project, 'remoteConfig:undo', {validateOnly: true}),
            {body: {versionNumber}, ifMatch: etagOf(project, current), signal});
        return {state: 'possible', template: body,
            changes: changesOf(project, current, body, signal)};
    } catch (error) {
        if (!(error instanceof ServerError)) throw error;
        if (error.code === 'NOTHING_TO_UNDO') return {state: 'nothing'};
        if (error.code !== 'MERGE_CONFLICT') throw error;
        return {state: 'conflicts', conflicts: /** @type {any[]} */ (error.details)};
    }
}

/**
 * The differences between the current version and a template. A merge reports those of an edit
 * since its base, whatever was published meanwhile.
 *
 * @param {string} project
 * @param {string} current
 * @param {Template} template
 * @param {AbortSignal} [signal]
 * @returns {Promise<Differences>}
 */
async function changesOf(project, current, template, signal) {
    const {version, ...content} = template;
    // The server takes no template without any of its members, as that before the first version.
    const {body} = await call('POST', projectPath(project, 'remoteConfig:merge'), {signal,
        body: {base: current, mine: {parameters: {}, ...content}}});
    return body.changes.mine;
}

/**
 * The places that later versions changed, too, each with what happened to it and the last version
 * that did so, if it is known.
 *
 * @param {Conflict[]} conflicts
 */
export function undoConflicts(conflicts) {
    return conflicts.map((conflict) => ({name: conflictName(conflict) ?? conflict.path,
        change: laterChange(conflict), version: conflict.changedBy}));
}

/** @param {Conflict} conflict */
function laterChange({base, mine, theirs}) {
    if (theirs === undefined) return mine === undefined ? 'Moved or removed' : 'Removed';
    return base === undefined ? 'Added again' : 'Changed';
}
