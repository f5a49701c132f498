/**
 * The last choices in the command palette, kept in the browser for each user and project until
 * the user signs out.
 */

import {ownKey} from '../storage/stored-data.js';

/** Maximum number of kept choices. */
const maximumCount = 10;

/** @typedef {{user: string, project: string}} Owner Who chose; the project is "" for none. */

const keyOf = (/** @type {Owner} */ owner) => ownKey('palette', owner);

/**
 * IDs of the last choices, the newest first.
 *
 * @param {Owner} owner
 * @returns {string[]}
 */
export function recentChoices(owner) {
    try {
        const kept = JSON.parse(localStorage.getItem(keyOf(owner)) ?? '[]');
        return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
    } catch {
        // Nothing usable was stored.
        return [];
    }
}

/**
 * Makes a choice the newest.
 *
 * @param {Owner} owner
 * @param {string} id
 */
export function noteChoice(owner, id) {
    const ids = [id, ...recentChoices(owner).filter((other) => other !== id)];
    try {
        localStorage.setItem(keyOf(owner), JSON.stringify(ids.slice(0, maximumCount)));
    } catch {
        // If the storage is full, only the choice is not remembered.
    }
}
