/**
 * JSON as the server has it: numbers keep their digits, and names such as `constructor` are only
 * names.
 */

/** Reads JSON; a number that JavaScript would write otherwise keeps its text. */
export function parseJSON(text) {
    return JSON.parse(text, (_, value, context) => {
        const source = context?.source;
        const isExact = typeof value !== 'number' || source === undefined
            || String(value) === source;
        return isExact || !JSON.rawJSON ? value : JSON.rawJSON(source);
    });
}

/** A copy of a tree of JSON. */
export function copy(tree) {
    return tree === undefined ? undefined : parseJSON(JSON.stringify(tree));
}

/** The member of an object, or undefined. */
export function member(object, name) {
    return object && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets the member of an object; undefined removes it. */
export function setMember(object, name, value) {
    if (value === undefined) {
        delete object[name];
    } else {
        Object.defineProperty(
            object, name, {value, writable: true, enumerable: true, configurable: true});
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
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const names = Object.keys(left);
    return names.length === Object.keys(right).length
        && names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name]));
}
