/**
 * Validates the reviewed draft on the server, and shows its problems and warnings.
 */

import {conditionDoubts} from '../conditions/value-doubts.js';
import {message} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {folded, unfolding} from '../controls/folded.js';
import {placed} from '../controls/problem-list.js';
import {failedReading} from '../controls/shown-answer.js';
import {noChanges} from '../server/server-draft.js';
import {refusal} from '../server/session.js';
import {sentence, validate} from '../server/validation.js';
import {conditionName, placeText} from '../template/paths.js';
import {conditions, withoutVersion} from '../template/template.js';
import {count} from '../text/formats.js';
import {warningTexts} from './warning-field.js';

/**
 * @param {Problem[]} problems
 * @param {Template} template
 */
export function problemsView(problems, template) {
    return message('error',
        h('p', {}, `The draft cannot be published: ${count(problems.length, 'problem')}.`),
        folded(problems, (some) => h('ul', {}, some.map((problem) => h('li', {},
            placed(problem, template), sentence(problem))))));
}

/**
 * Names of the conditions that differ, and of those with a changed value in a setting.
 *
 * @param {Pick<Differences, 'conditions' | 'parameters'>} differences
 */
export function changedConditions({conditions: found, parameters}) {
    const prefix = 'conditionalValues.';
    const values = parameters.flatMap(({parts}) => parts.map(({name}) => name))
        .filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    return new Set([...found.map(({name}) => name), ...values]);
}

/**
 * The server's warnings; those about a condition have its name instead of its number. Warnings
 * about conditions that the draft does not change are folded.
 *
 * @param {string[]} texts
 * @param {Draft} draft
 */
function warningsView(texts, {template, changes}) {
    const changed = changedConditions(changes ?? noChanges);
    /** @type {HTMLElement[]} */
    const own = [];
    /** @type {HTMLElement[]} */
    const others = [];
    for (const text of texts) {
        const [start, path] = /^In ((?:[\w.]|\['[^']*'\]|\[\d+\])+): /.exec(text)
            ?? [''];
        const name = path && conditionName(path, template);
        // The field of warnings has ' in place of ".
        const place = path && placeText(path.replaceAll('\'', '"'), template);
        const item = h('li', {}, place ? `In ${place}: ` : start, text.slice(start.length));
        (name && !changed.has(name) ? others : own).push(item);
    }
    /** @param {HTMLElement[]} items */
    const list = (items) => folded(items, (some) => h('ul', {class: 'remarks'}, some));
    const rest = others.length > 0 && unfolding(
        `${count(others.length, 'remark')} on other conditions`, () => list(others));
    return own.length ? message('warning', list(own), rest) : rest;
}

/**
 * Validates the chosen changes on the server, shows the result in `place`, and stores the
 * normalized template in `review`. Skipped for viewers, who must not validate.
 *
 * @param {Pick<PageContext, 'session' | 'workspace'>} context
 * @param {Review} review
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
export async function checkDraft(context, review, place, signal) {
    const {session, workspace} = context;
    const draft = review.chosen;
    if (refusal(session, 'editor')) {
        fill(place);
        return;
    }
    try {
        const {problems, normalized, warning} = await validate(
            workspace.project, draft.template, signal);
        review.normalized = normalized && withoutVersion(normalized);
        fill(place, problems.length ? problemsView(problems, draft.template)
            : warning && warningsView(warningTexts(warning), draft));
    } catch (error) {
        if (signal.aborted) return;
        fill(place, failedReading(error, signal, () => {
            review.checking = checkDraft(context, review, place, signal);
        }, 'warning'));
    }
}

/**
 * Shows in `place` the values that no app is known to send, of the conditions that the draft adds
 * or changes.
 *
 * @param {Pick<PageContext, 'session' | 'workspace'>} context
 * @param {Draft} draft
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
export async function checkValues({session, workspace}, draft, place, signal) {
    if (refusal(session, 'editor')) return;
    const before = new Map(conditions(draft.baseTemplate)
        .map(({name, expression}) => [name, expression]));
    const found = await conditionDoubts(conditions(draft.template).filter((
        {name, expression}) => expression !== before.get(name)), workspace, signal);
    if (!found.length || signal.aborted) return;
    fill(place, message('warning',
        h('p', {}, `${count(found.length, 'condition')} of the draft may not match as written:`),
        folded(found, (some) => h('ul', {class: 'remarks'}, some.map(({condition, doubts}) => (
            h('li', {}, `${condition}: ${doubts.join(' ')}`)))))));
}
