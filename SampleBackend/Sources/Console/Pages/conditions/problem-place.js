/**
 * The place of an expression's problem: its character in the text, and its rule in the form.
 */

import {h} from '../controls/dom.js';
import {expressionText} from './condition-expression.js';
import {rulesOf, treeOf} from './condition-view.js';

/** Characters shown before and after a highlighted one: an expression can be pasted whole. */
const shownAround = 400;

/**
 * Index of the character at a column, which counts Unicode scalars from 1.
 *
 * @param {string} expression
 * @param {number} column
 */
function indexOf(expression, column) {
    // A scalar has at most two units.
    return Array.from(expression.slice(0, 2 * column)).slice(0, column - 1).join('').length;
}

/**
 * Highlights the character at a column, or the whole grapheme cluster if the scalar is part of one.
 *
 * @param {string} expression
 * @param {number} column
 */
export function markedExpression(expression, column) {
    const offset = indexOf(expression, column);
    const start = Math.max(0, offset - shownAround);
    const end = offset + shownAround;
    const text = expression.slice(start, end);
    const {index, segment} = new Intl.Segmenter().segment(text).containing(offset - start)
        ?? {index: text.length, segment: ''};
    return h('code', {class: 'marked'}, start > 0 && '…', text.slice(0, index),
        h('mark', {}, segment || '\u00a0'), text.slice(index + segment.length),
        end < expression.length && '…');
}

/**
 * The rule that has the character at a column of the expression that the form wrote for a view;
 * null for a character between two rules.
 *
 * @param {GroupView} view
 * @param {string} expression
 * @param {number} column
 * @returns {?{rule: RuleView, isKey: boolean}} `isKey` is true for a character of the rule's signal
 *     or seed.
 */
export function ruleAt(view, expression, column) {
    const index = indexOf(expression, column);
    let end = 0;
    for (const rule of rulesOf(view)) {
        const tree = treeOf({...rule, isNegated: false});
        const text = tree ? expressionText(tree) : '';
        const start = expression.indexOf(text, end);
        if (start < 0 || index < start) return null;
        end = start + text.length;
        if (index > end) continue;
        const key = /^[\w.]+[([]'(?:\\.|[^'\\])*'/s.exec(text)?.[0] ?? '';
        return {rule, isKey: Boolean(rule.key) && index < start + key.length};
    }
    return null;
}
