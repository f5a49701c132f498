/**
 * What becomes of the shown pages when another session begins.
 */

/**
 * What the pages become when a session begins: `renewed` for another session of their user, also
 * with another token; `reloaded` after another user's pages, which stops what that user started, so
 * that it does not run in another user's name; else `replaced`.
 *
 * @param {?Session} shown Session of the pages that were shown last; null if none were.
 * @param {boolean} hasPages True while they are shown.
 * @param {Session} session
 * @returns {'renewed' | 'reloaded' | 'replaced'}
 */
export function fateOfPages(shown, hasPages, session) {
    if (hasPages && session.name === shown?.name && session.role === shown.role) return 'renewed';
    // Sessions of a token share a CSRF token.
    return shown !== null && shown.csrfToken !== session.csrfToken ? 'reloaded' : 'replaced';
}
