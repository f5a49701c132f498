/**
 * Drafts that were sent without receiving a response: the server may have any of them.
 */

import {isEqual} from '../json/json.js';

/** The saves with unknown outcome, each `{template, base}`. */
export class UnansweredSaves {
    /** @type {SentDraft[]} */
    #sent;

    /** @param {SentDraft[]} sent Saves from before the page was loaded. */
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
    add({template, base}) {
        if (this.#sent.some((sent) => sent.template === template && sent.base === base)) return;
        this.#sent = [...this.#sent, {template, base}];
    }

    /**
     * True if the server's draft is one of them.
     *
     * @param {?SentDraft} [saved]
     */
    has(saved) {
        return this.#sent.some(({template, base}) => base === saved?.base
            && isEqual(template, saved.template));
    }
}
