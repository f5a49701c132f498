/**
 * The open project: its published template and the draft. Edits appear immediately, and each is a
 * step that can be undone and redone.
 */

import {isEqual} from '../json/json.js';
import {isOwnVersion} from '../server/publishing.js';
import {etagOf} from '../server/versions.js';
import {mergeTemplates} from '../template/template-merge.js';
import {withoutVersion} from '../template/template.js';
import {choiceInput} from './choice-input.js';
import {draftOver, shownBy, withoutEmpty} from './draft-state.js';
import {templateAfter} from './draft-step.js';
import {discardName} from './draft-steps.js';
import {isChoiceOf} from './ended-draft.js';
import {SyncedDraft} from './synced-draft.js';

/** Published template and draft of a project, and the edits of the draft. */
export class Workspace extends SyncedDraft {
    /** True in an archived project, where a draft can only be discarded. */
    isReadOnly = false;
    /**
     * The undo or redo that runs, after those before it.
     *
     * @type {Promise<?TakenStep>}
     */
    #stepping = Promise.resolve(null);

    /**
     * Reads the current template and the draft. A draft of which the current version has all, or
     * some by a choice of this user, was published, for example by this page before it was closed:
     * what the version has of it ends.
     *
     * @param {function(): boolean} [isWanted] False if the result must be dropped.
     */
    async load(isWanted) {
        await super.load(isWanted);
        const {draft, version, published} = this;
        if (!draft || !version || !this.isOutdated || this.isPublishing) return;
        const isWhole = isEqual(withoutVersion(draft.template), published);
        if (!isWhole && !(isOwnVersion(version, this.user) && isChoiceOf(draft, published))) return;
        // If reading a version for later edits fails, a merge combines them.
        this.endPublished(isWhole ? draft.template : published, version.versionNumber)
            .catch(() => {});
        this.notePublish({version, isOwn: isOwnVersion(version, this.user), isSeen: false,
            time: Date.parse(version.updateTime)});
    }

    /**
     * Updates `newestVersion`, as `SyncedDraft.checkNewest` does, and reads a version that this
     * user published: it can be the draft, sent before the page was reloaded.
     */
    async checkNewest() {
        await super.checkNewest();
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
        this.send({type: 'edit', draft: {...this.draft,
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
     * Ends a draft that was published. Later edits, here or in another tab, become a draft based on
     * the new version.
     *
     * @param {Template} sent Template of the draft that was published.
     * @param {string} versionNumber Number of the new version.
     * @throws ServerError or NoAnswerError when there are such edits and reading the version
     *     fails; the draft is unchanged then.
     */
    async endPublished(sent, versionNumber) {
        if (!this.draft) return;
        this.steps.published(this.draft.template, sent);
        if (isEqual(this.draft.template, sent)) {
            this.send({type: 'edit', draft: null});
            await this.saved();
        }
        if (!this.draft) return;
        const {template: baseTemplate, etag} = await this.fetchTemplate(versionNumber);
        if (!this.draft) return;
        this.send({type: 'edit', draft: {
            template: mergeTemplates(sent, this.draft.template, baseTemplate),
            base: versionNumber, baseTemplate, etag, changes: null}});
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
        this.steps.record(shown, {template, base: after?.base ?? null}, step);
        this.send({type: 'edit', draft: after, overwritten,
            replaced: overwritten.length ? shown.template : null});
    }

    /** Ends the note about a draft that went with its project. */
    noteDropped() {
        this.send({type: 'noted'});
    }

    /** Sends a refused draft again. */
    retry() {
        this.send({type: 'retry'});
    }

    /**
     * Sets what is to be shown of the tab's last publish.
     *
     * @param {?LastPublish} publish
     */
    notePublish(publish) {
        this.send({type: 'published', publish});
        // Also after its project was left.
        this.dispatchEvent(new Event('publishchange'));
    }

    /** Name of the step that `undo` takes back; null without one. */
    get undoName() {
        return this.#nextStep(true)?.name ?? null;
    }

    /** Name of the step that `redo` repeats; null without one. */
    get redoName() {
        return this.#nextStep(false)?.name ?? null;
    }

    /**
     * Takes back the last step of the draft in this tab; what others changed since, stays.
     *
     * @param {StepQuestion} [mayTake] Asked before the step is taken.
     * @returns {Promise<?TakenStep>} The name of the step, and places of it that others changed
     *     since; null if there was no step, or it was refused.
     * @throws ServerError or NoAnswerError when reading the version fails on which the draft was
     *     based; nothing is changed then.
     */
    undo(mayTake) {
        return this.#step(true, mayTake);
    }

    /**
     * Repeats the last step that was undone, as `undo` takes it back.
     *
     * @param {StepQuestion} [mayTake]
     */
    redo(mayTake) {
        return this.#step(false, mayTake);
    }

    /** @param {boolean} isUndo */
    #nextStep(isUndo) {
        return this.mayEdit && !this.isReadOnly && !this.isPublishing
            ? this.steps.next(isUndo, shownBy(this.state)) : null;
    }

    /**
     * @param {boolean} isUndo
     * @param {StepQuestion} [mayTake]
     */
    #step(isUndo, mayTake = async () => true) {
        const step = () => this.#stepOnce(isUndo, mayTake);
        this.#stepping = this.#stepping.then(step, step);
        return this.#stepping;
    }

    /**
     * @param {boolean} isUndo
     * @param {StepQuestion} mayTake
     * @returns {Promise<?TakenStep>}
     */
    async #stepOnce(isUndo, mayTake) {
        const next = this.#nextStep(isUndo);
        if (!next) return null;
        const {template: shown} = this;
        const base = next.isOtherBase ? next.base : null;
        const baseTemplate = base === null ? null : await this.templateOf(base);
        // The draft was changed meanwhile.
        if (shown !== this.template) return this.#stepOnce(isUndo, mayTake);
        // Over the shown version if the other one is gone.
        const over = baseTemplate && base !== null
            ? {base, baseTemplate, etag: etagOf(this.project, base)}
            : this.draft ?? draftOver(this.state, shown);
        const {template, kept} = templateAfter(
            next.from, next.to, this.draft ? shown : over.baseTemplate);
        if (!await mayTake(next.name, shown, template)) return null;
        if (shown !== this.template) return this.#stepOnce(isUndo, mayTake);
        const draft = withoutEmpty({...over, template, changes: null});
        this.steps.took(next, draft?.base ?? null);
        this.send({type: 'edit', draft, left: kept});
        return {name: next.name, kept};
    }
}
