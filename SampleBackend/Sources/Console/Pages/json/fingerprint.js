/**
 * Short texts that stand for JSON trees.
 */

import {entries, ExactNumber, isObject} from './json.js';

/**
 * Fingerprints of objects and lists, which are immutable: only changed parts are read again.
 *
 * @type {WeakMap<object, string>}
 */
const known = new WeakMap();

/**
 * Hash of 53 bits (cyrb53): equal for different texts only by accident.
 *
 * @param {string} text
 */
function hash(text) {
    let [left, right] = [0xdeadbeef, 0x41c6ce57];
    for (let index = 0; index < text.length; index += 1) {
        const code = text.charCodeAt(index);
        left = Math.imul(left ^ code, 2654435761);
        right = Math.imul(right ^ code, 1597334677);
    }
    left = Math.imul(left ^ (left >>> 16), 2246822507)
        ^ Math.imul(right ^ (right >>> 13), 3266489909);
    right = Math.imul(right ^ (right >>> 16), 2246822507)
        ^ Math.imul(left ^ (left >>> 13), 3266489909);
    return (4294967296 * (2097151 & right) + (left >>> 0)).toString(36);
}

/**
 * Fingerprint of a tree; equal trees, as `isEqual` compares them, have the same.
 *
 * @param {unknown} tree
 * @returns {string}
 */
export function fingerprint(tree) {
    if (tree instanceof ExactNumber) return hash(`exact ${tree.text}`);
    if (!Array.isArray(tree) && !isObject(tree)) return hash(`${typeof tree} ${tree}`);
    const found = known.get(tree);
    if (found !== undefined) return found;
    const parts = Array.isArray(tree) ? ['list', ...tree.map(fingerprint)]
        : ['object', ...entries(tree).map(([name, value]) => (
            `${hash(name)}:${fingerprint(value)}`)).sort()];
    const result = hash(parts.join(' '));
    known.set(tree, result);
    return result;
}
