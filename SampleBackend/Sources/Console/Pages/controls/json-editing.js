/**
 * The editor of JSON without its elements: tokens, brackets, places and edits.
 *
 * Works on lines and brackets, not on a syntax tree, since the text is invalid most of the time in
 * which it is edited.
 */

import {latinKey} from '../input/latin-key.js';
import {parseJSON} from '../json/json-text.js';

const indentation = '  ';

/** @param {string | undefined} character */
const isOpening = (character) => character === '{' || character === '[';

/** @param {string | undefined} character */
const isClosing = (character) => character === '}' || character === ']';

// A string ends at the end of its line at the latest.
const part = new RegExp(String.raw`("[^"\\\n]*(?:\\[^\n][^"\\\n]*)*(?:"|\\?$))(?=(\s*:)?)`
    + String.raw`|([{}[\]])|([^\s{}[\],:"]+)|[\s,:]+`, 'gm');
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const word = /^(?:true|false|null)$/;

/**
 * The text of a line in parts with their kinds, which are empty for white space, commas and colons.
 *
 * @param {string} line
 * @returns {[kind: JSONToken, text: string][]}
 */
export function tokens(line) {
    return [...line.matchAll(part)].map(([text, string, colon, bracket, other]) => {
        if (string !== undefined) return [colon === undefined ? 'string' : 'name', text];
        if (bracket !== undefined) return ['bracket', text];
        if (other === undefined) return ['', text];
        if (word.test(text)) return ['word', text];
        return [number.test(text) ? 'number' : 'invalid', text];
    });
}

/**
 * Index of the character at which a text stops being valid JSON; null for valid JSON and for no
 * text.
 *
 * @param {string} text
 */
export function errorIndex(text) {
    if (!text.trim()) return null;
    try {
        parseJSON(text);
        return null;
    } catch (error) {
        return error.index ?? 0;
    }
}

/**
 * Line and column of an index, from zero.
 *
 * @param {string} text
 * @param {number} index
 */
export function lineOf(text, index) {
    const before = text.slice(0, index);
    return {line: before.split('\n').length - 1, column: index - before.lastIndexOf('\n') - 1};
}

/**
 * Indices of the bracket before the caret, or else after it, and of its counterpart, in the order
 * of the text; null if there is none.
 *
 * @param {string} text
 * @param {number} caret
 * @returns {?[number, number]}
 */
export function bracketPair(text, caret) {
    /** @type {number[]} */
    const open = [];
    /** @type {?[number, number]} */
    let after = null;
    for (const {3: bracket, index = 0} of text.matchAll(part)) {
        if (bracket === undefined) continue;
        if (isOpening(bracket)) {
            open.push(index);
            continue;
        }
        const start = open.pop();
        // Brackets of different kinds have no counterpart.
        if (start === undefined || (text[start] === '{') !== (bracket === '}')) return after;
        if (start === caret - 1 || index === caret - 1) return [start, index];
        if (start === caret || index === caret) after = [start, index];
    }
    return after;
}

/** Start of the line that contains an index. */
const lineStart = (/** @type {string} */ text, /** @type {number} */ index) => (
    text.lastIndexOf('\n', index - 1) + 1);

/**
 * A line break in place of the selection, indented as the line that it ends, and more after an
 * opening bracket; a closing bracket behind it gets a line of its own.
 *
 * @param {string} text
 * @param {number} start Start of the selection.
 * @param {number} end
 * @returns {TextEdit}
 */
export function lineBreakEdit(text, start, end) {
    const before = text.slice(lineStart(text, start), start);
    const outer = /^[ \t]*/.exec(before)?.[0] ?? '';
    const last = before.trimEnd().at(-1);
    const inner = isOpening(last) ? outer + indentation : outer;
    const to = end + (/^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0);
    const rest = isOpening(last) && isClosing(text[to]) ? `\n${outer}` : '';
    const caret = start + 1 + inner.length;
    return {from: start, to, text: `\n${inner}${rest}`, start: caret, end: caret};
}

/**
 * A closing bracket that is the first character of its line, with less indentation; null elsewhere,
 * where it needs no edit.
 *
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @param {string} bracket
 * @returns {?TextEdit}
 */
export function closingEdit(text, start, end, bracket) {
    const from = lineStart(text, start);
    const before = text.slice(from, start);
    if (start !== end || !before || before.trim()) return null;
    const written = before.slice(0, -indentation.length) + bracket;
    const caret = from + written.length;
    return {from, to: end, text: written, start: caret, end: caret};
}

/**
 * True for a key that reduces the indentation, false for one that increases it, else null. Many
 * layouts type brackets by AltGr, with which they are no shortcut, but comma and period without it.
 *
 * @param {Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey'>} event
 * @returns {?boolean}
 */
export function indentsLess(event) {
    if (!event.ctrlKey || event.altKey || event.metaKey) return null;
    return new Map([['[', true], [',', true], [']', false], ['.', false]])
        .get(latinKey(event)) ?? null;
}

/**
 * More or less indentation of the selected lines, which stay selected; null if nothing changes.
 *
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @param {boolean} isLess
 * @returns {?TextEdit}
 */
export function indentEdit(text, start, end, isLess) {
    const from = lineStart(text, start);
    // A selection up to the start of a line does not include that line.
    const last = end > start && text[end - 1] === '\n' ? end - 1 : end;
    const to = text.indexOf('\n', last) === -1 ? text.length : text.indexOf('\n', last);
    const lines = text.slice(from, to).split('\n');
    const written = lines.map((line) => (
        isLess ? line.replace(/^(?: {1,2}|\t)/, '') : indentation + line));
    const added = written.map((line, index) => line.length - lines[index].length);
    const sum = added.reduce((one, other) => one + other, 0);
    if (!sum) return null;
    // The selection starts where it did in a line that it includes from its start.
    const isWhole = start === from && end > start;
    return {from, to, text: written.join('\n'),
        start: isWhole ? from : Math.max(from, start + added[0]),
        end: Math.max(from, end + sum)};
}
