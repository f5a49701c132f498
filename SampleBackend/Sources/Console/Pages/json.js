/**
 * JSON trees that round-trip: numbers keep their digits, members keep their order, and names such
 * as `constructor` and `__proto__` have no special meaning.
 */

/** A number whose text JavaScript would change, such as 1.10 or 9007199254740993. Immutable. */
export class ExactNumber {
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

/** True for names of digits: those that JavaScript moves to the front, and others, as `007`. */
const isIndex = (name) => /^\d+$/.test(name);

/** Names of an object's members, in the original order. */
export function names(object) {
    return object[order]?.filter((name) => Object.hasOwn(object, name)) ?? Object.keys(object);
}

/** Members of an object as `[name, value]` pairs, in the original order. */
export function entries(object) {
    return names(object).map((name) => [name, object[name]]);
}

/** Deep copy of a tree; shares only instances of `ExactNumber`. */
export function copy(tree) {
    if (typeof tree !== 'object' || tree === null || tree instanceof ExactNumber) return tree;
    if (Array.isArray(tree)) return tree.map(copy);
    return objectOf(entries(tree).map(([name, value]) => [name, copy(value)]));
}

/** True for an object of a tree: no list, and no `ExactNumber`. */
export function isObject(tree) {
    return typeof tree === 'object' && tree !== null && !Array.isArray(tree)
        && Object.getPrototypeOf(tree) === Object.prototype;
}

/** Own member of an object; undefined when it, or the object, is missing. */
export function member(object, name) {
    return object && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets a member in place, or appends a new one; undefined removes it. */
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

/** Object of `[name, value]` pairs that keeps their order. */
export function objectOf(pairs) {
    const object = {};
    for (const [name, value] of pairs) setMember(object, name, value);
    return object;
}

/**
 * Shallow copy of an object with one member set or appended; undefined removes it. The other
 * members are shared, so that unchanged parts of a tree stay identical.
 */
export function withMember(object, name, value) {
    const result = objectOf(entries(object ?? {}));
    setMember(result, name, value);
    return result;
}

/** Shallow copy of an object whose member `oldName` has another name and value at its place. */
export function withRenamed(object, oldName, name, value) {
    return objectOf(entries(object).map((pair) => (pair[0] === oldName ? [name, value] : pair)));
}

/** Compares two trees. The order of members does not matter; 1.0 and 1 are different numbers. */
export function isEqual(left, right) {
    if (left === right) return true;
    if (typeof left !== 'object' || typeof right !== 'object' || !left || !right) return false;
    if (left instanceof ExactNumber || right instanceof ExactNumber) {
        return left.constructor === right.constructor && left.text === right.text;
    }
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const keys = Object.keys(left);
    return keys.length === Object.keys(right).length
        && keys.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name]));
}
