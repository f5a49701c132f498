/**
 * What becomes of the shown pages when another session begins.
 */

import {isEqual} from '../json/json.js';

/** Compares what the sessions of two tokens may do. */
function haveSameRights(/** @type {Session} */ left, /** @type {Session} */ right) {
    return left.role === right.role && isEqual(left.projects ?? null, right.projects ?? null);
}

/**
 * What the pages become when a session begins: `renewed` for another session of their user, also
 * with another token of the same rights; `reloaded` after pages of another user or other rights,
 * which stops what was started there, so that it does not run in another user's name; else
 * `replaced`.
 *
 * @param {?Session} shown Session of the pages that were shown last; null if none were.
 * @param {boolean} hasPages True while they are shown.
 * @param {Session} session
 * @returns {'renewed' | 'reloaded' | 'replaced'}
 */
export function fateOfPages(shown, hasPages, session) {
    if (hasPages && session.name === shown?.name && haveSameRights(session, shown)) {
        return 'renewed';
    }
    // Sessions of a token share a CSRF token.
    return shown !== null && shown.csrfToken !== session.csrfToken ? 'reloaded' : 'replaced';
}
