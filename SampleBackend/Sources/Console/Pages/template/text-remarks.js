/**
 * Parts of a text value that may not be what was meant: placeholders, of which the server replaces
 * one, invisible characters, and white space at an end.
 */

import {codePoint} from '../text/hidden-characters.js';

/** Placeholder that the server replaces, in texts. */
const userID = '${user.id}';

/** Other placeholders, as `${name}` and `{{name}}`. */
const placeholder = /\$\{[^{}\n]*\}|\{\{[^{}\n]*\}\}/;

/**
 * Controls other than tabs and line breaks, soft hyphens, zero-width and bidirectional characters;
 * without the joiners, which scripts and emoji need.
 */
const invisible = new RegExp(
    '[\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F\\u00AD\\u061C\\u180E\\u200B'
    + '\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u2064\\u2066-\\u206F\\uFEFF]', 'g');

/** Characters of a placeholder that are shown. */
const shownLength = 60;

/**
 * Remarks on an entered value of the type text or JSON; none for other types.
 *
 * @param {string} text
 * @param {string} valueType
 * @returns {string[]}
 */
export function textRemarks(text, valueType) {
    if (!['STRING', 'JSON'].includes(valueType)) return [];
    const remarks = [];
    const isText = valueType === 'STRING';
    if (text.includes(userID)) {
        remarks.push(isText ? `“${userID}” is replaced by the user’s ID.`
            : `“${userID}” is sent as written: the server replaces it in settings of the type `
                + 'Text.');
    }
    const others = text.replaceAll(userID, '');
    // An object in an object of JSON has such braces, too.
    const [found = ''] = placeholder.exec(
        isText ? others : others.replaceAll(/\{\{|\}\}/g, '')) ?? [];
    if (found) {
        remarks.push(`“${found.length > shownLength ? `${found.slice(0, shownLength)}…` : found}” `
            + 'is sent as written: the server does not replace this placeholder.');
    }
    const characters = [...new Set(text.match(invisible) ?? [])].map(codePoint);
    if (characters.length) {
        remarks.push(`The text has invisible characters, which are sent as written: ${
            characters.join(', ')}.`);
    }
    // Between the tokens of JSON, white space has no meaning.
    if (isText && text !== text.trim()) {
        const ends = [text !== text.trimStart() && 'begins', text !== text.trimEnd() && 'ends'];
        remarks.push(`The text ${ends.filter(Boolean).join(' and ')} with white space, which is `
            + 'sent as written.');
    }
    return remarks;
}
