/**
 * Switch of a Boolean setting in the list. It sets the default value in the draft; where conditions
 * have values, which count first, it asks whom the switch is for.
 */

import {openDialog} from '../controls/dialog.js';
import {announce, h} from '../controls/dom.js';
import {withMember} from '../json/json.js';
import {forEverybody, isConditional} from '../template/boolean-values.js';
import {parameter as parameterOf, settingParameter} from '../template/template.js';
import {valuesView} from './setting-view.js';

/** @param {string} value */
const word = (value) => (value === 'true' ? 'on' : 'off');

/**
 * Asks whom a switch is for; undefined when cancelled.
 *
 * @param {Setting} setting
 * @param {Template} template
 * @param {string} value The new default value.
 * @returns {Promise<{value: string, isForAll: boolean} | undefined>}
 */
function askWhom({name, parameter}, template, value) {
    return openDialog(`Switch ${name} ${word(value)}?`, (close) => ({
        body: [
            h('p', {}, 'The switch is the default value. Conditions have values, too, and the '
                + 'first one that is true counts:'),
            valuesView(parameter, template),
            h('p', {class: 'hint'}, '“For everybody” removes the conditional values in the same '
                + 'step of the draft; one Undo brings them back. Values that are pinned for a user '
                + 'stay.')],
        actions: [
            h('button', {type: 'button', 'data-autofocus': true, onclick: () => close()}, 'Cancel'),
            h('button', {type: 'button', onclick: () => close({value, isForAll: false})},
                `Only the default value: ${word(value)}`),
            (value === 'true' ? ['true', 'false'] : ['false']).map((each) => h('button', {
                type: 'button', class: each === value ? 'primary' : '',
                onclick: () => close({value: each, isForAll: true})},
            each === 'true' ? 'On for everybody' : 'Off for everybody'))],
    }), {isForm: false});
}

/**
 * The switch; edits the draft in one step.
 *
 * @param {Setting} setting
 * @param {Workspace} workspace
 */
export function valueSwitch(setting, workspace) {
    const {name, group, key, parameter} = setting;
    const text = (parameter.defaultValue?.value ?? '').toLowerCase();
    /** @param {{value: string, isForAll: boolean}} choice */
    const apply = ({value, isForAll}) => {
        const {template} = workspace;
        const now = parameterOf(template, group, key);
        // Another tab may have deleted it while the question was open.
        if (now === undefined) {
            announce(`${name} was deleted meanwhile.`);
            return;
        }
        workspace.edit(settingParameter(template, group, key, isForAll
            ? forEverybody(now, value) : withMember(now, 'defaultValue', {value})));
        announce(`${name} is ${value}${isForAll ? ' for everybody' : ''} in the draft.`);
    };
    const input = h('input', {type: 'checkbox', role: 'switch', class: 'switch',
        'aria-label': name, 'data-focus': `switch ${name}`, 'data-column': 'value',
        checked: text === 'true', onchange: async () => {
            const value = String(input.checked);
            // Another tab may have added conditional values since the row was drawn.
            const {template} = workspace;
            const now = parameterOf(template, group, key) ?? parameter;
            if (!isConditional(now)) {
                apply({value, isForAll: false});
                return;
            }
            input.checked = !input.checked;
            const choice = await askWhom({...setting, parameter: now}, template, value);
            if (choice) apply(choice);
        }});
    return h('label', {class: 'switch-line'}, input,
        h('span', {class: 'switch-word', 'aria-hidden': 'true'}, text));
}
