/**
 * The open project: its published template and the draft.
 *
 * The server keeps the draft. Edits appear immediately and are saved in the background; until then,
 * the tab stores them, too. Tabs notify each other of saved drafts. A save never overwrites what
 * another tab or browser has saved: both are merged first.
 */

import {isMissing, ServerError} from './api.js';
import {DraftMirror} from './draft-mirror.js';
import {templateAfter} from './draft-step.js';
import {DraftSteps} from './draft-steps.js';
import {isEqual} from './json.js';
import {afterPress} from './press.js';
import {deleteDraft, differenceCount, readDraft, storeDraft, toldChanges} from './server-draft.js';
import {withoutVersion} from './template.js';
import {mergeTrees} from './tree-merge.js';
import {UnansweredSaves} from './unanswered-saves.js';
import {etagOf, readNewest, readVersion} from './versions.js';

/** Milliseconds before a failed save is retried. */
const pause = 2000;

function hasOpenDialog() {
    return document.querySelector('dialog[open]') !== null;
}

/**
 * Published template and draft of a project; dispatches `change` when either changes, and
 * `versionchange` after `load` has read another version.
 */
export class Workspace extends EventTarget {
    /**
     * Published template without `version`; empty before the first publish.
     *
     * @type {Template}
     */
    published = {};
    /**
     * Version of `published`; null before the first publish.
     *
     * @type {?Version}
     */
    version = null;
    /** Entity tag of `published`; `*` until `load` has read it. */
    etag = '*';
    /**
     * `{template, base, baseTemplate, etag, changes, isBaseGone}`: the edited template; the number,
     * template and entity tag of the base version; the differences, or null until the server has
     * reported them for this template; true if the server no longer keeps the base version, so that
     * `baseTemplate` is the current one and the differences are unknown. Null without a draft.
     *
     * @type {?Draft}
     */
    draft = null;
    /**
     * Newest version on the server at the last check; may be newer than `version`.
     *
     * @type {?Version}
     */
    newestVersion = null;
    /**
     * Why the server lacks the current draft; null if it has the draft, or a save is in progress.
     *
     * @type {?string}
     */
    saveProblem = null;
    /** False while the tab's storage has no space for the unsaved edits. */
    isKeptInTab = true;
    /**
     * Paths that another tab or user also changed, where this tab's value won.
     *
     * @type {TreePath[]}
     */
    overwritten = [];
    /**
     * Paths that the last undo or redo left as others changed them since.
     *
     * @type {TreePath[]}
     */
    left = [];

    /**
     * The server's draft; null without one.
     *
     * @type {?SavedDraft}
     */
    #saved = null;
    /** @type {?Promise<void>} */
    #saving = null;
    #unanswered = new UnansweredSaves();
    /**
     * Number of the user's tokens so far; responses to requests of an earlier token are dropped.
     */
    #tokens = 1;
    /**
     * The state that the server refused last; it is not sent again before another edit.
     *
     * @type {?{draft: ?Draft}}
     */
    #refused = null;
    /** Numbers of the last `load`, and of the last whose response is shown. */
    #loads = {started: 0, shown: 0};
    #timer = 0;
    #isClosed = false;
    #isStopped = false;
    #mirror;
    /** @type {?BroadcastChannel} */
    #channel = null;
    #mayEdit;
    #hasDialog;
    #isPublishing = false;
    #steps;
    /**
     * The undo and redo that runs.
     *
     * @type {Promise<?{name: string, kept: TreePath[]}>}
     */
    #stepping = Promise.resolve(null);

    /**
     * @param {string} project Name of the project.
     * @param {string} user Name of the signed-in user.
     * @param {boolean} mayEdit False if the user's role has no drafts.
     * @param {function(): boolean} hasDialog True while a dialog is open.
     */
    constructor(project, user = '', mayEdit = true, hasDialog = hasOpenDialog) {
        super();
        this.#mayEdit = mayEdit;
        this.#hasDialog = hasDialog;
        this.project = project;
        this.user = user;
        this.#mirror = new DraftMirror(user, project);
        this.#steps = new DraftSteps(user, project);
        this.open();
    }

    /** Starts to exchange notifications, also after `close`. */
    open() {
        this.#isClosed = false;
        if (this.#channel) return;
        const channel = new BroadcastChannel('activeconfig.drafts');
        this.#channel = channel;
        channel.addEventListener('message', ({data}) => {
            if (data.project !== this.project || data.user !== this.user) return;
            this.#follow().catch(() => {});
        });
    }

    /** Stops exchanging notifications; continues to save until the server has the draft. */
    close() {
        this.#isClosed = true;
        this.#closeChannel();
    }

    /** Also stops saving; an unsaved draft stays in the tab's storage. */
    stop() {
        this.#isStopped = true;
        clearTimeout(this.#timer);
        this.close();
    }

    /** A closed workspace still notifies other tabs of a pending save. */
    #closeChannel() {
        const isOpen = !this.#isClosed || this.#isDirty || this.#saving;
        if (!this.#isStopped && isOpen) return;
        this.#channel?.close();
        this.#channel = null;
    }

    /**
     * Reads the current template, and the draft unless this tab has unsaved edits.
     *
     * @param {function(): boolean} isWanted False if the result must be dropped.
     */
    async load(isWanted = () => true) {
        this.#loads.started += 1;
        const load = this.#loads.started;
        const current = await this.fetchTemplate();
        // Both are read before either is shown, so that a failure shows neither.
        const take = await this.#readDraft(current);
        // An older response never replaces a newer one.
        if (!isWanted() || load < this.#loads.shown) return;
        this.#loads.shown = load;
        const before = this.versionNumber;
        this.published = current.template;
        this.version = current.version;
        this.newestVersion = current.version;
        this.etag = current.etag;
        take();
        try {
            await this.#restore();
        } finally {
            this.#steps.follow(this.#shown);
            this.#changed();
            if (this.versionNumber !== before) this.#tell('versionchange');
        }
    }

    /**
     * Reads a version of the template, by default the current one, as `readVersion` does.
     *
     * @param {string} [versionNumber]
     */
    fetchTemplate(versionNumber) {
        return readVersion(this.project, versionNumber);
    }

    /** True while the draft is being published here, or the outcome is unknown. */
    get isPublishing() {
        return this.#isPublishing;
    }

    set isPublishing(isPublishing) {
        this.#isPublishing = isPublishing;
        this.#changed();
    }

    /** Number of `version`; "0" before the first publish. */
    get versionNumber() {
        return this.version?.versionNumber ?? '0';
    }

    /** Template that the pages show: the draft's, or the published one. */
    get template() {
        return this.draft?.template ?? this.published;
    }

    /** Template to compare `template` with; the published one without a draft. */
    get baseTemplate() {
        return this.draft?.baseTemplate ?? this.published;
    }

    /**
     * Template to which the server applies patches of the draft, as `{template, base, tag}`: the
     * server's draft, or the version `base` on which a new draft would be based; `tag` is the
     * stored draft's entity tag, null without one.
     *
     * @returns {PatchedTemplate}
     */
    get patched() {
        return this.#saved
            ?? {template: this.published, base: this.versionNumber, tag: null};
    }

    /** True while the server lacks the draft as shown in this tab. */
    get isUnsaved() {
        return this.#isDirty;
    }

    /** True if the server has refused the draft as shown in this tab. */
    get isRefused() {
        return this.#isDirty && this.#refused?.draft === this.draft;
    }

    /** True if a version is newer than the draft's base, or than `version` without a draft. */
    get isOutdated() {
        const base = this.draft?.base ?? this.versionNumber;
        return Number(this.newestVersion?.versionNumber ?? 0) > Number(base);
    }

    /**
     * Sets the draft's template; starts a draft if needed, ends it if nothing differs.
     *
     * @param {Template} template The template.
     * @param {string[][]} overwritten Paths of values changed elsewhere that the edit replaces.
     * @param {string} [step] Name of the step for undo; by default, by what changed.
     */
    edit(template, overwritten = [], step = undefined) {
        /** @type {Omit<Draft, 'template'> & {template?: Template}} */
        const began = this.draft ?? {base: this.versionNumber, baseTemplate: this.published,
            etag: this.etag, changes: null};
        // The description of the version makes no difference.
        const isSame = isEqual(withoutVersion(template), withoutVersion(began.template ?? {}));
        this.#record(step, () => this.#take(
            {...began, template, changes: isSame ? began.changes : null}, overwritten));
    }

    /**
     * Replaces the draft by a merged template that is based on another version.
     *
     * @param {Template} template
     * @param {{versionNumber: string, etag: string, baseTemplate: Template}} value
     * @param {string} [step] Name of the step for undo.
     */
    rebase(template, {versionNumber, etag, baseTemplate}, step = `merge with version ${versionNumber}`) {
        this.#record(step, () => this.#take(
            {template, base: versionNumber, baseTemplate, etag, changes: null}));
    }

    /** Deletes the draft, also on the server; `isUnsaved` stays true if that fails. */
    discard() {
        this.#record('discard the draft', () => this.#take(null));
        return this.saved();
    }

    /** Name of the step that `undo` takes back; null without one. */
    get undoName() {
        return this.#nextStep(true)?.name ?? null;
    }

    /** Name of the step that `redo` repeats; null without one. */
    get redoName() {
        return this.#nextStep(false)?.name ?? null;
    }

    /** True if `undo` has a step to take back. */
    get canUndo() {
        return this.undoName !== null;
    }

    /** True if `redo` has a step to repeat. */
    get canRedo() {
        return this.redoName !== null;
    }

    /**
     * Takes back the last step of the draft in this tab; what others changed since, stays.
     *
     * @returns {Promise<?{name: string, kept: TreePath[]}>} The name of the step, and places of it
     *     that others changed since; null if there was no step.
     * @throws ServerError or NoAnswerError when reading the version fails on which the draft was
     *     based; nothing is changed then.
     */
    undo() {
        return this.#step(true);
    }

    /** Repeats the last step that was undone, as `undo` takes it back. */
    redo() {
        return this.#step(false);
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
        this.#steps.published(this.draft.template, sent);
        if (isEqual(this.draft.template, sent)) {
            this.#take(null);
            await this.saved();
        }
        if (!this.draft) return;
        const {template: baseTemplate, etag} = await this.fetchTemplate(versionNumber);
        if (!this.draft) return;
        this.#take({template: mergeTrees(sent, this.draft.template, baseTemplate),
            base: versionNumber, baseTemplate, etag, changes: null});
    }

    /** Sends a refused draft again. */
    retry() {
        this.#refused = null;
        this.#save();
    }

    /**
     * Saves the draft with another token of the user: the server stores drafts by token, so it
     * lacks this one.
     */
    sendDraft() {
        this.#tokens += 1;
        this.#saved = null;
        this.#unanswered = new UnansweredSaves();
        this.#keep();
        this.#save();
    }

    /** Resolves when no save is running. */
    async saved() {
        while (this.#saving) await this.#saving;
    }

    /**
     * Updates `newestVersion`, and adopts a draft that was changed elsewhere; dispatches `change`
     * only if something differs.
     */
    async checkNewest() {
        const newest = await readNewest(this.project);
        if (newest?.versionNumber !== this.newestVersion?.versionNumber) {
            this.newestVersion = newest;
            this.#changed();
        }
        await this.#follow();
    }

    /**
     * What the pages show.
     *
     * @returns {ShownDraft}
     */
    get #shown() {
        return {template: this.template, base: this.draft?.base ?? null,
            version: this.versionNumber};
    }

    /** @param {boolean} isUndo */
    #nextStep(isUndo) {
        return this.isPublishing ? null : this.#steps.next(isUndo, this.#shown);
    }

    /**
     * Edits the draft, and records that as a step.
     *
     * @param {string | undefined} name
     * @param {() => void} edit
     */
    #record(name, edit) {
        const {draft} = this;
        const {template, base} = this.#shown;
        edit();
        // Without a draft, the pages may show a later version than that of the draft.
        this.#steps.record({template, base}, {base: this.draft?.base ?? null,
            template: this.draft?.template ?? draft?.baseTemplate ?? this.published}, name);
    }

    /** @param {boolean} isUndo */
    #step(isUndo) {
        const step = () => this.#stepOnce(isUndo);
        this.#stepping = this.#stepping.then(step, step);
        return this.#stepping;
    }

    /**
     * @param {boolean} isUndo
     * @returns {Promise<?{name: string, kept: TreePath[]}>}
     */
    async #stepOnce(isUndo) {
        const next = this.#nextStep(isUndo);
        if (!next) return null;
        const shown = this.#shown;
        const current = {base: this.versionNumber, baseTemplate: this.published, etag: this.etag};
        const over = next.isOtherBase ? await this.#baseOf(next.base ?? '0') ?? current
            : this.draft ?? current;
        // The draft was changed meanwhile.
        if (shown.template !== this.template) return this.#stepOnce(isUndo);
        const {template, kept} = templateAfter(
            next.from, next.to, this.draft ? this.draft.template : over.baseTemplate);
        const {base, baseTemplate, etag} = over;
        this.#take({template, base, baseTemplate, etag, changes: null}, [], kept);
        this.#steps.took(next, this.draft ? base : null);
        this.#changed();
        return {name: next.name, kept};
    }

    /**
     * A version on which a draft can be based; null if the server no longer keeps it.
     *
     * @param {string} base
     */
    async #baseOf(base) {
        if (base === '0') return {base, baseTemplate: {}, etag: etagOf(this.project, base)};
        try {
            const {template, etag} = await this.fetchTemplate(base);
            return {base, baseTemplate: template, etag};
        } catch (error) {
            if (isMissing(error)) return null;
            throw error;
        }
    }

    /** True while the draft, or its absence, differs from the server's, or may differ. */
    get #isDirty() {
        return this.#unanswered.isAny || this.draft?.template !== this.#saved?.template
            || this.draft?.base !== this.#saved?.base;
    }

    /**
     * Sets the draft and saves it; ends a draft that equals its base.
     *
     * @param {?Draft} draft
     * @param {TreePath[]} [overwritten]
     * @param {TreePath[]} [left]
     */
    #take(draft, overwritten = [], left = []) {
        this.draft = draft && !isEqual(draft.template, draft.baseTemplate) ? draft : null;
        this.overwritten = overwritten;
        this.left = left;
        this.#keep();
        this.#changed();
        this.#save();
    }

    /** Stores unsaved edits in the tab, so that they survive a reload of the page. */
    #keep() {
        this.isKeptInTab = true;
        if (!this.#isDirty) this.#mirror.clear();
        else if (!this.#isStopped) {
            const copy = {saved: this.#saved,
                draft: this.draft && {template: this.draft.template, base: this.draft.base}};
            const whole = {...copy, unanswered: this.#unanswered.list};
            if (this.#mirror.write(whole)) return;
            this.#steps.yield();
            this.isKeptInTab = this.#mirror.write(whole) || this.#mirror.write(copy);
        }
    }

    /** Restores the edits of this tab that were unsaved when the page was reloaded. */
    async #restore() {
        const kept = this.#isDirty ? null : this.#mirror.read();
        if (!kept) return;
        const theirs = this.#saved;
        const isSame = kept.saved?.tag === theirs?.tag
            || new UnansweredSaves(kept.unanswered).has(theirs);
        if (!kept.draft) {
            // Discarded here; anything saved elsewhere since stays.
            if (isSame) this.#take(null);
            else this.#mirror.clear();
            return;
        }
        const mine = await this.#draftOf(kept.draft.base, kept.draft.template);
        if (isSame || !theirs) {
            this.#take(mine);
            return;
        }
        /** @type {TreePath[]} */
        const conflicts = [];
        const template = mergeTrees(kept.saved?.template ?? mine.baseTemplate, mine.template,
            theirs.template, [], conflicts);
        const base = Number(mine.base) > Number(theirs.base) ? mine.base : theirs.base;
        this.#take(await this.#draftOf(base, template), conflicts);
    }

    /**
     * The version that the pages show, as `fetchTemplate` returns it.
     *
     * @returns {PublishedVersion}
     */
    get #current() {
        return {template: this.published, version: this.version, etag: this.etag};
    }

    /**
     * A draft of a template over a version; `told` are its changes as the server reports them.
     *
     * @param {string} base
     * @param {Template} template
     * @param {ToldChanges} told
     * @returns {Promise<Draft>}
     */
    async #draftOf(base, template, told = {changes: null}, current = this.#current) {
        return {template, base, baseTemplate: await this.#templateOfBase(base, current),
            etag: etagOf(this.project, base), ...told};
    }

    /**
     * Reads the server's draft: `{draft, saved}`, both null without one; null when it has the known
     * tag.
     *
     * @param {string} [knownTag]
     * @param {PublishedVersion} [current]
     * @returns {Promise<?{draft: ?Draft, saved: ?SavedDraft}>}
     */
    async #fetchDraft(knownTag, current) {
        const found = await readDraft(this.project, knownTag);
        if (found === undefined) return null;
        if (!found) return {draft: null, saved: null};
        const {template, base, tag, told} = found;
        return {saved: {template, base, tag},
            draft: await this.#draftOf(base, template, told, current)};
    }

    /**
     * Reads the server's draft. Returns a function that adopts it, unless there were edits or saves
     * meanwhile, which can make the response older than the tab's state; that function returns true
     * if the draft differs.
     */
    async #readDraft(current = this.#current) {
        const nothing = () => false;
        if (!this.#mayEdit) return nothing;
        const [draft, saved, tokens] = [this.draft, this.#saved, this.#tokens];
        const found = await this.#fetchDraft(saved?.tag, current);
        return () => {
            if (!found || this.#saving || this.#isDirty) return false;
            if (this.draft !== draft || this.#saved !== saved) return false;
            if (this.#tokens !== tokens) return false;
            const isOther = Boolean(this.#saved) || Boolean(found.saved);
            this.draft = found.draft;
            this.#saved = found.saved;
            return isOther;
        };
    }

    /**
     * Adopts a draft that another tab or browser has saved. Not while a dialog is open: its form
     * began with this tab's draft, and merges with the other draft when it is saved.
     */
    async #follow() {
        if (this.#isClosed || this.#saving) return;
        if (this.#isDirty) {
            if (!this.isRefused) this.#save();
            return;
        }
        if (this.#hasDialog()) return;
        const before = this.draft;
        const take = await this.#readDraft();
        if (!take()) return;
        try {
            // The draft may have ended because it was published elsewhere.
            if (before && !this.draft) await this.load();
        } finally {
            this.#steps.follow(this.#shown);
            this.#changed();
        }
    }

    /** Saves until the server has the current draft; one save runs at a time. */
    #save() {
        clearTimeout(this.#timer);
        if (this.#saving || this.#isStopped) return;
        this.#saving = this.#saveAll().finally(() => {
            this.#saving = null;
            this.#keep();
            this.#closeChannel();
            this.#changed();
        });
    }

    /** Never rejects: `saveProblem` contains the failure. */
    async #saveAll() {
        while (this.#isDirty && !this.#isStopped) {
            const {draft} = this;
            const tokens = this.#tokens;
            try {
                await this.#saveOrMerge();
            } catch (error) {
                const isRefused = error instanceof ServerError && error.status < 500
                    && ![401, 412, 429].includes(error.status);
                // The refusal concerns an earlier draft, or another token.
                if (isRefused && (this.draft !== draft || this.#tokens !== tokens)) continue;
                this.saveProblem = error.message;
                if (isRefused) this.#refused = {draft};
                else if (!this.#isStopped) {
                    this.#timer = setTimeout(() => this.#save(), pause);
                }
                return;
            }
        }
        // Nothing is left to save, or a merge resulted in the server's draft.
        if (!this.#isDirty) this.saveProblem = null;
    }

    /** Saves; if another tab or browser has saved meanwhile, merges with that instead. */
    async #saveOrMerge() {
        try {
            await this.#saveOnce();
        } catch (error) {
            if (!(error instanceof ServerError) || error.status !== 412) throw error;
            await this.#mergeWithSaved();
            return;
        }
        this.saveProblem = null;
        this.#channel?.postMessage({project: this.project, user: this.user});
    }

    async #saveOnce() {
        const {draft} = this;
        const tokens = this.#tokens;
        if (!draft && !this.#saved) {
            // A save without a response may have created a draft, which must be deleted.
            await this.#mergeWithSaved();
            return;
        }
        if (!draft) {
            if (this.#saved) await deleteDraft(this.project, this.#saved.tag);
            if (this.#tokens !== tokens) return;
            this.#saved = null;
            this.#unanswered = new UnansweredSaves();
            return;
        }
        const {body, etag} = await this.#send(draft);
        if (this.#tokens !== tokens) return;
        this.#unanswered = new UnansweredSaves();
        this.#saved = {template: draft.template, base: draft.base, tag: etag};
        if (this.draft !== draft) return;
        const isSame = body.changes && !differenceCount(body.changes);
        this.draft = isSame ? null : {...draft, ...toldChanges(body)};
    }

    /** @param {SentDraft} draft */
    async #send(draft) {
        const tokens = this.#tokens;
        try {
            return await storeDraft(this.project, draft, this.patched);
        } catch (error) {
            const isUnanswered = !(error instanceof ServerError) || error.status >= 500;
            if (isUnanswered && this.#tokens === tokens) this.#unanswered.add(draft);
            throw error;
        }
    }

    /**
     * Merges this tab's edits with the draft that was saved elsewhere meanwhile. Keeps a draft that
     * one side discarded and the other edited. The server's draft can be one that this tab has
     * sent; its edits then continue from there.
     */
    async #mergeWithSaved() {
        const before = this.#saved;
        const tokens = this.#tokens;
        const {draft: theirs, saved} = await this.#fetchDraft() ?? {draft: null, saved: null};
        if (this.#tokens !== tokens) return;
        // No `await` from here on, so that no edit is lost in between.
        const mine = this.draft;
        const isOwn = this.#unanswered.has(saved);
        this.#unanswered = new UnansweredSaves();
        this.#saved = saved;
        if (isOwn) return;
        if (theirs && !mine) this.draft = theirs;
        if (theirs && mine) {
            /** @type {TreePath[]} */
            const conflicts = [];
            const template = mergeTrees(before?.template ?? mine.baseTemplate, mine.template,
                theirs.template, [], conflicts);
            const {base, baseTemplate, etag, isBaseGone} = Number(mine.base) > Number(theirs.base)
                ? mine : theirs;
            const isTheirs = template === theirs.template && base === theirs.base;
            this.draft = {template, base, baseTemplate, etag,
                changes: isTheirs ? theirs.changes : null, isBaseGone};
            this.overwritten = conflicts;
        }
        this.#changed();
    }

    /**
     * Template of a draft's base version; the current one if the server has deleted the base.
     *
     * @param {string} base
     * @param {PublishedVersion} current
     */
    async #templateOfBase(base, current) {
        if (base === '0') return {};
        if (base === this.draft?.base) return this.draft.baseTemplate;
        if (base === (current.version?.versionNumber ?? '0')) return current.template;
        try {
            return (await this.fetchTemplate(base)).template;
        } catch (error) {
            if (isMissing(error)) return current.template;
            throw error;
        }
    }

    #changed() {
        this.#tell('change');
    }

    /** @param {string} name */
    #tell(name) {
        afterPress(() => {
            if (!this.#isClosed) this.dispatchEvent(new Event(name));
        });
    }
}
