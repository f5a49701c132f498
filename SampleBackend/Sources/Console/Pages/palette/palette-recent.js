/**
 * The last choices in the command palette, kept in the browser for each project until the user
 * signs out.
 */

/** Maximum number of kept choices. */
const maximumCount = 10;

const keyOf = (/** @type {string} */ project) => `activeconfig.palette.${project}`;

/**
 * IDs of the last choices, the newest first.
 *
 * @param {string} project
 * @returns {string[]}
 */
export function recentChoices(project) {
    try {
        const kept = JSON.parse(localStorage.getItem(keyOf(project)) ?? '[]');
        return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
    } catch {
        // Nothing usable was stored.
        return [];
    }
}

/**
 * Makes a choice the newest.
 *
 * @param {string} project
 * @param {string} id
 */
export function noteChoice(project, id) {
    const ids = [id, ...recentChoices(project).filter((other) => other !== id)];
    try {
        localStorage.setItem(keyOf(project), JSON.stringify(ids.slice(0, maximumCount)));
    } catch {
        // If the storage is full, only the choice is not remembered.
    }
}
