/**
 * HTTP calls to the server. The browser sends the session cookie, which all tabs share; the CSRF
 * token identifies the session that this tab shows.
 */

import {released} from '../input/press.js';
import {jsonText, parseJSON} from '../json/json-text.js';

/** Error response of the server: its status, error code and details. */
export class ServerError extends Error {
    /**
     * `body` is the parsed response; null when it is empty or not JSON.
     *
     * @param {number} status
     * @param {?{error?: {message?: string, status?: string, details?: Problem[]}}} body
     */
    constructor(status, body) {
        const error = body?.error ?? {};
        super(error.message ?? `The server answered with status ${status}.`);
        this.status = status;
        this.code = error.status ?? '';
        this.details = Array.isArray(error.details) ? error.details : [];
    }
}

/** A call without a complete response: it is unknown whether the server executed it. */
export class NoAnswerError extends Error {
    constructor() {
        super('The server does not answer. Check the connection, and try again.');
    }
}

/** Milliseconds within which the server must start to respond. */
const patience = 30_000;

/** Milliseconds to start the response to a large request, or to send the rest of a response. */
const longPatience = 120_000;

/** Minimum length of a large request: whole templates take time to send and to check. */
const largeSize = 100_000;

/** Dispatches `restored` at the first response after a call without one. */
export const connection = new EventTarget();

let isConnected = true;

/** @param {boolean} isAnswered */
function noteConnection(isAnswered) {
    const isRestored = isAnswered && !isConnected;
    isConnected = isAnswered;
    if (isRestored) connection.dispatchEvent(new Event('restored'));
}

let csrfToken = '';
let onSignedOut = async () => false;
let onForbidden = () => {};

/**
 * Answers that came with the session, by path. Each replaces the next request of its path.
 *
 * @type {Map<string, Answer>}
 */
const received = new Map();

/** Milliseconds for which received answers are new enough. */
const receivedLifetime = 5000;

/**
 * Takes the answers that came with the session.
 *
 * @param {(Pick<Answer, 'status' | 'etag' | 'body'> & {path: string})[]} answers
 */
export function receive(answers) {
    received.clear();
    for (const {path, ...answer} of answers) received.set(path, {...answer, warning: null});
    if (answers.length) setTimeout(() => received.clear(), receivedLifetime);
}

/**
 * Sets the token that requests send as `X-CSRF-Token`: that of the user whose pages are shown. If
 * the cookie belongs to another user meanwhile, requests must not run in that user's name.
 *
 * @param {string} token
 */
export function setCSRFToken(token) {
    csrfToken = token;
}

/**
 * Sets the handler of a 401 outside `/console/`, which means that a session has ended. If the
 * handler's promise resolves to true, the same user has signed in again and the call is repeated.
 * Calls sent earlier keep the handler that was set then.
 *
 * @param {() => Promise<boolean>} handler
 */
export function setSignedOutHandler(handler) {
    onSignedOut = handler;
}

/**
 * Sets the handler of a 403: the role does not allow the call, or the browser's session belongs to
 * another token than the CSRF token.
 *
 * @param {() => void} handler
 */
export function setForbiddenHandler(handler) {
    onForbidden = handler;
}

/**
 * Sends a request and reads the response; aborts both when the server takes too long.
 *
 * @param {string} path
 * @param {RequestInit & {body?: string, limit?: number}} options `limit` is the time for both in
 *     milliseconds, instead of the default limits.
 * @returns {Promise<{response: Response, text: string}>}
 */
async function exchange(path, {signal, limit, ...options}) {
    const controller = new AbortController();
    const abort = () => controller.abort();
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    const isLarge = (options.body?.length ?? 0) >= largeSize;
    let timer = setTimeout(abort, limit ?? (isLarge ? longPatience : patience));
    try {
        const response = await fetch(path, {...options, signal: controller.signal});
        if (!limit) {
            clearTimeout(timer);
            timer = setTimeout(abort, longPatience);
        }
        return {response, text: await response.text()};
    } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
    }
}

/**
 * Sends a request.
 *
 * @param {string} method HTTP method.
 * @param {string} path Path and query.
 * @param {CallOptions} options `body` is sent as JSON;
 *     `limit` is the time for a response in milliseconds; signing in again does not count.
 *     `isRepeated` is true for the one repetition after signing in again.
 * @returns {Promise<Answer>} `body` is the
 *     parsed JSON; null when the response is empty, as with status 304, "not modified".
 * @throws ServerError for a status outside 200–299 and 304; NoAnswerError when the connection
 *     fails, the server takes too long, or a successful response is not JSON; AbortError when
 *     `signal` is aborted.
 */
export async function call(method, path, {
    body, ifMatch, ifNoneMatch, contentType = 'application/json', signal, limit,
    isRepeated = false} = {}) {
    const answer = received.get(path);
    // A change may make all answers old.
    if (method === 'GET') received.delete(path);
    else received.clear();
    if (answer && method === 'GET' && !ifNoneMatch) return answer;
    /** @type {Record<string, string>} */
    const headers = {Accept: 'application/json'};
    if (body !== undefined) headers['Content-Type'] = contentType;
    // The tag is null when a proxy dropped the ETag of the response.
    if (ifMatch) headers['If-Match'] = ifMatch;
    if (ifNoneMatch) headers['If-None-Match'] = ifNoneMatch;
    if (csrfToken) headers['X-CSRF-Token'] = csrfToken;
    const mayRepeat = onSignedOut;
    let response;
    let text;
    try {
        ({response, text} = await exchange(path, {
            method, headers, signal, limit, cache: 'no-store', redirect: 'error',
            body: body === undefined ? undefined : jsonText(body),
        }));
    } catch (error) {
        if (error.name === 'AbortError' && signal?.aborted) throw error;
        noteConnection(false);
        throw new NoAnswerError();
    }
    noteConnection(true);
    // What pages show of a response moves the pressed control.
    await released();
    signal?.throwIfAborted();
    let tree = null;
    try {
        tree = text ? parseJSON(text) : null;
    } catch {
        if (response.ok) throw new NoAnswerError();
    }
    if (!response.ok && response.status !== 304) {
        if (response.status === 401 && !path.startsWith('/console/') && !isRepeated) {
            const isSignedIn = await mayRepeat();
            signal?.throwIfAborted();
            if (isSignedIn) {
                return call(method, path, {
                    body, ifMatch, ifNoneMatch, contentType, signal, limit, isRepeated: true});
            }
        }
        // The handler reads the session itself.
        const readsSession = method === 'GET' && path.split('?')[0] === '/console/session';
        if (response.status === 403 && !readsSession) onForbidden();
        throw new ServerError(response.status, tree);
    }
    return {
        status: response.status, body: tree,
        etag: /** @type {string} */ (response.headers.get('ETag')),
        warning: response.headers.get('Warning'),
    };
}

/**
 * Path of a project's resource: `projectPath('default', 'remoteConfig:diff', {from: 3})`. Omits
 * query parameters that are undefined or empty.
 *
 * @param {string} project
 * @param {string} resource
 * @param {Record<string, string | number | boolean | undefined>} [query]
 */
export function projectPath(project, resource, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
        .map(([name, value]) => [name, String(value)]);
    // The server takes a plus sign for itself, as RFC 3986 does, not for a space.
    const text = given.length ? `?${new URLSearchParams(given)}`.replaceAll('+', '%20') : '';
    return `/v1/projects/${encodeURIComponent(project)}/${resource}${text}`;
}

/**
 * True for status 404: the resource does not exist, or this server lacks the route.
 *
 * @param {unknown} error
 */
export function isMissing(error) {
    return error instanceof ServerError && error.status === 404;
}

/**
 * Deletes a resource; one that is gone already, for example after a lost answer, is no error.
 *
 * @param {string} path
 */
export async function remove(path) {
    try {
        await call('DELETE', path);
    } catch (error) {
        if (!isMissing(error)) throw error;
    }
}
