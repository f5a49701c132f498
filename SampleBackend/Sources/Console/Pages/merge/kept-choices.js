/**
 * The choices of a merge, stored in the tab until the draft is merged, so that they survive a
 * reload.
 */

import {ownKey} from '../storage/stored-data.js';
import {ConflictChoices} from './conflict-choices.js';

/** Chosen sides for the conflicts of one draft. */
export class KeptChoices extends ConflictChoices {
    #key;
    #base;

    /**
     * `base` is the version on which the draft is based; the choices apply to that draft only.
     *
     * @param {{user: string, project: string}} owner
     * @param {string} [base]
     */
    constructor(owner, base) {
        const key = ownKey('merge', owner);
        super(storedChoices(key, base));
        this.#key = key;
        this.#base = base;
    }

    /**
     * @param {MergeItem} item
     * @param {string} side
     */
    choose(item, side) {
        super.choose(item, side);
        this.#keep();
    }

    /** @param {MergeItem[]} items */
    dropOutdated(items) {
        const outdated = super.dropOutdated(items);
        if (outdated.length) this.#keep();
        return outdated;
    }

    #keep() {
        try {
            sessionStorage.setItem(this.#key, JSON.stringify(
                {base: this.#base, choices: this.entries}));
        } catch {
            // If the storage is full, only the choices are not remembered.
        }
    }

    forget() {
        sessionStorage.removeItem(this.#key);
    }
}

/**
 * @param {string} key
 * @param {string} [base]
 * @returns {[string, {side: string, between: string}][]}
 */
function storedChoices(key, base) {
    try {
        const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null');
        return kept?.base === base ? [...new Map(kept.choices)] : [];
    } catch {
        // Nothing usable was stored.
        return [];
    }
}
