/**
 * Calls of the server. The session's cookie goes along by itself; what changes something carries
 * the session's CSRF token.
 */

import {jsonText, parseJSON} from './json-text.js';

/** An error that the server answered with. */
export class ServerError extends Error {
    /** Makes the error of a status and a body. */
    constructor(status, body) {
        const error = body?.error ?? {};
        super(error.message ?? `The server answered with status ${status}.`);
        this.status = status;
        this.code = error.status ?? '';
        this.details = Array.isArray(error.details) ? error.details : [];
    }
}

/** The error of a call that got no answer: whether the server did it is not known. */
export class NoAnswerError extends Error {
    /** Makes the error. */
    constructor() {
        super('The server does not answer. Check the connection, and try again.');
    }
}

let csrfToken = '';
let onSignedOut = () => {};

/** Sets the token that goes along with changes. */
export function setCSRFToken(token) {
    csrfToken = token;
}

/** Sets what is called when the server no longer knows the session. */
export function setSignedOutHandler(handler) {
    onSignedOut = handler;
}

/**
 * Calls the server.
 *
 * @param {string} method The method.
 * @param {string} path The path with the query.
 * @param {{body?: *, ifMatch?: string, signal?: AbortSignal}} options A body that is sent as JSON.
 * @returns {Promise<{status: number, body: *, etag: ?string, warning: ?string}>}
 * @throws ServerError for every status from 400 on, NoAnswerError without an answer.
 */
export async function call(method, path, {body, ifMatch, signal} = {}) {
    const headers = {Accept: 'application/json'};
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (ifMatch !== undefined) headers['If-Match'] = ifMatch;
    if (method !== 'GET') headers['X-CSRF-Token'] = csrfToken;
    let response;
    let text;
    try {
        response = await fetch(path, {
            method, headers, signal, cache: 'no-store', redirect: 'error',
            body: body === undefined ? undefined : jsonText(body),
        });
        text = await response.text();
    } catch (error) {
        if (error.name === 'AbortError') throw error;
        throw new NoAnswerError();
    }
    let tree = null;
    try {
        tree = text ? parseJSON(text) : null;
    } catch {
        if (response.ok) throw new NoAnswerError();
    }
    if (!response.ok) {
        if (response.status === 401 && !path.startsWith('/console/')) onSignedOut();
        throw new ServerError(response.status, tree);
    }
    return {
        status: response.status, body: tree, etag: response.headers.get('ETag'),
        warning: response.headers.get('Warning'),
    };
}

/** The path of a project's resource: `projectPath('default', 'remoteConfig:diff', {from: 3})`. */
export function projectPath(project, resource, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
    const text = given.length ? `?${new URLSearchParams(given)}` : '';
    return `/v1/projects/${encodeURIComponent(project)}/${resource}${text}`;
}

/** Whether an error says that there is no such thing, or that this server has no such route. */
export function isMissing(error) {
    return error instanceof ServerError && error.status === 404;
}
