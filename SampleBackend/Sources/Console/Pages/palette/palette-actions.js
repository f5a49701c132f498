/**
 * The actions of the command palette.
 *
 * An action that cannot be used now, because of the role or without a draft, is listed with the
 * reason.
 */

import {openConditionDialog} from '../conditions/condition-dialog.js';
import {discardDraft} from '../drafts/draft-bar.js';
import {takeStep} from '../drafts/step-controls.js';
import {refusal} from '../server/session.js';
import {openSectionDialog} from '../settings/section-dialog.js';
import {openSettingDialog} from '../settings/setting-dialog.js';
import {sections} from '../template/template.js';
import {visit} from './palette-visit.js';

/**
 * Action of the palette.
 *
 * @param {string} id
 * @param {string} title
 * @param {string} words
 * @param {?string} refused
 * @param {PaletteEntry['run']} run
 * @returns {PaletteEntry}
 */
function action(id, title, words, refused, run) {
    return {id: `action ${id}`, kind: 'Action', title, words, refusal: refused, run};
}

/**
 * Adds a setting: to the section if there is one only, else to one of the returned entries.
 *
 * @param {PageContext} context
 * @returns {PaletteEntry[] | Promise<unknown>}
 */
function addSetting(context) {
    const all = sections(context.workspace.template);
    if (all.length === 1) return openSettingDialog(context, all[0].group, null);
    return all.map(({group, name, description}) => ({
        id: `section ${group ?? ''}`, kind: 'Section', title: name, detail: description,
        run: () => openSettingDialog(context, group, null)}));
}

/**
 * Undo and redo of the draft.
 *
 * @param {PageContext} context
 * @param {?string} refused
 * @returns {PaletteEntry[]}
 */
function stepActions({workspace}, refused) {
    /**
     * @param {'undo' | 'redo'} kind
     * @param {string} verb
     * @param {?string} name
     */
    const entry = (kind, verb, name) => action(kind, name ? `${verb}: ${name}` : verb,
        'draft step back again', refused ?? (name ? null : `There is nothing to ${kind}.`),
        () => takeStep(workspace, kind));
    return [entry('undo', 'Undo', workspace.undoName), entry('redo', 'Redo', workspace.redoName)];
}

/**
 * The actions on the open project.
 *
 * @param {PageContext} context
 * @returns {PaletteEntry[]}
 */
export function projectActions(context) {
    const {workspace, session} = context;
    const [editor, publisher] = [refusal(session, 'editor'), refusal(session, 'publisher')];
    const noSection = sections(workspace.template).length ? null : 'Add a section first.';
    const noDraft = workspace.draft ? null : 'There is no draft.';
    const publishing = workspace.isPublishing ? 'The draft is being published.' : null;
    return [
        action('add-setting', 'Add setting …', 'new create', editor ?? noSection,
            () => addSetting(context)),
        action('add-condition', 'Add condition …', 'new create rollout', editor,
            () => openConditionDialog(context, null)),
        action('add-section', 'Add section …', 'new create', editor,
            () => openSectionDialog(context, null)),
        action('publish', 'Publish the draft …', 'review release', publisher ?? noDraft,
            () => visit(context, 'review', {}, 'publish')),
        action('request-review', 'Request a review …', 'change request approve draft',
            editor ?? noDraft, () => visit(context, 'review', {}, 'request-review')),
        action('discard', 'Discard the draft …', 'delete revert',
            refusal({role: session.role}, 'editor') ?? noDraft ?? publishing,
            () => discardDraft(context)),
        ...stepActions(context, editor),
        action('import', 'Import settings …', 'upload file firebase parse', editor,
            () => visit(context, 'transfer', {}, 'import')),
        action('export', 'Export …', 'download file template defaults bootstrap', null,
            () => visit(context, 'transfer', {}, 'export')),
    ];
}
