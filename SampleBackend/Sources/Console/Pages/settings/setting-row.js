/**
 * One line of the list of settings.
 */

import {badge, conditionChip} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {menuButton} from '../controls/menu.js';
import {valueText, valueView} from '../controls/value-view.js';
import {member} from '../json/json.js';
import {isSwitchable} from '../template/boolean-values.js';
import {isArchived, ownerOf, permanentReasonOf, tagsOf} from '../template/setting-notes.js';
import {conditions} from '../template/template.js';
import {typeName} from '../template/value-types.js';
import {count} from '../text/formats.js';
import {valueSwitch} from './value-switch.js';

/**
 * Conditions with a value: the first one with its value, and the number of others.
 *
 * @param {Parameter} parameter
 * @param {Template} template
 */
function conditionsView({valueType, conditionalValues}, template) {
    const names = conditions(template)
        .filter(({name}) => Object.hasOwn(conditionalValues ?? {}, name));
    if (!names.length) return h('span', {class: 'setting-conditions'});
    const [{name, tagColor}] = names;
    /** @param {string} one */
    const valueOf = (one) => member(conditionalValues, one);
    return h('span', {class: 'setting-conditions', title: names.map((one) => (
        `${one.name}: ${valueText(valueOf(one.name))}`)).join('\n')},
    conditionChip(name, tagColor),
    h('span', {class: 'conditional-value'}, valueView(valueOf(name), valueType)),
        names.length > 1 && h('span', {class: 'muted more-conditions'}, `+${names.length - 1}`,
            h('span', {class: 'visually-hidden'},
                ` ${count(names.length - 1, 'more condition')}`)));
}

/**
 * What the template tells people about a setting, on one line.
 *
 * @param {Parameter} parameter
 */
function notesOf(parameter) {
    return [parameter.description, ownerOf(parameter), tagsOf(parameter).join(', '),
        permanentReasonOf(parameter) && `permanent: ${permanentReasonOf(parameter)}`]
        .filter(Boolean).join(' · ');
}

/**
 * Element of a setting.
 *
 * @param {Setting} setting Entry of `settingsOf`.
 * @param {PageContext} context Page context.
 * @param {{mayEdit: boolean, isSelected: boolean, isDraft: boolean, open: function(): void,
 *     select: function(boolean, boolean): void, menu: () => MenuItem[], changed: *}} options
 *     `isDraft` is true if the draft changes it; `select` receives the new state and whether Shift
 *     was held; `changed` is who changed it last.
 */
export function settingRow(setting, {workspace}, {
    mayEdit, isSelected, isDraft, open, select, menu, changed}) {
    const {name, key, parameter} = setting;
    const archived = isArchived(parameter);
    const notes = notesOf(parameter);
    /** @type {HTMLInputElement | false} */
    const box = mayEdit && h('input', {type: 'checkbox', checked: isSelected, class: 'pick',
        'aria-label': `Select ${name}`, 'data-focus': `select ${name}`, 'data-column': 'pick',
        onclick: (event) => box && select(box.checked, event.shiftKey)});
    return h('div', {class: `setting${isSelected ? ' selected' : ''}${archived ? ' archived' : ''}`,
        'data-path': setting.path},
        mayEdit && h('label', {class: 'pick-place'}, box),
        h('div', {class: 'setting-name'},
            h('h3', {class: 'key'}, h('button', {type: 'button', class: 'key-button',
                'aria-label': `${mayEdit ? 'Edit' : 'Show'} ${name}`, title: key,
                'data-focus': `edit ${name}`, 'data-column': 'key', onclick: open}, key)),
            isDraft && badge('In the draft', 'changed'),
            notes && h('p', {class: 'muted', title: notes}, notes)),
        h('span', {class: 'setting-type muted'}, typeName(parameter.valueType)),
        h('div', {class: 'setting-value'}, archived
            ? h('span', {class: 'badge', title: 'Nobody gets it.'}, 'Archived') : mayEdit
            && isSwitchable(parameter.valueType, parameter.defaultValue)
            ? valueSwitch(setting, workspace)
            : valueView(parameter.defaultValue, parameter.valueType)),
        conditionsView(parameter, workspace.template),
        h('span', {class: 'setting-changed muted'}, changed),
        menuButton(`More for ${name}`, menu, {
            'data-focus': `more ${name}`, 'data-column': 'more'}));
}
