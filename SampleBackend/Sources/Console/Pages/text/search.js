/**
 * Search for words in any order.
 */

/**
 * Words of a query, in lower case.
 *
 * @param {string} query
 */
export function searchWords(query) {
    return query.toLowerCase().split(/\s+/).filter(Boolean);
}

/**
 * True if a text has all words of a query; always true for an empty query.
 *
 * @param {string} text In lower case.
 * @param {string[]} words As by `searchWords`.
 */
export function hasWords(text, words) {
    return words.every((word) => text.includes(word));
}
