/**
 * JSON trees that round-trip: numbers keep their digits, members keep their order, and names such
 * as `constructor` and `__proto__` have no special meaning.
 */

/** A number whose text JavaScript would change, such as 1.10 or 9007199254740993. Immutable. */
export class ExactNumber {
    /** @param {string} text Its JSON text. */
    constructor(text) {
        this.text = text;
        Object.freeze(this);
    }

    /** Original text; string and number conversions use it. */
    toString() {
        return this.text;
    }
}

/**
 * Key of an object's member order, set only for objects with names of digits such as `10`, which
 * JavaScript moves to the front. May contain names of removed members.
 */
const order = Symbol('order');

/**
 * True for names of digits: those that JavaScript moves to the front, and others, such as `007`.
 *
 * @param {string} name
 */
const isIndex = (name) => /^\d+$/.test(name);

/**
 * Names of an object's members, in the original order.
 *
 * @param {object & {[order]?: string[]}} object
 * @returns {string[]}
 */
export function names(object) {
    return object[order]?.filter((name) => Object.hasOwn(object, name)) ?? Object.keys(object);
}

/**
 * Members of an object as `[name, value]` pairs, in the original order.
 *
 * @template Value
 * @param {Record<string, Value>} object
 * @returns {[string, Value][]}
 */
export function entries(object) {
    return names(object).map((name) => [name, object[name]]);
}

/**
 * Deep copy of a tree; shares only instances of `ExactNumber`.
 *
 * @template Tree
 * @param {Tree} tree
 * @returns {Tree}
 */
export function copy(tree) {
    return /** @type {Tree} */ (copyOf(tree));
}

/**
 * @param {unknown} tree
 * @returns {unknown}
 */
function copyOf(tree) {
    if (Array.isArray(tree)) return tree.map(copyOf);
    return isObject(tree) ? objectOf(entries(tree).map(([name, value]) => [name, copyOf(value)]))
        : tree;
}

/**
 * True for an object of a tree; false for lists and `ExactNumber`.
 *
 * @param {unknown} tree
 * @returns {tree is Record<string, unknown>}
 */
export function isObject(tree) {
    return typeof tree === 'object' && tree !== null && !Array.isArray(tree)
        && Object.getPrototypeOf(tree) === Object.prototype;
}

/**
 * Own member of an object; undefined when it, or the object, is missing.
 *
 * @template Value
 * @param {Record<string, Value> | null | undefined} object
 * @param {string} name
 * @returns {Value | undefined}
 */
export function member(object, name) {
    return object && Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Sets a member in place, or appends a new one; undefined removes it.
 *
 * @param {{[name: string]: unknown, [order]?: string[]}} object
 * @param {string} name
 * @param {unknown} value
 */
export function setMember(object, name, value) {
    const isNew = !Object.hasOwn(object, name);
    if (value === undefined) {
        delete object[name];
        return;
    }
    if (isNew && (object[order] || isIndex(name))) object[order] = [...names(object), name];
    if (name === '__proto__') {
        Object.defineProperty(
            object, name, {value, writable: true, enumerable: true, configurable: true});
    } else {
        object[name] = value;
    }
}

/**
 * Object of `[name, value]` pairs that keeps their order.
 *
 * @template Value
 * @param {Iterable<[string, Value]>} pairs
 * @returns {Record<string, Value>}
 */
export function objectOf(pairs) {
    /** @type {Record<string, Value>} */
    const object = {};
    for (const [name, value] of pairs) setMember(object, name, value);
    return object;
}

/**
 * Shallow copy of an object with one member set or appended; undefined removes it. The other
 * members are shared, so that unchanged parts of a tree stay identical.
 *
 * @template {Record<string, unknown>} Tree
 * @param {Tree | undefined} object
 * @param {string} name
 * @param {unknown} value
 * @returns {Tree}
 */
export function withMember(object, name, value) {
    const result = objectOf(entries(/** @type {Record<string, unknown>} */ (object ?? {})));
    setMember(result, name, value);
    return /** @type {Tree} */ (result);
}

/**
 * Shallow copy of an object in which another name and value replace the member `oldName` in place.
 *
 * @template Value
 * @param {Record<string, Value>} object
 * @param {string} oldName
 * @param {string} name
 * @param {Value} value
 * @returns {Record<string, Value>}
 */
export function withRenamed(object, oldName, name, value) {
    return objectOf(entries(object).map((pair) => (pair[0] === oldName ? [name, value] : pair)));
}

/**
 * Compares two trees. The order of members does not matter; 1.0 and 1 are different numbers.
 *
 * @param {unknown} left
 * @param {unknown} right
 * @returns {boolean}
 */
export function isEqual(left, right) {
    if (left === right) return true;
    if (left instanceof ExactNumber) {
        return right instanceof ExactNumber && left.text === right.text;
    }
    if (Array.isArray(left)) {
        return Array.isArray(right) && left.length === right.length
            && left.every((item, index) => isEqual(item, right[index]));
    }
    if (!isObject(left) || !isObject(right)) return false;
    const keys = Object.keys(left);
    return keys.length === Object.keys(right).length
        && keys.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name]));
}
