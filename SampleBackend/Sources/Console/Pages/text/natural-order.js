/**
 * The order of names in lists, as people read them: `u9` before `u10`.
 */

const collator = new Intl.Collator(undefined, {numeric: true});

/**
 * Compares two names, for `sort`: in the order of the browser's language, numbers by their value,
 * and names that are equal there by their characters.
 *
 * @param {string} left
 * @param {string} right
 */
export function naturalOrder(left, right) {
    return collator.compare(left, right) || (left < right ? -1 : Number(left > right));
}
