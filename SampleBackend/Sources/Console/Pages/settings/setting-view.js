/**
 * Dialog that shows a setting with its full values to users who cannot edit it.
 */

import {badge, conditionChip} from '../controls/controls.js';
import {openDialog} from '../controls/dialog.js';
import {h} from '../controls/dom.js';
import {valueView} from '../controls/value-view.js';
import {member} from '../json/json.js';
import {isArchived, ownerOf, permanentReasonOf, tagsOf} from '../template/setting-notes.js';
import {conditions} from '../template/template.js';
import {typeName} from '../template/value-types.js';

/**
 * The values of a setting, in the order in which they count.
 *
 * @param {Parameter} parameter
 * @param {Template} template
 */
export function valuesView(parameter, template) {
    /**
     * @param {HTMLElement} who
     * @param {ParameterValue | undefined} value
     */
    const row = (who, value) => h('div', {class: 'value-row'}, h('dt', {}, who),
        h('dd', {}, valueView(value, parameter.valueType, {isWhole: true})));
    const conditional = conditions(template)
        .map((condition) => (
            {condition, value: member(parameter.conditionalValues, condition.name)}))
        .filter(({value}) => value !== undefined);
    return h('dl', {class: 'values'},
        conditional.map(({condition, value}) => row(
            conditionChip(condition.name, condition.tagColor), value)),
        row(h('span', {class: 'muted'}, conditional.length ? 'Otherwise' : 'Everyone'),
            parameter.defaultValue));
}

/**
 * Owner, tags and permanence of a setting; false without any.
 *
 * @param {Parameter} parameter
 */
function notesView(parameter) {
    const notes = /** @type {[string, string][]} */ ([['Owner', ownerOf(parameter)],
        ['Tags', tagsOf(parameter).join(', ')],
        ['Permanent, because', permanentReasonOf(parameter)]]).filter(([, text]) => text);
    return notes.length > 0 && h('dl', {class: 'values'}, notes.map(([name, text]) => (
        h('div', {class: 'value-row'}, h('dt', {class: 'muted'}, name), h('dd', {}, text)))));
}

/**
 * Opens the dialog for an entry of `settingsOf`.
 *
 * @param {PageContext} context
 * @param {Setting} setting
 */
export async function openSettingView({workspace}, {name, parameter}) {
    await openDialog(name, (close) => ({
        body: [
            h('p', {class: 'badges'}, badge(typeName(parameter.valueType)),
                isArchived(parameter) && badge('Archived: nobody gets it')),
            parameter.description && h('p', {}, parameter.description),
            notesView(parameter),
            valuesView(parameter, workspace.template),
        ],
        actions: h('button', {type: 'button', 'data-autofocus': true, onclick: () => close()},
            'Close'),
    }), {isWide: true});
}
