/**
 * JSON Patch (RFC 6902) applied to a tree, for the operations that the console sends.
 */

import {copy, setMember} from '../../Sources/Console/Pages/json/json.js';

const tokensOf = (path) => path.split('/').slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

/** Removes the value at a path, and returns it. */
function removed(tree, path) {
    const tokens = tokensOf(path);
    const last = tokens.pop();
    const place = tokens.reduce((node, token) => node[token], tree);
    if (Array.isArray(place)) return place.splice(Number(last), 1)[0];
    if (!Object.hasOwn(place, last)) throw new Error(`There is nothing at ${path}.`);
    const value = place[last];
    setMember(place, last, undefined);
    return value;
}

function added(tree, path, value) {
    const tokens = tokensOf(path);
    const last = tokens.pop();
    const place = tokens.reduce((node, token) => node[token], tree);
    if (Array.isArray(place)) place.splice(Number(last), 0, value);
    else setMember(place, last, value);
}

function replaced(tree, path, value) {
    const tokens = tokensOf(path);
    const last = tokens.pop();
    const place = tokens.reduce((node, token) => node[token], tree);
    if (!Object.hasOwn(place, last)) throw new Error(`There is nothing at ${path}.`);
    place[last] = value;
}

/** The tree after all operations; the given one is not changed. */
export function appliedPatch(tree, operations) {
    let result = copy(tree);
    for (const {op, path, from, value} of operations) {
        if (path === '') result = copy(value);
        else if (op === 'remove') removed(result, path);
        else if (op === 'add') added(result, path, copy(value));
        else if (op === 'replace') replaced(result, path, copy(value));
        else if (op === 'move') added(result, path, removed(result, from));
        else throw new Error(`The console does not send ${op}.`);
    }
    return result;
}
