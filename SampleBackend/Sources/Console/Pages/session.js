/**
 * The console session: signing in and out, and the permissions of roles.
 */

import {call, setCSRFToken} from './api.js';

const ranks = {viewer: 0, editor: 1, publisher: 2};

/** Keeps the CSRF token of a session response, and returns the session. */
function begin({body}) {
    setCSRFToken(body.csrfToken);
    return {name: body.name, role: body.role};
}

/** Session of the browser's cookie; throws ServerError 401 without a valid one. */
export async function currentSession() {
    return begin(await call('GET', '/console/session'));
}

/** Starts a session with an administrator's token; the server sets the cookie. */
export async function signIn(token) {
    return begin(await call('POST', '/console/session', {body: {token}}));
}

/** Ends the session; the server deletes the cookie. */
export async function signOut() {
    await call('DELETE', '/console/session');
    setCSRFToken('');
}

/**
 * Takes the token of a link `/console/#token=…`, and removes it from the address and from the tab's
 * history.
 *
 * @returns {?string} The token; null when the address has none.
 */
export function takeTokenOfLink() {
    const match = /^#token=(.+)$/.exec(location.hash);
    if (!match) return null;
    history.replaceState(null, '', location.pathname);
    try {
        return decodeURIComponent(match[1]);
    } catch {
        return match[1];
    }
}

/**
 * Checks the role of a session.
 *
 * @param {{role: string}} session The session.
 * @param {string} role Lowest role that is allowed.
 * @returns {?string} The reason for a refusal, as a sentence; null when allowed.
 */
export function refusal(session, role) {
    return (ranks[session.role] ?? -1) >= ranks[role]
        ? null : `Your role is ${session.role}. This needs the role ${role}.`;
}
