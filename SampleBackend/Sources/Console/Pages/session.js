/**
 * Who is signed in, and what they may do.
 */

import {call, setCSRFToken} from './api.js';

const ranks = {viewer: 0, editor: 1, publisher: 2};

/** Keeps the token for changes, and gives the session on. */
function begin({body}) {
    setCSRFToken(body.csrfToken);
    return {name: body.name, role: body.role};
}

/** The session that the browser's cookie stands for. */
export async function currentSession() {
    return begin(await call('GET', '/console/session'));
}

/** Signs in with a token. */
export async function signIn(token) {
    return begin(await call('POST', '/console/session', {body: {token}}));
}

/** Signs out; the browser forgets the session. */
export async function signOut() {
    await call('DELETE', '/console/session');
    setCSRFToken('');
}

/**
 * Takes the token out of a link `/console/#token=…`, and out of the address and the history.
 *
 * @returns {?string} The token, if the link has one.
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
 * Why a session may not do something.
 *
 * @param {{role: string}} session The session.
 * @param {string} role The least role that may.
 * @returns {?string} A sentence, or null when it may.
 */
export function refusal(session, role) {
    return (ranks[session.role] ?? -1) >= ranks[role]
        ? null : `Your role is ${session.role}. This needs the role ${role}.`;
}
