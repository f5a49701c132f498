/**
 * Trees of JSON as the server has them: numbers keep their digits, members keep their order, and
 * names such as `constructor` are only names.
 */

/** A number that JavaScript would write otherwise, such as 1.10 or 9007199254740993. */
export class ExactNumber {
    /** Makes the number of its text. */
    constructor(text) {
        this.text = text;
        Object.freeze(this);
    }

    /** The text, for sentences and for arithmetic. */
    toString() {
        return this.text;
    }
}

/**
 * The member that keeps the order of an object's names where there are some like `10`: JavaScript
 * puts those first. It may name members that are gone.
 */
const order = Symbol('order');

/** Whether JavaScript puts a name before the others. */
const isIndex = (name) => /^\d+$/.test(name);

/** The names of an object's members, in their order. */
export function names(object) {
    return object[order]?.filter((name) => Object.hasOwn(object, name)) ?? Object.keys(object);
}

/** The members of an object as pairs, in their order. */
export function entries(object) {
    return names(object).map((name) => [name, object[name]]);
}

/** A copy of a tree of JSON. */
export function copy(tree) {
    if (typeof tree !== 'object' || tree === null || tree instanceof ExactNumber) return tree;
    if (Array.isArray(tree)) return tree.map(copy);
    return objectOf(entries(tree).map(([name, value]) => [name, copy(value)]));
}

/** The member of an object, or undefined. */
export function member(object, name) {
    return object && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets the member of an object, a new one behind the others; undefined removes it. */
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

/** An object of pairs, in their order. */
export function objectOf(pairs) {
    const object = {};
    for (const [name, value] of pairs) setMember(object, name, value);
    return object;
}

/** Whether two trees are the same but for the order of members. */
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
