/**
 * Line-by-line differences of two texts, with the changed words marked. JSON is formatted before
 * the comparison, so that white space makes no difference unless it is the only one.
 */

import {formatted} from './json-text.js';

/** Maximum product of the line counts for a comparison; beyond it, all lines count as changed. */
const maximumWork = 1_000_000;

/** Unchanged lines shown around a change. */
const context = 2;

/** Lines shown before the rest is folded. */
const shownLines = 40;

/**
 * A text, formatted with one member or item per line if it is JSON.
 *
 * @param {string} text
 */
function formattedIfJSON(text) {
    if (!/^\s*[[{]/.test(text)) return text;
    try {
        return formatted(text);
    } catch {
        // The text only starts like JSON.
        return text;
    }
}

/**
 * Lines of two texts for a comparison, either both formatted or both unchanged.
 *
 * @param {string} old
 * @param {string} now
 * @param {boolean} isText
 */
function linesOf(old, now, isText) {
    const texts = isText ? [old, now] : [old, now].map(formattedIfJSON);
    return (texts[0] === texts[1] ? [old, now] : texts).map((text) => text.split('\n'));
}

/**
 * Longest common subsequence of two lists, as pairs of indexes; first strips the common start and
 * end.
 *
 * @param {string[]} old
 * @param {string[]} now
 * @returns {[old: number, now: number][]}
 */
function commonPairs(old, now) {
    let start = 0;
    while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
    let end = 0;
    while (end < Math.min(old.length, now.length) - start
        && old.at(-1 - end) === now.at(-1 - end)) end += 1;
    const [rows, columns] = [old.length - start - end, now.length - start - end];
    const pairs = Array.from({length: start},
        (_, index) => /** @type {[number, number]} */ ([index, index]));
    if (rows * columns <= maximumWork) {
        const lengths = Array.from({length: rows + 1}, () => new Uint32Array(columns + 1));
        for (let row = rows - 1; row >= 0; row -= 1) {
            for (let column = columns - 1; column >= 0; column -= 1) {
                lengths[row][column] = old[start + row] === now[start + column]
                    ? lengths[row + 1][column + 1] + 1
                    : Math.max(lengths[row + 1][column], lengths[row][column + 1]);
            }
        }
        for (let row = 0, column = 0; row < rows && column < columns;) {
            if (old[start + row] === now[start + column]) {
                pairs.push([start + row, start + column]);
                row += 1;
                column += 1;
            } else if (lengths[row + 1][column] >= lengths[row][column + 1]) row += 1;
            else column += 1;
        }
    }
    for (let index = end; index > 0; index -= 1) {
        pairs.push([old.length - index, now.length - index]);
    }
    return pairs;
}

/**
 * Words, runs of white space and single other characters.
 *
 * @param {string} line
 * @returns {string[]}
 */
const words = (line) => line.match(/[\p{L}\p{N}_]+|\s+|[^]/gu) ?? [];

/**
 * A line as its only part, unmarked.
 *
 * @param {string} text
 * @returns {LinePart[]}
 */
const whole = (text) => [{text, isMarked: false}];

/**
 * Two versions of a line as parts `{text, isMarked}`; the words that differ are marked.
 *
 * @param {string} old
 * @param {string} now
 * @returns {[old: LinePart[], now: LinePart[]]}
 */
function markedLines(old, now) {
    const [left, right] = [words(old), words(now)];
    const pairs = commonPairs(left, right);
    /**
     * @param {string[]} list
     * @param {0 | 1} side
     */
    const marked = (list, side) => {
        const kept = new Set(pairs.map((pair) => pair[side]));
        /** @type {LinePart[]} */
        const parts = [];
        for (let index = 0; index < list.length;) {
            let end = index;
            while (end < list.length && kept.has(end) === kept.has(index)) end += 1;
            parts.push({text: list.slice(index, end).join(''), isMarked: !kept.has(index)});
            index = end;
        }
        return parts;
    };
    return pairs.some(([index]) => left[index].trim()) ? [marked(left, 0), marked(right, 1)]
        : [whole(old), whole(now)];
}

/**
 * Rows `{kind, parts}` of the differences: `same`, `old` or `new`.
 *
 * @param {string[]} old
 * @param {string[]} now
 */
function rowsOf(old, now) {
    /** @type {LineRow[]} */
    const rows = [];
    let [row, column] = [0, 0];
    for (const [nextRow, nextColumn] of [...commonPairs(old, now), [old.length, now.length]]) {
        const [removed, added] = [old.slice(row, nextRow), now.slice(column, nextColumn)];
        const both = removed.length === added.length
            ? removed.map((line, index) => markedLines(line, added[index])) : null;
        removed.forEach((line, index) => rows.push(
            {kind: 'old', parts: both ? both[index][0] : whole(line)}));
        added.forEach((line, index) => rows.push(
            {kind: 'new', parts: both ? both[index][1] : whole(line)}));
        if (nextRow < old.length) rows.push({kind: 'same', parts: whole(old[nextRow])});
        [row, column] = [nextRow + 1, nextColumn + 1];
    }
    return rows;
}

/**
 * True if a line-by-line view suits the texts better than side by side.
 *
 * @param {string} old
 * @param {string} now
 */
export function needsLines(old, now) {
    return [old, now].some((text) => text.length > 80 || text.includes('\n'));
}

/**
 * A block of unchanged rows: those next to a change, and the folded ones between.
 *
 * @param {LineRow[]} rows
 * @param {boolean} isFirst
 * @param {boolean} isLast
 * @returns {LineBlock}
 */
function unchangedBlock(rows, isFirst, isLast) {
    const [before, after] = [isFirst ? 0 : context, isLast ? 0 : context];
    if (rows.length <= before + after + 2) {
        return {kind: 'same', before: rows, folded: [], after: []};
    }
    return {kind: 'same', before: rows.slice(0, before),
        folded: rows.slice(before, rows.length - after), after: rows.slice(rows.length - after)};
}

/**
 * Differences of two texts in blocks of unchanged and changed rows: `shown`, and the folded `rest`.
 * `isText` compares text that looks like JSON unchanged, as for settings of type STRING.
 *
 * @param {string} old
 * @param {string} now
 * @param {{isText?: boolean}} [options]
 */
export function lineDifferences(old, now, options = {}) {
    const {isText = false} = options;
    /** @type {{kind: LineRow['kind'], rows: LineRow[]}[]} */
    const blocks = [];
    const [oldLines, newLines] = linesOf(old, now, isText);
    for (const row of rowsOf(oldLines, newLines)) {
        const last = blocks.at(-1);
        if (row.kind === 'same' && last?.kind === 'same') last.rows.push(row);
        else blocks.push({kind: row.kind, rows: [row]});
    }
    /** @type {LineBlock[]} */
    const shown = [];
    /** @type {LineBlock[]} */
    const rest = [];
    let count = 0;
    blocks.forEach(({kind, rows}, index) => {
        const place = count > shownLines ? rest : shown;
        place.push(kind === 'same'
            ? unchangedBlock(rows, index === 0, index === blocks.length - 1)
            : {kind, before: rows, folded: [], after: []});
        count += kind === 'same' ? Math.min(rows.length, 2 * context + 1) : 1;
    });
    return {shown, rest};
}
