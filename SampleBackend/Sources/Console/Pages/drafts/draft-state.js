/**
 * What a tab knows of a project: the published version, its draft, and the server's draft. An
 * immutable value, which `draft-sync.js` changes.
 */

import {isEqual} from '../json/json.js';
import {mergeTemplates} from '../template/template-merge.js';
import {UnansweredSaves} from './unanswered-saves.js';

/**
 * The state before a project is read.
 *
 * @type {SyncState}
 */
export const initialState = {
    phase: 'saved', current: {template: {}, version: null, number: '0', etag: '*'},
    newestVersion: null, draft: null, saved: null, sent: null, unanswered: [], problem: null,
    overwritten: [], replaced: null, left: [], dropped: [], token: 1, isPublishing: false,
    publish: null};

/**
 * Number of the shown version; before the first publish "0", or the number after the last one of a
 * deleted project of the same name.
 *
 * @param {Pick<SyncState, 'current'>} state
 */
export function versionNumberOf({current}) {
    return current.number;
}

/**
 * True while the draft, or its absence, differs from the server's, or may differ.
 *
 * @param {SyncState} state
 */
export function isUnsaved({draft, saved, unanswered}) {
    return unanswered.length > 0 || draft?.template !== saved?.template
        || draft?.base !== saved?.base;
}

/**
 * Template to which the server applies patches of the draft, as `{template, base, tag}`: the
 * server's draft, or the version `base` on which a new draft would be based; `tag` is the stored
 * draft's entity tag, null without one.
 *
 * @param {SyncState} state
 * @returns {PatchedTemplate}
 */
export function patchedBy(state) {
    return state.saved
        ?? {template: state.current.template, base: versionNumberOf(state), tag: null};
}

/**
 * True if a version is newer than the draft's base, or than the shown version without a draft.
 *
 * @param {SyncState} state
 */
export function isOutdated(state) {
    const base = state.draft?.base ?? versionNumberOf(state);
    return Number(state.newestVersion?.versionNumber ?? 0) > Number(base);
}

/**
 * What the pages show.
 *
 * @param {SyncState} state
 * @returns {ShownDraft}
 */
export function shownBy(state) {
    return {template: state.draft?.template ?? state.current.template,
        base: state.draft?.base ?? null, version: versionNumberOf(state)};
}

/**
 * A draft; null if it equals its base, which ends it.
 *
 * @param {?Draft} draft
 */
export function withoutEmpty(draft) {
    return draft && !isEqual(draft.template, draft.baseTemplate) ? draft : null;
}

/**
 * A draft of a template over the shown version.
 *
 * @param {SyncState} state
 * @param {Template} template
 * @returns {Draft}
 */
export function draftOver(state, template) {
    const {current} = state;
    return {template, base: versionNumberOf(state), baseTemplate: current.template,
        etag: current.etag, changes: null};
}

/**
 * Merges a tab's edits with those of another tab or browser, over the later base of both.
 * `replaced` is the merge in which `theirs` wins, if there are conflicts; else null.
 *
 * @param {Template} before The template before both edits.
 * @param {SentDraft} mine It wins where both changed the same.
 * @param {SentDraft} theirs
 * @returns {MergedDraft}
 */
export function mergedDrafts(before, mine, theirs) {
    /** @type {TreePath[]} */
    const conflicts = [];
    const template = mergeTemplates(before, mine.template, theirs.template, conflicts);
    const replaced = conflicts.length
        ? mergeTemplates(before, theirs.template, mine.template) : null;
    return {template, conflicts, replaced,
        base: Number(mine.base) > Number(theirs.base) ? mine.base : theirs.base};
}

/**
 * What the tab stores of unsaved edits, so that they survive a reload; null if the server has all.
 *
 * @param {SyncState} state
 * @param {boolean} [isWhole] True to store also a draft that the server has.
 * @returns {?MirroredDraft}
 */
export function mirrorOf(state, isWhole = false) {
    const {draft, saved, unanswered} = state;
    if (!isUnsaved(state) && !(isWhole && draft)) return null;
    return {saved, draft: draft && {template: draft.template, base: draft.base}, unanswered,
        version: versionNumberOf(state)};
}

/**
 * What becomes of the tab's unsaved edits after a reload: the draft to continue with, or none where
 * it was discarded; undefined when they are dropped for what was saved elsewhere since.
 *
 * @param {MirroredDraft} kept What the tab stored.
 * @param {?SavedDraft} saved The server's draft.
 * @param {Template} baseTemplate Template of the version on which the edits are based.
 * @returns {?MergedDraft | undefined}
 */
export function restored(kept, saved, baseTemplate) {
    const isSame = kept.saved?.tag === saved?.tag
        || new UnansweredSaves(kept.unanswered).has(saved);
    if (!kept.draft) return isSame ? null : undefined;
    if (isSame || !saved) return {...kept.draft, conflicts: [], replaced: null};
    return mergedDrafts(kept.saved?.template ?? baseTemplate, kept.draft, saved);
}
