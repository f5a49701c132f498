/**
 * The choices of a merge, stored in the tab until the draft is merged, so that they survive a
 * reload.
 */

import {jsonText} from '../json/json-text.js';
import {ownKey} from '../storage/stored-data.js';

/** Chosen sides for the conflicts of one draft. */
export class KeptChoices {
    #key;
    #base;
    /**
     * Sides by the conflict's path, with the sides between which they were chosen.
     *
     * @type {Map<string, {side: string, between: string}>}
     */
    #chosen = new Map();

    /**
     * `base` is the version on which the draft is based; the choices apply to that draft only.
     *
     * @param {{user: string, project: string}} owner
     * @param {string} [base]
     */
    constructor(owner, base) {
        this.#key = ownKey('merge', owner);
        this.#base = base;
        try {
            const kept = JSON.parse(sessionStorage.getItem(this.#key) ?? 'null');
            if (kept?.base === base) this.#chosen = new Map(kept.choices);
        } catch {
            // Nothing usable was stored.
        }
    }

    /** Chosen sides by the conflict's path, as the server takes them. */
    get resolutions() {
        return Object.fromEntries([...this.#chosen].map(([path, {side}]) => [path, side]));
    }

    /**
     * Side that was chosen for a conflict as it is now.
     *
     * @param {MergeItem} item
     * @returns {string | undefined}
     */
    of(item) {
        const chosen = this.#chosen.get(item.conflict.path);
        return chosen?.between === sides(item) ? chosen.side : undefined;
    }

    /**
     * @param {MergeItem} item
     * @param {string} side
     */
    choose(item, side) {
        this.#chosen.set(item.conflict.path, {side, between: sides(item)});
        this.#keep();
    }

    /**
     * Removes the choices for conflicts that have other sides now, and returns these conflicts.
     *
     * @param {MergeItem[]} items
     */
    dropOutdated(items) {
        const outdated = items.filter((item) => (
            this.#chosen.has(item.conflict.path) && this.of(item) === undefined));
        for (const {conflict} of outdated) this.#chosen.delete(conflict.path);
        if (outdated.length) this.#keep();
        return outdated.map(({conflict}) => conflict);
    }

    #keep() {
        try {
            sessionStorage.setItem(this.#key, JSON.stringify(
                {base: this.#base, choices: [...this.#chosen]}));
        } catch {
            // If the storage is full, only the choices are not remembered.
        }
    }

    forget() {
        sessionStorage.removeItem(this.#key);
    }
}

/**
 * What one chooses between, equal for the same choice.
 *
 * @param {MergeItem} item
 */
function sides({conflict: {mine, theirs}, dependents}) {
    return jsonText([mine ?? null, theirs ?? null, dependents]);
}
