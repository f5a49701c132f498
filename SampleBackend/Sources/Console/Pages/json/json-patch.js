/**
 * JSON Patch (RFC 6902) between two trees that share their unchanged parts.
 */

import {isEqual, isObject, names} from './json.js';

/**
 * Reference token of a JSON Pointer (RFC 6901).
 *
 * @param {string} name
 */
function token(name) {
    return String(name).replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * True if editing the common members and appending the others results in the new order.
 *
 * @param {object} from
 * @param {object} to
 */
function keepsOrder(from, to) {
    const kept = names(from).filter((name) => Object.hasOwn(to, name));
    const expected = [...kept, ...names(to).filter((name) => !Object.hasOwn(from, name))];
    return names(to).every((name, index) => name === expected[index]);
}

/**
 * @param {Record<string, unknown>} from
 * @param {Record<string, unknown>} to
 * @param {string} path
 * @param {PatchOptions} options
 * @returns {PatchOperation[]}
 */
function patchOfObjects(from, to, path, options) {
    if (options.isOrdered && !keepsOrder(from, to)) return [{op: 'replace', path, value: to}];
    return [
        ...names(from).filter((name) => !Object.hasOwn(to, name))
            .map((name) => ({op: 'remove', path: `${path}/${token(name)}`})),
        ...names(to).flatMap((name) => {
            const place = `${path}/${token(name)}`;
            return Object.hasOwn(from, name) ? patchOf(from[name], to[name], place, options)
                : [{op: 'add', path: place, value: to[name]}];
        }),
    ];
}

/**
 * Number of common items at one end of both lists, at most `limit`.
 *
 * @param {number} limit
 * @param {(index: number) => unknown} itemOfFrom
 * @param {(index: number) => unknown} itemOfTo
 */
function commonItems(limit, itemOfFrom, itemOfTo) {
    let count = 0;
    while (count < limit && isEqual(itemOfFrom(count), itemOfTo(count))) count += 1;
    return count;
}

/**
 * True if `to` is `from` with the item at `source` moved to `target`; the ends are equal already.
 *
 * @param {unknown[]} from
 * @param {unknown[]} to
 * @param {number} source
 * @param {number} target
 */
function isMove(from, to, source, target) {
    const list = [...from];
    list.splice(target, 0, ...list.splice(source, 1));
    return list.every((item, index) => isEqual(item, to[index]));
}

/**
 * @param {unknown[]} from
 * @param {unknown[]} to
 * @param {string} path
 * @param {PatchOptions} options
 * @returns {PatchOperation[]}
 */
function patchOfLists(from, to, path, options) {
    const shorter = Math.min(from.length, to.length);
    const start = commonItems(shorter, (index) => from[index], (index) => to[index]);
    const end = commonItems(
        shorter - start, (index) => from.at(-1 - index), (index) => to.at(-1 - index));
    const [oldEnd, newEnd] = [from.length - end, to.length - end];
    if (from.length === to.length && newEnd - start > 1) {
        for (const [source, target] of [[start, newEnd - 1], [newEnd - 1, start]]) {
            if (isMove(from, to, source, target)) {
                return [{op: 'move', from: `${path}/${source}`, path: `${path}/${target}`}];
            }
        }
    }
    const edited = Math.min(oldEnd, newEnd);
    const operations = [];
    for (let index = start; index < edited; index += 1) {
        operations.push(...patchOf(from[index], to[index], `${path}/${index}`, options));
    }
    for (let index = oldEnd - 1; index >= edited; index -= 1) {
        operations.push({op: 'remove', path: `${path}/${index}`});
    }
    for (let index = edited; index < newEnd; index += 1) {
        operations.push({op: 'add', path: `${path}/${index}`, value: to[index]});
    }
    return operations;
}

/**
 * @param {unknown} from
 * @param {unknown} to
 * @param {string} path
 * @param {PatchOptions} options
 * @returns {PatchOperation[]}
 */
function patchOf(from, to, path, options) {
    if (from === to) return [];
    if (isObject(from) && isObject(to)) return patchOfObjects(from, to, path, options);
    if (Array.isArray(from) && Array.isArray(to)) return patchOfLists(from, to, path, options);
    return isEqual(from, to) ? [] : [{op: 'replace', path, value: to}];
}

/**
 * Operations that turn one tree into another. Skips identical (`===`) parts.
 *
 * @param {*} from Old tree.
 * @param {*} to New tree.
 * @param {{isOrdered?: boolean}} options Without `isOrdered`, the result may have the members of an
 *     object in another order, as RFC 6902 allows; with it, such an object is replaced.
 * @returns {PatchOperation[]} Operations, empty when the trees are equal.
 */
export function patch(from, to, {isOrdered = false} = {}) {
    return patchOf(from, to, '', {isOrdered});
}
