/**
 * Drafts that were sent without receiving a response: the server may have any of them.
 */

import {fingerprint} from '../json/fingerprint.js';

/** Maximum number of saves that are kept: each of them may be the one that arrived. */
const limit = 1000;

/** The saves with unknown outcome, each `{fingerprint, base}`: whole templates take too much. */
export class UnansweredSaves {
    /** @type {UnansweredSave[]} */
    #sent;

    /** @param {UnansweredSave[]} sent Saves from before the page was loaded. */
    constructor(sent = []) {
        this.#sent = sent;
    }

    /** The saves, for the tab's storage. */
    get list() {
        return this.#sent;
    }

    /**
     * Adds a save; a retried save counts once.
     *
     * @param {SentDraft} sentDraft
     */
    add(sentDraft) {
        if (this.has(sentDraft)) return;
        this.#sent = [...this.#sent,
            {fingerprint: fingerprint(sentDraft.template), base: sentDraft.base}].slice(-limit);
    }

    /**
     * True if the server's draft is one of them.
     *
     * @param {?SentDraft} [saved]
     */
    has(saved) {
        if (!saved || !this.#sent.length) return false;
        const wanted = fingerprint(saved.template);
        return this.#sent.some((sent) => sent.base === saved.base && sent.fingerprint === wanted);
    }
}
