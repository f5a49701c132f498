/**
 * Page addresses in the URL's fragment: `#/default/history?from=3&to=5` is the page `history` of
 * the project `default`.
 */

import {fragment, isLeaving, replaceFragment} from './address-bar.js';

let project = 'default';

/**
 * Sets the project for `address`.
 *
 * @param {string} name
 */
export function setProject(name) {
    project = name;
}

/**
 * Percent-decodes a part of an address; returns it unchanged if it is malformed.
 *
 * @param {string} part
 */
function decoded(part) {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

/** Project (null if missing), page (`settings` if missing) and query in the address. */
export function currentRoute() {
    const [place, query = ''] = fragment().replace(/^#\/?/, '').split('?');
    const parts = place.split('/').filter(Boolean);
    const [name, path] = parts.length > 1 ? [decoded(parts[0]), parts[1]] : [null, parts[0]];
    return {project: name, path: path ?? 'settings', query: new URLSearchParams(query)};
}

/**
 * Address of a page of the current project; omits query parameters that are undefined.
 *
 * @param {string} path
 * @param {Record<string, string | number | boolean | undefined>} [query]
 */
export function address(path, query = {}) {
    return projectAddress(project, path, query);
}

/**
 * Address of a page of any project.
 *
 * @param {string} name
 * @param {string} path
 * @param {Record<string, string | number | boolean | undefined>} [query]
 */
export function projectAddress(name, path, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, String(value)]);
    return `#/${encodeURIComponent(name)}/${path}`
        + (given.length ? `?${new URLSearchParams(given)}` : '');
}

/**
 * Navigates to a page of the current project.
 *
 * @param {string} path
 * @param {Record<string, string | number | boolean | undefined>} [query]
 */
export function go(path, query) {
    location.hash = address(path, query);
}

/** Removes the query from the address, which can have what the user entered. */
export function dropQuery() {
    replaceFragment(fragment().split('?')[0]);
}

/**
 * Replaces the query in the address, without a history entry or a navigation. Does nothing when
 * another address was entered: the query is that of the page that is being left.
 *
 * @param {Record<string, string | number | boolean | undefined>} query
 */
export function setQuery(query) {
    if (!isLeaving()) replaceFragment(address(currentRoute().path, query));
}
