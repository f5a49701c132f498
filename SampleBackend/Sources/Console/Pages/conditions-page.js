/**
 * Conditions page: the conditions by priority, highest first.
 */

import {badge, conditionChip, count, guarded, nothing, pageHead} from './controls.js';
import {openConditionDialog} from './condition-dialog.js';
import {ask} from './dialog.js';
import {announce, fill, h, redraw} from './dom.js';
import {jsonText} from './json-text.js';
import {refusal} from './session.js';
import {conditions, movingCondition, removingCondition, usesOfCondition} from './template.js';

/** Deletes a condition, and every value for it, from the draft after a confirmation. */
async function remove({workspace}, name, uses) {
    const isSure = await ask({
        title: `Delete the condition ${name}?`, isDangerous: true, action: 'Delete the condition',
        text: uses.length
            ? `Its value goes from ${count(uses.length, 'setting')}: ${uses.slice(0, 5).join(', ')}`
                + `${uses.length > 5 ? ' and others' : ''}.` : 'No setting uses it.'});
    if (!isSure) return;
    workspace.edit(removingCondition(workspace.template, name));
    announce(`The condition ${name} is deleted from the draft.`);
}

/** List item of a condition; `refused` is why the session may not edit, or null. */
function row(condition, index, all, context, refused) {
    const {workspace} = context;
    const {name, expression, tagColor} = condition;
    const uses = usesOfCondition(workspace.template, name);
    const move = (to) => {
        workspace.edit(movingCondition(workspace.template, index, to));
        announce(`${name} is now number ${to + 1} of ${all.length}.`);
    };
    const moveButton = (text, label, to) => {
        const isPossible = to >= 0 && to < all.length;
        // `aria-disabled`, since `disabled` would take the focus away at the end of the list.
        const button = h('button', {type: 'button', class: 'quiet icon',
            'aria-label': `Move ${name} ${label}`, 'data-focus': `${label} ${name}`,
            'aria-disabled': isPossible ? null : 'true',
            onclick: () => isPossible && move(to)}, text);
        return guarded(refused, button);
    };
    return h('li', {class: 'condition'},
        h('span', {class: 'rank', 'aria-hidden': 'true'}, index + 1),
        h('div', {class: 'condition-text'},
            h('h2', {}, conditionChip(name, tagColor)),
            h('code', {class: 'expression'}, expression ?? jsonText(condition.condition)),
            h('p', {class: 'muted'}, uses.length
                ? h('span', {title: uses.join(', ')}, `Used by ${count(uses.length, 'setting')}`)
                : badge('Not used'))),
        h('div', {class: 'actions'},
            moveButton('↑', 'up', index - 1), moveButton('↓', 'down', index + 1),
            guarded(refused, h('button', {type: 'button', 'aria-label': `Edit ${name}`,
                'data-focus': `edit ${name}`,
                onclick: () => openConditionDialog(context, index)}, 'Edit')),
            guarded(refused, h('button', {type: 'button', class: 'quiet',
                'aria-label': `Delete ${name}`, onclick: () => remove(context, name, uses)},
            'Delete'))));
}

function show(main, context) {
    const {workspace} = context;
    const refused = refusal(context.session, 'editor');
    const list = h('div', {});
    const draw = () => {
        const all = conditions(workspace.template);
        redraw(list, all.length
            ? h('ol', {class: 'plain card conditions'}, all.map((condition, index) => (
                row(condition, index, all, context, refused))))
            : nothing('There are no conditions yet: everybody gets the default values.'));
    };
    fill(main,
        pageHead('Conditions', 'Who gets a value of their own. For each setting, the first '
            + 'condition that is true and has a value counts.',
        guarded(refused, h('button', {type: 'button', 'data-focus': 'add-condition',
            onclick: () => openConditionDialog(context, null)}, 'Add condition'))),
        list);
    draw();
    workspace.addEventListener('change', draw);
    return () => workspace.removeEventListener('change', draw);
}

export const conditionsPage = {path: 'conditions', title: 'Conditions', show};
