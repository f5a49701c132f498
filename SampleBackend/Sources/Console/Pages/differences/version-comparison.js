/**
 * Comparison of two versions.
 */

import {choice, field} from '../controls/controls.js';
import {announce, fill, h} from '../controls/dom.js';
import {shownAnswer} from '../controls/shown-answer.js';
import {setQuery} from '../routing/router.js';
import {call, projectPath} from '../server/api.js';
import {versionBefore} from '../server/versions.js';
import {versionText} from '../text/formats.js';
import {diffView} from './diff-view.js';

/** Version number of the state before the first publish. */
export const beginning = '0';

/** Choice of the version before the other one, until its number is read. */
const before = '';

/**
 * Loads and renders the differences between two versions. The types of settings are those of the
 * current version.
 *
 * @param {Pick<PageContext, 'project' | 'workspace'>} context
 * @param {string} from
 * @param {string} to
 * @param {AbortSignal} [signal]
 */
export async function readDifference({project, workspace}, from, to, signal) {
    if (to === beginning) return h('p', {class: 'muted'}, 'Nothing was published at that time.');
    const {body} = await call(
        'GET', projectPath(project, 'remoteConfig:diff', {from, to}), {signal});
    return diffView(body, {template: workspace.published});
}

/**
 * Adds options for versions to a choice, newest first.
 *
 * @param {HTMLSelectElement} control
 * @param {string[]} numbers
 */
function offer(control, numbers) {
    const value = control.value;
    const known = [...control.options].map((option) => option.value);
    const all = [...new Set([...known, ...numbers])]
        .sort((left, right) => Number(right) - Number(left));
    fill(control, all.map((number) => h('option', {value: number, hidden: number === before},
        number === beginning ? 'Before the first version'
            : number === before ? 'Version before' : `Version ${number}`)));
    if (value) control.value = value;
}

/**
 * Card that compares two versions: those in the query, by default the newest two. Sets
 * `context.showChanges`, with which the table's rows show their changes here,
 * `context.showComparison`, which scrolls to the card, and `context.offerVersions`, which adds
 * versions to the choices.
 *
 * @param {Version[]} versions
 * @param {HistoryContext} context
 * @param {AbortSignal} left
 */
export function comparison(versions, context, left) {
    const wanted = [context.query.get('from'), context.query.get('to')]
        .map((number) => /^\d+$/.test(number ?? '') ? number : null);
    /** @param {string} number */
    const select = (number) => {
        const control = choice([], null);
        offer(control, [...versions.map(({versionNumber}) => versionNumber), number]);
        control.value = number;
        return control;
    };
    const from = select(wanted[0]
        ?? (wanted[1] ? before : versions[1]?.versionNumber ?? beginning));
    const to = select(wanted[1] ?? versions[0].versionNumber);
    const place = h('div', {}, h('p', {class: 'muted', role: 'status'}, 'Comparing …'));
    const compare = shownAnswer(place, left, async (signal) => {
        const newer = to.value;
        if (from.value === before) {
            const number = await versionBefore(context.project, newer, signal);
            if (signal.aborted) return null;
            offer(from, [number]);
            from.value = number;
        }
        const older = from.value;
        setQuery({from: older, to: newer});
        const view = await readDifference(context, older, newer, signal);
        if (!signal.aborted) announce(`Comparing ${versionText(older)} with version ${newer}.`);
        return view;
    });
    from.addEventListener('change', compare);
    to.addEventListener('change', compare);
    const showComparison = () => {
        from.focus({preventScroll: true});
        card.scrollIntoView();
    };
    context.showComparison = showComparison;
    context.showChanges = (/** @type {string} */ versionNumber) => {
        offer(from, [before]);
        offer(to, [versionNumber]);
        from.value = before;
        to.value = versionNumber;
        compare();
        showComparison();
    };
    context.offerVersions = (/** @type {string[]} */ numbers) => {
        offer(from, numbers);
        offer(to, numbers);
    };
    compare();
    const card = h('section', {class: 'card', 'aria-labelledby': 'compare'},
        h('div', {class: 'card-head'}, h('h2', {id: 'compare'}, 'Compare two versions'),
            h('div', {class: 'line'}, field('From', from), field('To', to))),
        h('div', {class: 'card-body'}, place));
    return card;
}
