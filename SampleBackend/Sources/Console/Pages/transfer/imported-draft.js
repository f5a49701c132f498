/**
 * Import of a file with an exported draft: it is merged with what was published since the draft
 * began, as the draft itself would be before it is published.
 */

import {message} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {folded} from '../controls/folded.js';
import {member} from '../json/json.js';
import {conflictName} from '../merge/conflict-view.js';
import {mergedWithCurrent} from '../server/merging.js';
import {etagOf} from '../server/versions.js';

/**
 * What a file states of the draft that it has; null for another file, such as a published version,
 * which has the time of its publish.
 *
 * @param {any} file
 * @param {string} project
 * @returns {?{base: ?string, description: string}} `base` is the number of the version with which
 *     the draft began; null for a draft of another project.
 */
export function statedDraft(file, project) {
    const version = member(file, 'version');
    const [base, description, own = project] = ['versionNumber', 'description', 'project']
        .map((name) => member(version, name));
    if (typeof base !== 'string' || !/^\d+$/.test(base)
        || member(version, 'updateTime') !== undefined) return null;
    return {base: own === project ? base : null,
        description: typeof description === 'string' ? description : ''};
}

/**
 * The draft of a file, merged with the current version.
 *
 * @param {Workspace} workspace
 * @param {any} file
 * @param {Template} template Template of the file, as it was converted.
 * @param {AbortSignal} [signal]
 * @returns {Promise<?ImportedDraft>} Null for a file without a draft.
 */
export async function importedDraft(workspace, file, template, signal) {
    const stated = statedDraft(file, workspace.project);
    if (!stated) return null;
    const {base, description} = stated;
    /** @type {ImportedDraft} */
    const unmerged = {base, description, template, over: null, conflicts: [], problems: []};
    if (base === null) return unmerged;
    const kept = await workspace.templateOf(base);
    if (!kept) {
        // Without a base, it is the draft of a deleted project, or of another one.
        return Number(base) < Number(workspace.versionNumber) ? unmerged
            : {...unmerged, base: null};
    }
    // The page may show an older version.
    await workspace.checkNewest();
    if (base === (workspace.newestVersion?.versionNumber ?? workspace.versionNumber)) {
        return {...unmerged, over: {versionNumber: base, baseTemplate: kept,
            etag: etagOf(workspace.project, base)}};
    }
    const merge = await mergedWithCurrent(workspace.project, {base, template}, signal);
    const {versionNumber, etag} = merge;
    if (versionNumber !== workspace.versionNumber) await workspace.load();
    const {template: baseTemplate} = await workspace.fetchTemplate(versionNumber);
    return {...unmerged, template: merge.template, conflicts: merge.conflicts,
        problems: merge.problems ?? [], over: {versionNumber, etag, baseTemplate}};
}

/**
 * Message about the merge of the draft, or that it was not possible; false if nothing was published
 * since the draft began.
 *
 * @param {?ImportedDraft} draft
 */
export function importedDraftView(draft) {
    if (!draft || draft.base === null) return false;
    const {base, over, conflicts} = draft;
    const start = `The file is a draft that began with version ${base}`;
    if (!over) {
        return message('warning', `${start}, which is no longer kept. It would undo what was `
            + 'published since: on the review, revert the changes that are not of the draft.');
    }
    return over.versionNumber !== base && message(conflicts.length ? 'warning' : 'info',
        h('p', {}, `${start}. It is merged with what was published since, up to version `
            + `${over.versionNumber}.${conflicts.length ? ' Both changed the following, and the '
                + 'file replaces what was published:' : ''}`),
        folded(conflicts, (some) => h('ul', {class: 'remarks'},
            some.map((conflict) => h('li', {}, conflictName(conflict))))));
}
