/**
 * View of the line-by-line differences of two texts; folds unchanged lines and very many changes.
 */

import {h} from '../controls/dom.js';
import {lineDifferences} from '../json/line-differences.js';

const marks = {same: ' ', old: '−', new: '+'};
const names = {same: '', old: 'Before: ', new: 'After: '};

/** @param {LineRow['parts']} parts */
const marked = (parts) => parts.map(
    ({text, isMarked}) => (isMarked ? h('mark', {}, text) : text));

/** @param {LineRow} lineRow */
function lineView({kind, parts}) {
    return h('div', {class: `diff-line ${kind}`},
        h('span', {class: 'diff-mark', 'aria-hidden': 'true'}, marks[kind]),
        h('code', {}, names[kind] !== '' && h('span', {class: 'visually-hidden'}, names[kind]),
            marked(parts)));
}

/**
 * A line of one side, which may differ from the other side.
 *
 * @param {LineRow} lineRow
 */
function ownLineView({kind, parts}) {
    const differs = kind === 'new';
    return h('div', {class: differs ? 'diff-line differs' : 'diff-line'},
        h('span', {class: 'diff-mark', 'aria-hidden': 'true'}, differs && '≠'),
        h('code', {},
            differs && h('span', {class: 'visually-hidden'}, 'Differs: '), marked(parts)));
}

/**
 * @param {LineBlock} lineBlock
 * @param {(lineRow: LineRow) => HTMLElement} [view]
 */
function blockView({before, folded, after}, view = lineView) {
    return [before.map(view),
        folded.length > 0 && h('details', {class: 'diff-fold'},
            h('summary', {}, `${folded.length} unchanged lines`), folded.map(view)),
        after.map(view)];
}

/**
 * View of the differences of two texts, compared as by `lineDifferences`.
 *
 * @param {string} old
 * @param {string} now
 * @param {{isText?: boolean}} [options]
 */
export function lineDiff(old, now, options) {
    const {shown, rest} = lineDifferences(old, now, options);
    return h('div', {class: 'line-diff'}, shown.map((block) => blockView(block)), rest.length > 0
        && h('details', {class: 'diff-fold'}, h('summary', {}, 'More changed lines'),
            rest.map((block) => blockView(block))));
}

/**
 * View of a text that marks the lines in which it differs from another one.
 *
 * @param {string} other
 * @param {string} own
 */
export function differingLines(other, own) {
    const {shown, rest} = lineDifferences(other, own);
    /** @param {LineRow[]} rows */
    const ownRows = (rows) => rows.filter(({kind}) => kind !== 'old');
    return h('div', {class: 'line-diff'}, [...shown, ...rest].map((block) => blockView({
        ...block, before: ownRows(block.before), folded: ownRows(block.folded),
        after: ownRows(block.after)}, ownLineView)));
}
