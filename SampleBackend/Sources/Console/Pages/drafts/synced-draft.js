/**
 * A tab's draft of a project, kept the same as the server's: `draft-sync.js` decides what happens,
 * and this carries it out.
 *
 * The server keeps the draft. Edits are saved in the background; until then, the tab stores them,
 * too. Tabs notify each other of saved drafts. A save never overwrites what another tab or browser
 * has saved: both are merged first.
 */

import {afterPress} from '../input/press.js';
import {readNewest, readVersion} from '../server/versions.js';
import {choiceInput} from './choice-input.js';
import {DraftMirror} from './draft-mirror.js';
import {draftOn, readServerDraft, templateOfVersion} from './draft-reading.js';
import {DraftSaver} from './draft-saver.js';
import {initialState, isUnsaved, mirrorOf, restored, shownBy, versionNumberOf}
    from './draft-state.js';
import {DraftSteps} from './draft-steps.js';
import {afterEvent} from './draft-sync.js';
import {isReplaced} from './replaced-project.js';

const hasOpenDialog = () => document.querySelector('dialog[open]') !== null;

/** The draft of one tab, and all that the tab knows of its project. */
export class SyncedDraft {
    /** False while the tab's storage has no space for the unsaved edits. */
    isKeptInTab = true;
    /** The steps that can be undone and redone. */
    steps;
    #state = initialState;
    #options;
    #mirror;
    #saver;
    /** Numbers of the last `load`, and of the last whose response is shown. */
    #loads = {started: 0, shown: 0};
    #isClosed = false;
    /** @type {?BroadcastChannel} */
    #channel = null;
    /** @type {?EndedDraft} */
    #last = null;

    /** @param {SyncOptions} options */
    constructor(options) {
        this.#options = {hasDialog: hasOpenDialog, ...options};
        const {project, user} = options;
        this.project = project;
        this.user = user;
        this.#mirror = new DraftMirror(user, project);
        this.steps = new DraftSteps(user, project);
        this.#saver = new DraftSaver(this, (event) => this.send(event));
        this.open();
    }

    /** What the tab knows; `send` changes it. */
    get state() {
        return this.#state;
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
        this.send({type: 'stop'});
        this.steps.stop();
        this.close();
    }

    /** A closed workspace still notifies other tabs of a pending save. */
    #closeChannel() {
        if (this.state.phase !== 'stopped' && (!this.#isClosed || isUnsaved(this.state))) return;
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
        const current = await readVersion(this.project);
        const seen = this.state;
        // Both are read before either is shown, so that a failure shows neither.
        const found = this.#options.mayEdit ? await readServerDraft(
            this.project, seen.saved?.tag, {draft: seen.draft, current}) : null;
        const isOther = await this.#isReplacedBy(current);
        // An older response never replaces a newer one.
        if (!isWanted() || load < this.#loads.shown) return;
        this.#loads.shown = load;
        const before = versionNumberOf(this.state);
        if (isOther) this.#drop(current, found);
        else this.send({type: 'loaded', current, found, seen});
        try {
            await this.#restore();
        } finally {
            this.#followEnd();
            this.#dispatch('change');
            if (versionNumberOf(this.state) !== before) this.#dispatch('versionchange');
        }
        this.#options.loaded();
    }

    /**
     * True if the tab has something of a deleted project, and another one has its name.
     *
     * @param {PublishedVersion} current The current version.
     */
    async #isReplacedBy(current) {
        const {state} = this;
        const isOpen = this.#loads.shown > 0 && Boolean(state.draft || isUnsaved(state));
        const kept = isOpen ? null : this.#mirror.read();
        const known = isOpen ? versionNumberOf(state)
            : kept ? kept.version ?? kept.draft?.base ?? null : this.steps.version;
        return known !== null && isReplaced(this.project, known, current);
    }

    /**
     * Forgets what the tab has of a deleted project.
     *
     * @param {PublishedVersion} current
     * @param {?FoundDraft} found
     */
    #drop(current, found) {
        const {names} = this.steps;
        const hasDraft = this.state.draft || this.#mirror.read()?.draft;
        const dropped = hasDraft && !names.length ? ['a draft'] : names;
        this.#mirror.clear();
        this.steps.forget();
        this.send({type: 'replaced', current, found, dropped});
    }

    /** Restores the edits of this tab that were unsaved when the page was reloaded. */
    async #restore() {
        const kept = isUnsaved(this.state) ? null : this.#mirror.read();
        if (!kept) return;
        const base = kept.draft
            ? await this.templateOf(kept.draft.base) ?? this.state.current.template : {};
        const mine = restored(kept, this.state.saved, base);
        if (mine === undefined) this.#mirror.clear();
        else if (!mine) this.send({type: 'edit', draft: null});
        else {
            const draft = await draftOn(this.project, mine, this.state);
            this.send({type: 'edit', draft, overwritten: mine.conflicts, replaced: mine.replaced});
            if (mine.replaced) this.steps.merged(mine.replaced, shownBy(this.state));
        }
    }

    /**
     * Template of a version; null if the server no longer keeps it.
     *
     * @param {string} base
     */
    templateOf(base) {
        return templateOfVersion(this.project, base, this.state);
    }

    /**
     * Saves the draft with another token of the user: the server stores drafts by token, so it
     * lacks this one.
     */
    renew() {
        this.send({type: 'renew'});
    }

    /** Resolves when no save is running. */
    saved() {
        return this.#saver.saved();
    }

    /**
     * Updates `newestVersion`, and adopts a draft that was changed elsewhere; dispatches `change`
     * only if something differs.
     */
    async checkNewest() {
        this.send({type: 'newest', version: await readNewest(this.project)});
        await this.#follow();
    }

    /**
     * Adopts a draft that another tab or browser has saved. Not while a dialog is open: its form
     * began with this tab's draft, and merges with the other draft when it is saved.
     */
    async #follow() {
        if (this.#isClosed) return;
        await this.send({type: 'check', hasDialog: this.#options.hasDialog()});
    }

    /**
     * Changes the state by an event, and carries out the effects.
     *
     * @param {SyncEvent} event
     * @returns {Promise<unknown>} Ends when what the event asks for is read; rejects if that fails.
     */
    send(event) {
        const {saved, draft} = this.state;
        if (event.type === 'deleted' && event.isGone && saved && !draft) {
            this.steps.endedElsewhere(saved.base);
        }
        if (draft) this.#last = {...shownBy(this.state), baseTemplate: draft.baseTemplate};
        const {state, effects} = afterEvent(this.state, event);
        this.#state = state;
        if (event.type === 'found' && !draft && state.draft) choiceInput(this).forget();
        if (state.phase !== 'waiting') this.#saver.stopWaiting();
        const reading = effects.map((effect) => this.#carryOut(effect));
        this.#closeChannel();
        return Promise.all(reading);
    }

    /** @param {SyncEffect} effect */
    #carryOut(effect) {
        switch (effect.type) {
        case 'keep': return this.keep();
        case 'change': return this.#dispatch('change');
        case 'notify': return this.#channel?.postMessage({project: this.project, user: this.user});
        case 'record': return this.steps.merged(effect.replaced, shownBy(this.state));
        case 'look': return this.#look(effect.tag);
        case 'load': return this.load();
        default: return this.#saver.carryOut(effect);
        }
    }

    /**
     * Reads the server's draft, and adopts it unless there were edits or saves meanwhile, which can
     * make the response older than the tab's state.
     *
     * @param {string | undefined} tag Tag of the draft that is known.
     */
    async #look(tag) {
        if (!this.#options.mayEdit) return;
        const seen = this.state;
        const found = await readServerDraft(this.project, tag, seen);
        // Not after a failure: then it is unknown whether the draft ended by a publish.
        await this.send({type: 'found', found, seen});
        this.#followEnd();
    }

    /** Lets the steps follow the draft. */
    #followEnd() {
        if (this.steps.follow(shownBy(this.state), this.#last)) this.#dispatch('ended');
    }

    /**
     * Stores unsaved edits in the tab, so that they survive a reload of the page.
     *
     * @param {boolean} [isWhole] True to store also a draft that the server has.
     */
    keep(isWhole) {
        const copy = mirrorOf(this.state, isWhole);
        this.isKeptInTab = (copy !== null && this.state.phase === 'stopped')
            || this.#mirror.keep(copy, () => this.steps.yield());
    }

    /** @param {string} name */
    #dispatch(name) {
        afterPress(() => {
            if (!this.#isClosed) this.#options.dispatch(name);
        });
    }
}
