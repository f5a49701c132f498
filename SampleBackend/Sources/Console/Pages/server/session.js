/**
 * The console session: signing in and out, and the permissions of roles.
 */

import {member} from '../json/json.js';
import {call, receive, ServerError} from './api.js';

/** Notifies the browser's other tabs that a session began or ended: they share its cookie. */
const channel = new BroadcastChannel('activeconfig.session');

/** @type {Record<string, number>} */
const ranks = {evaluator: 0, viewer: 1, editor: 2, publisher: 3};

/**
 * Session of the browser's cookie; throws ServerError 401 without a valid one.
 *
 * @param {string[]} [paths] What the page gets next; the answers come with the session.
 * @returns {Promise<Session>}
 */
export async function currentSession(paths = []) {
    const query = new URLSearchParams(paths.map((path) => ['get', path]));
    const {body} = await call('GET', `/console/session${paths.length ? `?${query}` : ''}`);
    if (!body) throw new ServerError(401, {error: {message: 'Nobody is signed in.'}});
    const {answers = [], ...session} = body;
    receive(answers);
    return session;
}

/**
 * Starts a session with an administrator's token; the server sets the cookie.
 *
 * @param {string} token
 * @returns {Promise<Session>}
 */
export async function signIn(token) {
    const session = (await call('POST', '/console/session', {body: {token}})).body;
    announceSession();
    return session;
}

/**
 * OpenID provider at which people sign in, and why the last sign-in in this browser failed; null
 * without a provider.
 *
 * @returns {Promise<?{issuer: string, origin: string, failure?: string}>}
 */
export async function openIDProvider() {
    return (await call('GET', '/console/openid')).body;
}

/** Notifies the browser's other tabs that a session began. */
export function announceSession() {
    channel.postMessage('began');
}

/**
 * Calls a handler after a session began or ended in another tab; the argument is true for the end.
 *
 * @param {(isEnded: boolean) => void} handler
 */
export function onSessionElsewhere(handler) {
    channel.addEventListener('message', ({data}) => handler(data === 'ended'));
}

/**
 * Ends the session; the server deletes the cookie.
 *
 * @returns {Promise<?string>} Address that ends the session at the OpenID provider, too, if any.
 */
export async function signOut() {
    const {body} = await call('DELETE', '/console/session');
    channel.postMessage('ended');
    return body?.endSession ?? null;
}

/**
 * The session as it counts in a project: with the role there, and read-only if it is archived.
 *
 * @param {Session} session
 * @param {Pick<Project, 'name' | 'archived'>} project
 * @returns {Session}
 */
export function sessionIn(session, {name, archived = false}) {
    return {...session, role: member(session.projects, name) ?? session.role, isReadOnly: archived};
}

/**
 * Checks the role of a session.
 *
 * @param {Pick<Session, 'role' | 'isReadOnly'>} session The session.
 * @param {string} role Lowest role that is allowed.
 * @returns {?string} The reason for a refusal, as a sentence; null when allowed.
 */
export function refusal(session, role) {
    if (session.isReadOnly && role !== 'viewer') {
        return 'This project is archived: it can be read, but not changed.';
    }
    return (ranks[session.role] ?? -1) >= ranks[role]
        ? null : `Your role is ${session.role}. This needs the role ${role}.`;
}

/**
 * Checks that a session may change what belongs to no project, such as tokens, or create projects.
 *
 * @param {Session} session
 * @returns {?string} The reason for a refusal, as a sentence; null when allowed.
 */
export function serverRefusal(session) {
    if (session.projects) {
        return 'Your token is limited to some projects. This needs a token for all projects.';
    }
    return refusal({role: session.role}, 'publisher');
}
