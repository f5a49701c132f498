/**
 * The open project: its published template and the draft. Edits appear immediately, and each is a
 * step that can be undone and redone.
 */

import {isEqual} from '../json/json.js';
import {isOwnVersion} from '../server/publishing.js';
import {readVersion} from '../server/versions.js';
import {withoutVersion} from '../template/template.js';
import {choiceInput} from './choice-input.js';
import {draftOver, isOutdated, isUnsaved, patchedBy, shownBy, versionNumberOf, withoutEmpty}
    from './draft-state.js';
import {discardName} from './draft-steps.js';
import {DraftUndo} from './draft-undo.js';
import {endPublished, publishFound} from './published-draft.js';
import {SyncedDraft} from './synced-draft.js';

/**
 * Published template and draft of a project, and the edits of the draft.
 *
 * Dispatches `change` when the published template or the draft changes, `versionchange` after
 * `load` has read another version, `ended` before `change` when the draft has ended elsewhere, and
 * `publishchange` with what is to be shown of a publish.
 */
export class Workspace extends EventTarget {
    /** True in an archived project, where a draft can only be discarded. */
    isReadOnly = false;
    /** Keeps the draft the same as the server's; opened and closed with the project. */
    sync;
    #undo;

    /**
     * @param {string} project Name of the project.
     * @param {string} user Name of the signed-in user.
     * @param {boolean} mayEdit False if the user's role has no drafts.
     * @param {() => boolean} [hasDialog] True while a dialog is open.
     */
    constructor(project, user = '', mayEdit = true, hasDialog = undefined) {
        super();
        this.project = project;
        this.user = user;
        this.sync = new SyncedDraft({project, user, mayEdit, ...hasDialog && {hasDialog},
            dispatch: (name) => this.dispatchEvent(new Event(name)),
            loaded: () => this.#endIfPublished()});
        this.#undo = new DraftUndo(
            this.sync, () => mayEdit && !this.isReadOnly && !this.isPublishing);
    }

    /** All that the tab knows of the project. */
    get state() {
        return this.sync.state;
    }

    /** Published template without `version`; empty before the first publish. */
    get published() {
        return this.state.current.template;
    }

    /** Version of `published`; null before the first publish. */
    get version() {
        return this.state.current.version;
    }

    /**
     * Number of `version`; before the first publish "0", or the number after the last one of a
     * deleted project of the same name.
     */
    get versionNumber() {
        return versionNumberOf(this.state);
    }

    /** Entity tag of `published`; `*` until `load` has read it. */
    get etag() {
        return this.state.current.etag;
    }

    /** Newest version on the server at the last check; may be newer than `version`. */
    get newestVersion() {
        return this.state.newestVersion;
    }

    /**
     * `{template, base, baseTemplate, etag, changes, isBaseGone}`: the edited template; the number,
     * template and entity tag of the base version; the differences, or null until the server has
     * reported them for this template; true if the server no longer keeps the base version, so that
     * `baseTemplate` is the current one and the differences are unknown. Null without a draft.
     */
    get draft() {
        return this.state.draft;
    }

    /** Template that the pages show: the draft's, or the published one. */
    get template() {
        return shownBy(this.state).template;
    }

    /** Template to compare `template` with; the published one without a draft. */
    get baseTemplate() {
        return this.draft?.baseTemplate ?? this.published;
    }

    /** The server's state, to which it applies patches of the draft. */
    get patched() {
        return patchedBy(this.state);
    }

    /** Why the server lacks the draft; null if it has it, or at the first attempt to save. */
    get saveProblem() {
        return this.state.problem;
    }

    /** How the tab's last publish ended; null without one. */
    get lastPublish() {
        return this.state.publish;
    }

    /** True while the server lacks the draft as shown in this tab. */
    get isUnsaved() {
        return isUnsaved(this.state);
    }

    /** True if a version is newer than the draft's base, or than `version` without a draft. */
    get isOutdated() {
        return isOutdated(this.state);
    }

    /** True while the draft is being published here, or the outcome is unknown. */
    get isPublishing() {
        return this.state.isPublishing;
    }

    set isPublishing(isPublishing) {
        this.sync.send({type: 'publishing', isPublishing});
    }

    /** Resolves when no save is running. */
    saved() {
        return this.sync.saved();
    }

    /**
     * Reads a version of the template, by default the current one, as `readVersion` does.
     *
     * @param {string} [versionNumber]
     */
    fetchTemplate(versionNumber) {
        return readVersion(this.project, versionNumber);
    }

    /**
     * Template of a version; null if the server no longer keeps it.
     *
     * @param {string} base
     */
    templateOf(base) {
        return this.sync.templateOf(base);
    }

    /**
     * Reads the current template, and the draft unless this tab has unsaved edits.
     *
     * @param {() => boolean} [isWanted] False if the result must be dropped.
     */
    load(isWanted) {
        return this.sync.load(isWanted);
    }

    /**
     * Ends a draft that was published, as the function of that name does.
     *
     * @param {Template} sent
     * @param {string} versionNumber
     */
    endPublished(sent, versionNumber) {
        return endPublished(this.sync, sent, versionNumber);
    }

    /** Ends a draft that the read version has. */
    #endIfPublished() {
        const found = publishFound(this.state, this.user);
        if (!found) return;
        // If reading a version for later edits fails, a merge combines them.
        this.endPublished(found.sent, found.publish.version.versionNumber).catch(() => {});
        this.notePublish(found.publish);
    }

    /**
     * Updates `newestVersion`, adopts a draft that was changed elsewhere, and reads a version that
     * this user published: it can be the draft, sent before the page was reloaded. Dispatches
     * `change` only if something differs.
     */
    async checkNewest() {
        await this.sync.checkNewest();
        const {newestVersion} = this;
        if (this.draft && newestVersion && !this.isPublishing
            && newestVersion.versionNumber !== this.versionNumber
            && isOwnVersion(newestVersion, this.user)) await this.load();
    }

    /**
     * Sets the draft's template; starts a draft if needed, ends it if nothing differs.
     *
     * @param {Template} template The template.
     * @param {string[][]} overwritten Paths of values changed elsewhere that the edit replaces.
     * @param {string} [step] Name of the step for undo; by default, by what changed.
     */
    edit(template, overwritten = [], step = undefined) {
        const began = this.draft ?? {...draftOver(this.state, template), template: {}};
        // The description of the version makes no difference.
        const isSame = isEqual(withoutVersion(template), withoutVersion(began.template));
        this.#take({...began, template, changes: isSame ? began.changes : null}, step, overwritten);
    }

    /**
     * Sets the description of the version that the draft becomes; not a step for undo, since it is
     * written beside the steps.
     *
     * @param {string} description
     */
    describe(description) {
        if (!this.draft) return;
        const {version, ...template} = this.draft.template;
        if ((version?.description ?? '') === description) return;
        this.sync.send({type: 'edit', draft: {...this.draft,
            template: description ? {...template, version: {description}} : template}});
    }

    /**
     * Replaces the draft by a merged template that is based on another version.
     *
     * @param {Template} template
     * @param {{versionNumber: string, etag: string, baseTemplate: Template}} value
     * @param {string} [step] Name of the step for undo.
     */
    rebase(template, {versionNumber, etag, baseTemplate},
        step = `merge with version ${versionNumber}`) {
        this.#take({template, base: versionNumber, baseTemplate, etag, changes: null}, step);
    }

    /** Deletes the draft, also on the server; `isUnsaved` stays true if that fails. */
    discard() {
        this.#take(null, discardName);
        return this.saved();
    }

    /**
     * Edits the draft, and records that as a step.
     *
     * @param {?Draft} draft
     * @param {string} [step] Its name; by default, by what changed.
     * @param {TreePath[]} [overwritten]
     */
    #take(draft, step, overwritten = []) {
        const after = withoutEmpty(draft);
        if (after && !this.draft) choiceInput(this).forget();
        // Without a draft, the pages may show a later version than that of the draft.
        const {template} = after ?? {template: this.baseTemplate};
        const shown = shownBy(this.state);
        this.sync.steps.record(shown, {template, base: after?.base ?? null}, step);
        this.sync.send({type: 'edit', draft: after, overwritten,
            replaced: overwritten.length ? shown.template : null});
    }

    /**
     * Sets what is to be shown of the tab's last publish.
     *
     * @param {?LastPublish} publish
     */
    notePublish(publish) {
        this.sync.send({type: 'published', publish});
        // Also after its project was left.
        this.dispatchEvent(new Event('publishchange'));
    }

    /** Name of the step that `undo` takes back; null without one. */
    get undoName() {
        return this.#undo.nameOf(true);
    }

    /** Name of the step that `redo` repeats; null without one. */
    get redoName() {
        return this.#undo.nameOf(false);
    }

    /**
     * Takes back the last step of the draft in this tab, as `DraftUndo.take` does.
     *
     * @param {StepQuestion} [mayTake]
     */
    undo(mayTake) {
        return this.#undo.take(true, mayTake);
    }

    /** @param {StepQuestion} [mayTake] */
    redo(mayTake) {
        return this.#undo.take(false, mayTake);
    }
}
