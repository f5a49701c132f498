/**
 * The steps of a user's draft of a project, kept in the tab over a reload.
 */

import {jsonText, storedObject} from '../json/json-text.js';
import {isEqual} from '../json/json.js';
import {ownKey} from '../storage/stored-data.js';
import {afterPublish, nextStep, noHistory, recorded, withinBudget} from './draft-history.js';
import {areContained, isContained, isDiscarded} from './ended-draft.js';
import {stepBetween} from './draft-step.js';
import {nameOfStep} from './step-name.js';

/** Name of the step that discards a draft. */
export const discardName = 'discard the draft';

/** The steps that one user can undo and redo in a project. */
export class DraftSteps {
    #key;
    /** @type {DraftHistory} */
    #history = noHistory;
    /**
     * Base of the draft when it was last seen; null without one.
     *
     * @type {?string}
     */
    #base = null;
    /**
     * Number of the version that was shown when the draft was last seen; null if it is unknown.
     *
     * @type {?string}
     */
    #version = null;
    #isStopped = false;
    /**
     * The last results of `next`, by whether they undo.
     *
     * @type {Map<boolean, {history: DraftHistory, shown: ShownDraft, next: ?NextStep}>}
     */
    #found = new Map();

    /**
     * @param {string} user
     * @param {string} project
     */
    constructor(user, project) {
        this.#key = ownKey('steps', {user, project});
        this.#read();
    }

    /** Number of the version that was shown with the stored steps; null without any. */
    get version() {
        const {done, undone} = this.#history;
        return done.length || undone.length ? this.#version ?? this.#base : null;
    }

    /** Names of the steps that can be undone, the last one first. */
    get names() {
        return this.#history.done.map(({name}) => name).reverse();
    }

    /** Forgets the steps. */
    forget() {
        this.#set(noHistory, null);
    }

    /**
     * Adds the step between two states of the draft.
     *
     * @param {ShownDraft} before
     * @param {DraftState} after
     * @param {string} [name] Its name; by default, by what changed.
     */
    record(before, after, name) {
        this.#version = before.version;
        this.#set(recorded(this.#history,
            stepBetween(before, after, name === undefined ? nameOfStep : () => name)), after.base);
    }

    /**
     * Adds a step of what a merge replaced, so that undo brings it back.
     *
     * @param {Template} replaced The merge in which the other side wins.
     * @param {ShownDraft} merged
     */
    merged(replaced, merged) {
        this.record({...merged, template: replaced}, merged);
    }

    /**
     * The step that is undone or redone next; null if there is none.
     *
     * @param {boolean} isUndo
     * @param {ShownDraft} shown The draft as it is.
     */
    next(isUndo, shown) {
        const last = this.#found.get(isUndo);
        if (last && last.history === this.#history && last.shown.template === shown.template
            && last.shown.base === shown.base && last.shown.version === shown.version) {
            return last.next;
        }
        const next = nextStep(this.#history, isUndo, shown);
        this.#found.set(isUndo, {history: this.#history, shown, next});
        return next;
    }

    /**
     * Notes that a step was undone or redone.
     *
     * @param {NextStep} next
     * @param {?string} base Base of the draft since; null without one.
     */
    took(next, base) {
        this.#set(next.history, base);
    }

    /**
     * Notes that the draft was published.
     *
     * @param {Template} template Template of the draft as it is.
     * @param {Template} sent Template that was published.
     */
    published(template, sent) {
        // Without later edits, it ends here.
        this.#set(afterPublish(this.#history, template, sent),
            isEqual(template, sent) ? null : this.#base);
    }

    /**
     * Notes that a draft which was discarded here had ended elsewhere: `follow` finds out whether
     * it was published.
     *
     * @param {string} base Version on which it was based.
     */
    endedElsewhere(base) {
        this.#set(this.#history, base);
    }

    /**
     * Follows changes from elsewhere. The steps of a draft end with it if the current version has
     * what they changed: they would undo what is published. Another draft was discarded, which is
     * a step, too.
     *
     * @param {ShownDraft} shown
     * @param {?EndedDraft} last The last draft; null if it is unknown.
     * @returns {boolean} True if the draft has ended elsewhere.
     */
    follow(shown, last) {
        const {base, version, template} = shown;
        const isEnded = this.#base !== null && base === null;
        const isOther = base !== this.#base || version !== this.#version;
        // Over the same version, another tab may have undone it.
        const isOverOther = isEnded && version !== this.#base;
        const isPublished = isOverOther && (last
            ? isContained(last, template) : areContained(this.#history, template));
        this.#version = version;
        if (isPublished) this.#set(noHistory, base);
        else if (isOverOther && last && !isDiscarded(this.#history)) {
            this.record({...last, version}, {template: last.baseTemplate, base}, discardName);
        } else if (isOther) this.#set(this.#history, base);
        return isEnded;
    }

    /** Leaves the steps in the storage as they are, also when their user is forgotten there. */
    stop() {
        this.#isStopped = true;
    }

    /** Gives up the place in the tab's storage, which an unsaved draft needs. */
    yield() {
        sessionStorage.removeItem(this.#key);
    }

    /**
     * @param {DraftHistory} history
     * @param {?string} base
     */
    #set(history, base) {
        this.#history = history;
        this.#base = base;
        if (this.#isStopped) return;
        const {done, undone} = withinBudget(history, {isStored: true});
        if (!done.length && !undone.length) {
            this.yield();
            return;
        }
        try {
            sessionStorage.setItem(this.#key, jsonText(
                {done, undone, base, version: this.#version}));
        } catch {
            // No space: the steps end with the page.
            this.yield();
        }
    }

    #read() {
        const {done, undone, base = null, version = null} = storedObject(
            sessionStorage.getItem(this.#key));
        if (!Array.isArray(done) || !Array.isArray(undone)) return;
        this.#history = {done, undone};
        this.#base = base;
        this.#version = version;
    }
}
