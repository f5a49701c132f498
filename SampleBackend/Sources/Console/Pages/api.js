/**
 * HTTP calls to the server. The browser sends the session cookie, which all tabs share; the CSRF
 * token says whose session this tab shows.
 */

import {jsonText, parseJSON} from './json-text.js';

/** Error response of the server: its status, error code and details. */
export class ServerError extends Error {
    /**
     * `body` is the parsed response; null when it is empty or no JSON.
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

/** A call without a complete response: whether the server carried it out is unknown. */
export class NoAnswerError extends Error {
    constructor() {
        super('The server does not answer. Check the connection, and try again.');
    }
}

/** Milliseconds in which the server begins to answer. */
const patience = 30_000;

/** Milliseconds in which it begins to answer a large request, or sends the rest of an answer. */
const longPatience = 120_000;

/** Characters from which on a request is large: whole templates take time to send and to check. */
const largeSize = 100_000;

let csrfToken = '';
let onSignedOut = async () => false;
let onForbidden = () => {};

/**
 * Sets the token that requests send as `X-CSRF-Token`: that of the user whose pages are shown, also
 * while the cookie is another user's, whose requests they must not send.
 *
 * @param {string} token
 */
export function setCSRFToken(token) {
    csrfToken = token;
}

/**
 * Sets the handler of a 401 outside `/console/`, which means that a session has ended. The call is
 * repeated if the handler's promise is true: the same user has signed in again. Calls that were sent
 * before have the handler of then.
 *
 * @param {() => Promise<boolean>} handler
 */
export function setSignedOutHandler(handler) {
    onSignedOut = handler;
}

/**
 * Sets the handler of a 403: the role does not allow the call, or the browser's session is of
 * another token than the CSRF token.
 *
 * @param {() => void} handler
 */
export function setForbiddenHandler(handler) {
    onForbidden = handler;
}

/**
 * Sends a request, and reads the response; aborts both when the server takes too long.
 *
 * @param {string} path
 * @param {RequestInit & {body?: string, limit?: number}} options `limit` is in milliseconds, for both
 *     together, in place of those for all calls.
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
 *     `limit` is the time for an answer in milliseconds, which somebody who has to sign in again
 *     does not use up; `isRepeated` is true after that, which is asked for once.
 * @returns {Promise<Answer>} `body` is the
 *     parsed JSON; null when the response is empty, as with status 304, "not modified".
 * @throws ServerError for a status outside 200–299 and 304; NoAnswerError when the connection
 *     fails, the server takes too long, or a successful response is no JSON; AbortError when
 *     `signal` is aborted.
 */
export async function call(method, path, {
    body, ifMatch, ifNoneMatch, contentType = 'application/json', signal, limit,
    isRepeated = false} = {}) {
    /** @type {Record<string, string>} */
    const headers = {Accept: 'application/json'};
    if (body !== undefined) headers['Content-Type'] = contentType;
    // The tag of an answer whose ETag a proxy dropped is null.
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
        throw new NoAnswerError();
    }
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
        const readsSession = method === 'GET' && path === '/console/session';
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
 * Path of a project's resource: `projectPath('default', 'remoteConfig:diff', {from: 3})`. Leaves
 * out query parameters that are undefined or empty.
 *
 * @param {string} project
 * @param {string} resource
 * @param {Record<string, string | number | boolean | undefined>} [query]
 */
export function projectPath(project, resource, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
        .map(([name, value]) => [name, String(value)]);
    const text = given.length ? `?${new URLSearchParams(given)}` : '';
    return `/v1/projects/${encodeURIComponent(project)}/${resource}${text}`;
}

/**
 * True for status 404: the resource does not exist, or this server does not have the route.
 *
 * @param {unknown} error
 */
export function isMissing(error) {
    return error instanceof ServerError && error.status === 404;
}
