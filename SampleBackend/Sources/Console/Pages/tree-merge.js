/**
 * Three-way merge of JSON trees: what only one side changed is taken from that side.
 */

import {isEqual, isObject, member, names, objectOf} from './json.js';

/** True for a list of objects with distinct names, such as the conditions of a template. */
function isNamedList(tree) {
    return Array.isArray(tree) && tree.every((item) => isObject(item) && 'name' in item)
        && new Set(tree.map((item) => item.name)).size === tree.length;
}

const byName = (list) => objectOf(list.map((item) => [String(item.name), item]));

/** Merge of named lists in the order of the side that reordered, else of `mine`. */
function mergeLists(base, mine, theirs, path, conflicts) {
    const order = (list) => list.map((item) => item.name);
    const isTheirOrder = isEqual(order(base), order(mine));
    const merged = mergeTrees(byName(base), byName(mine), byName(theirs), path, conflicts);
    const [first, second] = isTheirOrder ? [theirs, mine] : [mine, theirs];
    const all = [...new Set([...order(first), ...order(second)].map(String))];
    return all.map((name) => member(merged, name)).filter((item) => item !== undefined);
}

/**
 * Merges two edits of a tree.
 *
 * @param {*} base The tree before both edits; undefined when it was absent.
 * @param {*} mine One edit; it wins where both changed the same.
 * @param {*} theirs The other edit.
 * @param {string[]} path Names on the way to the tree.
 * @param {string[][]} conflicts Receives the paths that both changed differently.
 * @returns {*} The merged tree; undefined when it is removed.
 */
export function mergeTrees(base, mine, theirs, path = [], conflicts = []) {
    if (isEqual(mine, theirs) || isEqual(base, theirs)) return mine;
    if (isEqual(base, mine)) return theirs;
    if (isObject(mine) && isObject(theirs)) {
        const old = isObject(base) ? base : {};
        const all = [...new Set([...names(mine), ...names(theirs)])];
        return objectOf(all.map((name) => [name, mergeTrees(member(old, name),
            member(mine, name), member(theirs, name), [...path, name], conflicts)])
            .filter(([, value]) => value !== undefined));
    }
    if (isNamedList(mine) && isNamedList(theirs)) {
        return mergeLists(isNamedList(base) ? base : [], mine, theirs, path, conflicts);
    }
    conflicts.push(path);
    return mine;
}
