/**
 * View of the line-by-line differences of two texts; folds unchanged lines and very many changes.
 */

import {h} from '../controls/dom.js';
import {lineDifferences} from '../json/line-differences.js';

const marks = {same: ' ', old: '−', new: '+'};
const names = {same: '', old: 'Before: ', new: 'After: '};

/** @param {LineRow} lineRow */
function lineView({kind, parts}) {
    return h('div', {class: `diff-line ${kind}`},
        h('span', {class: 'diff-mark', 'aria-hidden': 'true'}, marks[kind]),
        h('code', {}, names[kind] !== '' && h('span', {class: 'visually-hidden'}, names[kind]),
            parts.map(({text, isMarked}) => (isMarked ? h('mark', {}, text) : text))));
}

/** @param {LineBlock} lineBlock */
function blockView({before, folded, after}) {
    return [before.map(lineView),
        folded.length > 0 && h('details', {class: 'diff-fold'},
            h('summary', {}, `${folded.length} unchanged lines`), folded.map(lineView)),
        after.map(lineView)];
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
    return h('div', {class: 'line-diff'}, shown.map(blockView), rest.length > 0
        && h('details', {class: 'diff-fold'}, h('summary', {}, 'More changed lines'),
            rest.map(blockView)));
}
