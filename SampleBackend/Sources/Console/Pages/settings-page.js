/**
 * Settings page: the sections and their settings, with default and conditional values.
 */

import {badge, choice, conditionChip, count, field, guarded, nothing, pageHead}
    from './controls.js';
import {isChanged} from './diff.js';
import {ask} from './dialog.js';
import {announce, fill, h, redraw} from './dom.js';
import {openSectionDialog} from './section-dialog.js';
import {refusal} from './session.js';
import {openSettingDialog} from './setting-dialog.js';
import {conditions, removingGroup, removingParameter, sections} from './template.js';
import {member} from './json.js';
import {typeName, valueTypes} from './value-types.js';
import {valueText, valueView} from './value-view.js';

/**
 * Searches a setting's `Section.key`, description, values and condition names. `text` has to be in
 * lower case.
 */
function matches({key, parameter}, section, text) {
    const values = [parameter.defaultValue, ...Object.values(parameter.conditionalValues ?? {})];
    return [`${section.name}.${key}`, parameter.description ?? '', ...values.map(valueText),
        ...Object.keys(parameter.conditionalValues ?? {})]
        .some((part) => part.toLowerCase().includes(text));
}

/** List of a setting's values: the conditional ones by priority, then the default. */
function values(parameter, template) {
    const row = (name, value) => h('div', {class: 'value-row'},
        h('dt', {}, name), h('dd', {}, valueView(value, parameter.valueType)));
    const conditional = conditions(template)
        .map(({name, tagColor}) => [name, tagColor, member(parameter.conditionalValues, name)])
        .filter(([, , value]) => value !== undefined)
        .map(([name, tagColor, value]) => row(conditionChip(name, tagColor), value));
    return h('dl', {class: 'values'}, conditional,
        row(h('span', {class: 'muted'}, conditional.length ? 'Otherwise' : 'Everybody'),
            parameter.defaultValue));
}

function settingRow(section, {key, parameter}, context, refused) {
    const {workspace} = context;
    const name = `${section.name}.${key}`;
    const isNew = isChanged(workspace.baseTemplate, workspace.template, section.group, key);
    const remove = async () => {
        const isSure = await ask({
            title: `Delete ${name}?`, isDangerous: true, action: 'Delete the setting',
            text: 'It goes from your draft now, and from the users with the next publish. Their '
                + 'apps then use their own default.'});
        if (!isSure) return;
        workspace.edit(removingParameter(workspace.template, section.group, key));
        announce(`${name} is deleted from the draft.`);
    };
    return h('li', {class: 'setting'},
        h('div', {class: 'setting-name'},
            h('h3', {class: 'key'}, key),
            h('div', {class: 'badges'}, badge(typeName(parameter.valueType)),
                isNew && badge('In the draft', 'changed')),
            parameter.description && h('p', {class: 'muted'}, parameter.description)),
        values(parameter, workspace.template),
        h('div', {class: 'actions'},
            guarded(refused, h('button', {type: 'button', 'aria-label': `Edit ${name}`,
                'data-focus': `edit ${name}`,
                onclick: () => openSettingDialog(context, section.group, key)}, 'Edit')),
            guarded(refused, h('button', {type: 'button', class: 'quiet',
                'aria-label': `Delete ${name}`, 'data-focus': `delete ${name}`, onclick: remove},
            'Delete'))));
}

/** Card of a section with those of its settings that match the filter. */
function sectionView(section, shown, context, refused) {
    const {workspace} = context;
    const remove = async () => {
        const isSure = await ask({
            title: `Delete the section ${section.name}?`, isDangerous: true,
            action: 'Delete the section',
            text: `Its ${count(section.settings.length, 'setting')} will be deleted with it.`});
        if (!isSure) return;
        workspace.edit(removingGroup(workspace.template, section.group));
        announce(`The section ${section.name} is deleted from the draft.`);
    };
    const id = `section-${section.group === null ? 'outside' : `group-${section.name}`}`;
    return h('section', {class: 'card', 'aria-labelledby': id},
        h('div', {class: 'card-head'},
            h('div', {}, h('h2', {id}, section.name),
                section.description && h('p', {class: 'muted'}, section.description)),
            h('div', {class: 'actions'},
                section.group !== null && guarded(refused, h('button', {
                    type: 'button', class: 'quiet',
                    'aria-label': `Edit the section ${section.name}`,
                    'data-focus': `section ${section.name}`,
                    onclick: () => openSectionDialog(context, section.group)}, 'Edit section')),
                section.group !== null && guarded(refused, h('button', {
                    type: 'button', class: 'quiet',
                    'aria-label': `Delete the section ${section.name}`, onclick: remove},
                'Delete section')),
                guarded(refused, h('button', {
                    type: 'button', 'aria-label': `Add a setting to ${section.name}`,
                    'data-focus': `add ${section.name}`,
                    onclick: () => openSettingDialog(context, section.group, null)},
                'Add setting')))),
        shown.length
            ? h('ul', {class: 'plain settings'}, shown.map((setting) => (
                settingRow(section, setting, context, refused))))
            : nothing('This section has no settings yet.'));
}

function show(main, context) {
    const {workspace} = context;
    const refused = refusal(context.session, 'editor');
    const filter = {text: context.query.get('find') ?? '', type: '', isChangedOnly: false};
    const list = h('div', {class: 'stack'});
    const found = h('p', {class: 'muted', role: 'status'});

    const draw = () => {
        const {template, baseTemplate} = workspace;
        const text = filter.text.trim().toLowerCase();
        const isFiltering = Boolean(text || filter.type || filter.isChangedOnly);
        const shown = sections(template).map((section) => [section, section.settings
            .filter((setting) => !text || matches(setting, section, text))
            .filter(({parameter}) => !filter.type
                || (parameter.valueType ?? 'STRING') === filter.type)
            .filter(({key}) => !filter.isChangedOnly
                || isChanged(baseTemplate, template, section.group, key))])
            .filter(([, settings]) => settings.length || !isFiltering);
        const total = shown.reduce((sum, [, settings]) => sum + settings.length, 0);
        found.textContent = isFiltering ? `${count(total, 'setting')} found`
            : `${count(total, 'setting')} in ${count(shown.length, 'section')}`;
        redraw(list, shown.length
            ? shown.map(([section, settings]) => sectionView(section, settings, context, refused))
            : nothing(isFiltering ? 'No setting is like this.'
                : 'There is nothing here yet. Add a section, then its settings.'));
    };

    const search = h('input', {type: 'search', value: filter.text,
        placeholder: 'Key, value, description, condition', oninput: () => {
            filter.text = search.value;
            draw();
        }});
    const type = choice([['', 'All types'], ...valueTypes], '', {onchange: () => {
        filter.type = type.value;
        draw();
    }});
    const changed = h('input', {type: 'checkbox', onchange: () => {
        filter.isChangedOnly = changed.checked;
        draw();
    }});
    fill(main,
        pageHead('Settings', `What the apps of ${context.project} get.`,
            guarded(refused, h('button', {type: 'button', 'data-focus': 'add-section',
                onclick: () => openSectionDialog(context, null)}, 'Add section'))),
        h('div', {class: 'filters', role: 'search'},
            field('Find', search), field('Type', type),
            h('label', {class: 'check'}, changed, ' Only what the draft changes'), found),
        list);
    draw();
    workspace.addEventListener('change', draw);
    return () => workspace.removeEventListener('change', draw);
}

export const settingsPage = {path: 'settings', title: 'Settings', show};
