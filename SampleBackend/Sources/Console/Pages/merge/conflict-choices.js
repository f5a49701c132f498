/**
 * The sides that were chosen for the conflicts of a merge.
 */

import {jsonText} from '../json/json-text.js';

/** Chosen sides by the conflict's path, with the sides between which they were chosen. */
export class ConflictChoices {
    /** @type {Map<string, {side: string, between: string}>} */
    #chosen;

    /** @param {[string, {side: string, between: string}][]} chosen As `entries` has them. */
    constructor(chosen = []) {
        this.#chosen = new Map(chosen);
    }

    get entries() {
        return [...this.#chosen];
    }

    /** Chosen sides by the conflict's path, as the server takes them. */
    get resolutions() {
        return Object.fromEntries(this.entries.map(([path, {side}]) => [path, side]));
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
        return outdated.map(({conflict}) => conflict);
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
