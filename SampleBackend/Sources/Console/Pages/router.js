/**
 * Addresses of pages: `#/default/history?from=3&to=5` is a page of the project `default`.
 */

let project = 'default';

/** Sets the project that addresses name. */
export function setProject(name) {
    project = name;
}

/** A part of an address as it was before it was encoded. */
function decoded(part) {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

/** The project and the page that the address names, with its query; without one, null. */
export function currentRoute() {
    const [place, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
    const parts = place.split('/').filter(Boolean);
    const [name, path] = parts.length > 1 ? [decoded(parts[0]), parts[1]] : [null, parts[0]];
    return {project: name, path: path ?? 'settings', query: new URLSearchParams(query)};
}

/** The address of a page of the project at hand. */
export function address(path, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value);
    return `#/${encodeURIComponent(project)}/${path}`
        + (given.length ? `?${new URLSearchParams(given)}` : '');
}

/** Goes to a page. */
export function go(path, query) {
    location.hash = address(path, query);
}

/** Changes the query of the page at hand without going anywhere. */
export function setQuery(query) {
    history.replaceState(null, '', address(currentRoute().path, query));
}
