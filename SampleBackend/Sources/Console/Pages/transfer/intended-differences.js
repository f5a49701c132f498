/**
 * What differs from another project on purpose: marks with a note, which hold until one of the
 * projects changes it.
 */

import {administratorName, field, timeText} from '../controls/controls.js';
import {dialogForm} from '../controls/dialog-form.js';
import {openDialog} from '../controls/dialog.js';
import {h} from '../controls/dom.js';
import {diffView} from '../differences/diff-view.js';
import {call, projectPath} from '../server/api.js';
import {numberText} from '../text/formats.js';

/** Characters of a note, as of the server. */
const maximumNote = 500;

/** @typedef {{section: string, key: string} | {condition: string}} MarkedPlace */

/**
 * What a mark is of; null for what cannot be marked: a section, and a condition that only one of
 * the projects has.
 *
 * @param {DifferenceKind} kind
 * @param {Difference} difference
 * @returns {?MarkedPlace}
 */
export function markedPlace(kind, {change, name, section, key}) {
    if (kind === 'setting') return {section, key};
    return kind === 'condition' && change === 'CHANGED' ? {condition: name} : null;
}

/**
 * Marks a difference of a comparison; the server refuses it with 412 if one of the projects has
 * changed since.
 *
 * @param {string} project
 * @param {Comparison} comparison
 * @param {MarkedPlace} place
 * @param {string} note
 */
export async function markDifference(project, comparison, place, note) {
    const {with: other, etag, withETag} = comparison;
    await call('PUT', projectPath(project, 'intendedDifferences'), {
        body: {with: other, ...place, note, etag, withETag}});
}

/**
 * Ends the mark of a difference.
 *
 * @param {string} project
 * @param {string} other
 * @param {MarkedPlace} place
 */
export async function unmarkDifference(project, other, place) {
    await call('DELETE', projectPath(project, 'intendedDifferences', {with: other, ...place}));
}

/**
 * The problem of a note; empty for none.
 *
 * @param {string} note
 */
export function noteProblem(note) {
    const {length} = [...note];
    if (!length) return 'Nothing was marked: say why it differs.';
    return length <= maximumNote ? '' : `Nothing was marked: the note has ${
        numberText(length)} characters, and at most ${maximumNote} are possible.`;
}

/**
 * Which project has changed since a difference was marked, as a sentence; empty while the mark
 * holds.
 *
 * @param {DifferenceMark} mark
 * @param {string} other
 */
export function changedSince({changed}, other) {
    switch (changed) {
    case undefined: return '';
    case 'THIS': return 'This project has changed since.';
    case 'OTHER': return `${other} has changed since.`;
    default: return 'Both projects have changed since.';
    }
}

/**
 * Line with a mark: who made it, when and why, and whether it still holds.
 *
 * @param {DifferenceMark} mark
 * @param {string} other
 */
export function markView(mark, other) {
    return h('p', {class: mark.changed ? '' : 'muted'},
        `Marked as different on purpose by ${administratorName(mark.author)}, `,
        timeText(mark.time), `: ${mark.note.replace(/[.\s]+$/, '')}. ${
            changedSince(mark, other)}`);
}

/**
 * Asks for the note of a difference, and marks it.
 *
 * @param {string} project
 * @param {Comparison} comparison
 * @param {DifferenceKind} kind
 * @param {Difference} difference
 * @returns {Promise<'marked' | 'moved' | undefined>} `moved` if one of the projects has changed
 *     since the comparison; undefined when it was cancelled.
 */
export function askToMark(project, comparison, kind, difference) {
    const place = markedPlace(kind, difference);
    const {section, key, name} = difference;
    const note = h('input', {type: 'text', autocomplete: 'off', required: true,
        'data-autofocus': true, value: difference.mark?.note ?? ''});
    return openDialog('Differs on purpose?', (close) => dialogForm({
        fields: [
            h('p', {}, h('strong', {}, kind === 'setting' ? `${section}.${key}` : name),
                ` differs from ${comparison.with}. Marked, it is neither listed nor copied, until `
                + 'one of the projects changes it.'),
            field('Why it differs', note, {hint: `At most ${maximumNote} characters.`})],
        action: 'Mark it',
        submit: async () => {
            const text = note.value.trim();
            const problem = noteProblem(text);
            if (problem) {
                note.focus();
                throw new Error(problem);
            }
            try {
                if (place) await markDifference(project, comparison, place, text);
                return 'marked';
            } catch (error) {
                if (error.status === 412) return 'moved';
                throw error;
            }
        }}, close));
}

/**
 * The differences that are intended, folded; null without one.
 *
 * @param {Comparison} comparison
 * @param {{template: Template, shown: {isOpen: boolean, opened: Set<string>,
 *     search: {text: string}}, end?: (kind: DifferenceKind, difference: Difference) => unknown
 *     }} options `shown` keeps what is unfolded for another view; `end` ends a mark.
 */
export function intendedView({intended, with: other}, {template, shown, end}) {
    const {conditions, parameters} = intended ?? {conditions: [], parameters: []};
    const number = conditions.length + parameters.length;
    if (!number) return null;
    return h('details', {open: shown.isOpen, ontoggle: (event) => {
        shown.isOpen = /** @type {HTMLDetailsElement} */ (event.currentTarget).open;
    }},
    h('summary', {}, `Differs on purpose (${numberText(number)})`),
    h('p', {class: 'hint'}, 'Neither listed above nor copied, until one of the projects changes '
        + 'it.'),
    diffView({conditions, parameters, groups: []}, {template, opened: shown.opened,
        search: shown.search, noteOf: (_, {mark}) => mark && markView(mark, other),
        act: end && ((kind, found) => ({text: 'No longer', run: () => end(kind, found)}))}));
}
