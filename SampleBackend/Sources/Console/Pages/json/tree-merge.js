/**
 * Three-way merge of JSON trees: takes what only one side changed from that side.
 */

import {isEqual, isObject, member, names, objectOf} from './json.js';

/**
 * True for a list of objects with distinct names, such as the conditions of a template.
 *
 * @param {unknown} tree
 * @returns {tree is {name: unknown}[]}
 */
export function isNamedList(tree) {
    return Array.isArray(tree) && tree.every((item) => isObject(item) && 'name' in item)
        && new Set(tree.map((item) => item.name)).size === tree.length;
}

/** @param {{name: unknown}[]} list */
export const byName = (list) => objectOf(list.map((item) => [String(item.name), item]));

/**
 * The part of a tree at a path of a conflict; undefined when it does not exist.
 *
 * @param {*} tree
 * @param {TreePath} path
 * @returns {*}
 */
export function treeAt(tree, path) {
    return path.reduce((part, name) => (Array.isArray(part)
        ? part.find((item) => isObject(item) && item.name === name)
        : isObject(part) ? member(part, name) : undefined), tree);
}

/**
 * The names of two lists in the order of `leading`. A name that only `following` has follows its
 * predecessor there.
 *
 * @param {string[]} leading
 * @param {string[]} following
 */
export function orderLedBy(leading, following) {
    const present = new Set(leading);
    /** @type {string[]} */
    const beginning = [];
    /** @type {Map<string, string[]>} */
    const followers = new Map();
    let list = beginning;
    for (const name of following) {
        if (present.has(name)) {
            list = [];
            followers.set(name, list);
        } else list.push(name);
    }
    return [...beginning, ...leading.flatMap((name) => [name, ...followers.get(name) ?? []])];
}

/**
 * Order of names after a merge, as on the server: that of the side that reordered the common names,
 * or of `mine` if both did.
 *
 * @param {string[]} base
 * @param {string[]} mine
 * @param {string[]} theirs
 */
export function mergedOrder(base, mine, theirs) {
    const [inBase, inMine, inTheirs] = [base, mine, theirs].map((list) => new Set(list));
    const [before, own, other] = [base, mine, theirs].map((list) => list
        .filter((name) => inBase.has(name) && inMine.has(name) && inTheirs.has(name)));
    const isMineSame = isEqual(own, before);
    return {names: isMineSame ? orderLedBy(theirs, mine) : orderLedBy(mine, theirs),
        isConflict: !isMineSame && !isEqual(other, before) && !isEqual(own, other)};
}

/**
 * True for equal trees whose members also have the same order.
 *
 * @param {unknown} left
 * @param {unknown} right
 * @returns {boolean}
 */
export function isSame(left, right) {
    if (left === right) return true;
    if (Array.isArray(left) && Array.isArray(right)) {
        return left.length === right.length
            && left.every((item, index) => isSame(item, right[index]));
    }
    if (!isObject(left) || !isObject(right)) return isEqual(left, right);
    const order = names(right);
    return names(left).length === order.length && names(left).every((name, index) => (
        name === order[index] && isSame(left[name], right[name])));
}

/**
 * Merge of named lists; if both sides have a new order, that of `mine` wins.
 *
 * @param {{name: unknown}[]} base
 * @param {{name: unknown}[]} mine
 * @param {{name: unknown}[]} theirs
 * @param {TreePath} path
 * @param {TreePath[]} conflicts
 */
function mergeLists(base, mine, theirs, path, conflicts) {
    const merged = mergeTrees(byName(base), byName(mine), byName(theirs), path, conflicts);
    const namesOf = (/** @type {{name: unknown}[]} */ list) => list.map(({name}) => String(name));
    const order = mergedOrder(namesOf(base), namesOf(mine), namesOf(theirs));
    if (order.isConflict) conflicts.push(path);
    return order.names.map((name) => member(merged, name)).filter((item) => item !== undefined);
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
    if (isSame(mine, theirs) || isSame(base, theirs)) return mine;
    if (isSame(base, mine)) return theirs;
    if (isObject(mine) && isObject(theirs)) {
        const old = isObject(base) ? base : {};
        const order = mergedOrder(names(old), names(mine), names(theirs));
        return objectOf(order.names.map((name) => /** @type {[string, unknown]} */ (
            [name, mergeTrees(member(old, name), member(mine, name), member(theirs, name),
                [...path, name], conflicts)])).filter(([, value]) => value !== undefined));
    }
    if (isNamedList(mine) && isNamedList(theirs)) {
        return mergeLists(isNamedList(base) ? base : [], mine, theirs, path, conflicts);
    }
    // Other lists count as equal regardless of the member order in their objects.
    if (isEqual(mine, theirs) || isEqual(base, theirs)) return mine;
    if (isEqual(base, mine)) return theirs;
    conflicts.push(path);
    return mine;
}
