/**
 * Actions on settings: link, duplicate, move, delete, conditional values.
 */

import {copyText} from '../controls/clipboard.js';
import {Combobox} from '../controls/combobox.js';
import {choice, field} from '../controls/controls.js';
import {dialogForm} from '../controls/dialog-form.js';
import {ask, openDialog} from '../controls/dialog.js';
import {announce, h} from '../controls/dom.js';
import {withMember} from '../json/json.js';
import {wholeAddress} from '../routing/address-bar.js';
import {address} from '../routing/router.js';
import {problemsWithin, sentence, validateEdit} from '../server/validation.js';
import {parameterPath} from '../template/paths.js';
import {isArchived} from '../template/setting-notes.js';
import {conditions, editingParametersAt, movingParameters, parameter, removingParameters, sections,
    withConditionalValue} from '../template/template.js';
import {count} from '../text/formats.js';
import {openSettingDialog} from './setting-dialog.js';
import {settingsOf} from './setting-index.js';
import {valueField} from './value-field.js';

/**
 * Names of settings in a sentence: the first five.
 *
 * @param {Setting[]} settings
 */
function namesOf(settings) {
    const names = settings.slice(0, 5).map(({name}) => name).join(', ');
    return settings.length > 5 ? `${names} and ${settings.length - 5} more` : names;
}

/**
 * The given settings that the draft still has.
 *
 * @param {{template: Template}} workspace
 * @param {Setting[]} settings
 */
function present({template}, settings) {
    return settings.filter(({group, key}) => parameter(template, group, key) !== undefined);
}

/**
 * Copies the address of a setting, or shows it if the browser prevents copying.
 *
 * @param {Setting} setting
 */
export async function copyLink({name, path}) {
    const link = new URL(address('settings', {at: path}), wholeAddress()).href;
    if (await copyText(link)) announce(`Link to ${name} copied.`);
    else {
        const text = h('input', {type: 'text', readonly: true, value: link,
            'data-autofocus': true, onfocus: () => text.select()});
        await openDialog(`Link to ${name}`, (close) => ({
            body: field('Address', text, {hint: 'Copy it from here.'}),
            actions: h('button', {type: 'button', onclick: () => close()}, 'Close')}));
    }
}

/**
 * Opens the dialog for a new setting with the values of another one; it is not archived.
 *
 * @param {PageContext} context
 * @param {Setting} setting
 */
export function duplicate(context, {group, key, parameter: content}) {
    const {template} = context.workspace;
    let copyKey = `${key}_copy`;
    for (let number = 2; parameter(template, group, copyKey) !== undefined; number += 1) {
        copyKey = `${key}_copy${number}`;
    }
    return openSettingDialog(context, group, null,
        {key: copyKey, parameter: withMember(content, 'archived', undefined)});
}

/**
 * Asks for confirmation, then deletes settings from the draft; true when they were deleted.
 *
 * @param {{workspace: Workspace}} context
 * @param {Setting[]} settings
 */
export async function remove({workspace}, settings) {
    const isOne = settings.length === 1;
    const wasArchived = settings.some(({parameter: content}) => isArchived(content));
    const isSure = await ask({
        title: `Delete ${isOne ? settings[0].name : count(settings.length, 'setting')}?`,
        isDangerous: true,
        action: isOne ? 'Delete the setting' : `Delete ${count(settings.length, 'setting')}`,
        text: `${isOne ? 'It goes' : `${namesOf(settings)} go`} from your draft now, and from the `
            + 'users with the next publish. Their apps then use their own default. Users for '
            + `whom a value is pinned ${wasArchived ? 'get it again' : 'keep it'} until the pin is `
            + 'removed.'});
    if (!isSure) return false;
    // Another tab may have changed the draft while the dialog was open.
    workspace.edit(removingParameters(workspace.template, present(workspace, settings)));
    announce(`${isOne ? `${settings[0].name} is` : `${count(settings.length, 'setting')} are`} `
        + 'deleted from the draft.');
    return true;
}

/**
 * Archives a setting in the draft, or restores it.
 *
 * @param {{workspace: Workspace}} context
 * @param {Setting} setting
 */
export function toggleArchived({workspace}, setting) {
    const archives = !isArchived(setting.parameter);
    workspace.edit(editingParametersAt(workspace.template, present(workspace, [setting]),
        (old) => withMember(old, 'archived', archives || undefined)));
    announce(archives
        ? `${setting.name} is archived in the draft. Nobody gets it after the next publish.`
        : `${setting.name} is restored in the draft.`);
}

/**
 * Asks for a section, and moves settings to it; true when they were moved.
 *
 * @param {{workspace: Workspace}} context
 * @param {Setting[]} settings
 */
export async function move({workspace}, settings) {
    const targets = sections(workspace.template)
        .filter(({group}) => settings.some((setting) => setting.group !== group));
    const section = choice(targets.map(({name}, index) => [String(index), name]), '0',
        {'data-autofocus': true});
    const title = settings.length === 1
        ? `Move ${settings[0].name}` : `Move ${count(settings.length, 'setting')}`;
    const isMoved = await openDialog(title, (close) => (targets.length ? dialogForm({
        fields: field('To the section', section, {
            hint: 'Apps read a setting by its section and key: in another section, it is '
                + 'another setting to them.'}),
        action: 'Move',
        submit: async () => {
            const {template} = workspace;
            const {group, name} = targets[Number(section.value)];
            if (!sections(template).some((other) => other.group === group)) {
                throw new Error(`The section ${name} was deleted meanwhile. Choose another one.`);
            }
            const moved = present(workspace, settings)
                .filter((setting) => setting.group !== group);
            const keys = new Set();
            const taken = moved.filter(({key}) => {
                const isTaken = keys.has(key) || parameter(template, group, key) !== undefined;
                keys.add(key);
                return isTaken;
            });
            if (taken.length) {
                throw new Error(`${name} would have two settings of one key: rename `
                    + `${namesOf(taken)} first.`);
            }
            workspace.edit(movingParameters(template, moved, group));
            announce(`${count(moved.length, 'setting')} moved to ${name} in the draft.`);
        },
    }, close) : {
        body: h('p', {}, 'There is no other section. Add one first.'),
        actions: h('button', {type: 'button', onclick: () => close()}, 'Close')}));
    return isMoved === true;
}

/**
 * Asks for a condition and a value, and sets it for settings; true when it was set.
 *
 * @param {{workspace: Workspace}} context
 * @param {Setting[]} settings
 * @param {?{condition: string, value: ParameterValue, isRemoved: boolean}} [kept] Fields of an
 *     unfinished form.
 */
export async function setConditionalValue({workspace}, settings, kept = null) {
    const all = conditions(workspace.template);
    const types = new Set(settings.map(({parameter: content}) => content.valueType ?? 'STRING'));
    const title = `Value of ${count(settings.length, 'setting')} for a condition`;
    if (!all.length) {
        await openDialog(title, (close) => ({
            body: h('p', {}, 'There are no conditions yet. Add one on the page Conditions.'),
            actions: h('button', {type: 'button', onclick: () => close()}, 'Close')}));
        return false;
    }
    const condition = new Combobox({options: () => all.map(({name}) => [name, name]),
        value: kept?.condition ?? (all.length === 1 ? all[0].name : ''),
        attributes: {'data-autofocus': true, placeholder: 'Choose a condition'}});
    // One value only fits settings of the same type; the in-app default fits all types.
    let isDirty = Boolean(kept);
    const value = valueField({label: 'Value', isDefault: false,
        changed: () => {
            isDirty = true;
        },
        valueType: types.size === 1 ? [...types][0] : 'STRING',
        value: kept?.value ?? (types.size === 1 ? {value: ''} : {useInAppDefault: true})});
    const removal = h('input', {type: 'checkbox', checked: kept?.isRemoved ?? false,
        onchange: () => {
            value.node.hidden = removal.checked;
        }});
    value.node.hidden = removal.checked;
    const submit = async () => {
        if (!condition.value) {
            throw new Error(condition.unchosen
                ? `There is no condition “${condition.unchosen}”. Choose one of the list.`
                : 'Choose a condition first.');
        }
        const content = removal.checked ? undefined : value.value();
        if (content?.value !== undefined && types.size > 1) {
            throw new Error('The settings are of different types: select those of one type, or '
                + 'choose the in-app default.');
        }
        const edited = () => {
            const {template} = workspace;
            if (!conditions(template).some(({name}) => name === condition.value)) {
                throw new Error(`The condition ${condition.value} was deleted meanwhile. Choose `
                    + 'another one.');
            }
            return editingParametersAt(template, present(workspace, settings), (old) => (
                withConditionalValue(template, old, condition.value, content)));
        };
        const problems = await validateEdit(workspace, edited());
        // The review shows problems elsewhere in the draft.
        const problem = settings.flatMap(({group, key}) => (
            problemsWithin(problems, parameterPath(group, key))))[0];
        if (problem) throw new Error(sentence(problem));
        // Another tab may have changed the draft during validation.
        workspace.edit(edited());
        announce(`${count(present(workspace, settings).length, 'setting')} changed in the draft.`);
    };
    return await openDialog(title, (close) => dialogForm({
        fields: [h('p', {class: 'muted'}, namesOf(settings)), field('Condition', condition),
            h('label', {class: 'check'}, removal, ' Remove the value for it'), value.node],
        action: 'Set in the draft', submit,
    }, close), {isWide: true, isDirty: () => isDirty, form: {
        user: workspace.user, project: workspace.project, kind: 'conditional-value',
        arguments: [settings.map(({path}) => path)], content: () => ({
            condition: condition.value, value: value.value(),
            isRemoved: removal.checked})}}) === true;
}

/**
 * The settings of a template at the given paths; omits those that no longer exist.
 *
 * @param {Template} template
 * @param {Set<string>} paths
 */
export function settingsAt(template, paths) {
    return settingsOf(template).filter(({path}) => paths.has(path));
}
