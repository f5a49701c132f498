/**
 * Overrides: values pinned for one user, which take precedence over every condition.
 */

import {call, isMissing, projectPath} from './api.js';
import {choice, field, guarded, message, nothing, settingName, table} from './controls.js';
import {ask, dialogForm, openDialog} from './dialog.js';
import {announce, fill, h} from './dom.js';
import {copy, entries, ExactNumber, member, setMember} from './json.js';
import {jsonText, parseJSON} from './json-text.js';
import {problemList} from './problem-list.js';
import {refusal} from './session.js';
import {parameter, sections} from './template.js';

/** Parses an entered value; undefined if the text is no value of the type. */
function valueOf(text, valueType) {
    if (valueType === 'STRING') return text;
    try {
        const value = parseJSON(text);
        const wanted = {BOOLEAN: 'boolean', NUMBER: 'number'}[valueType];
        const isNumber = typeof value === 'number' || value instanceof ExactNumber;
        return !wanted || (wanted === 'number' ? isNumber : typeof value === wanted)
            ? value : undefined;
    } catch {
        return undefined;
    }
}

/**
 * Opens the dialog that pins a value, which stores the changed overrides through `save`.
 *
 * @returns {Promise<?string>} `Section.key` of the pinned setting; undefined when cancelled.
 */
function openPin({workspace}, userID, overrides, save) {
    const settings = sections(workspace.published).flatMap((section) => (
        section.settings.map(({key}) => ({section, key}))));
    const which = choice(settings.map(({section, key}, index) => [
        String(index), `${section.name}.${key}`]), '0', {'data-autofocus': true});
    const value = h('textarea', {class: 'code', rows: '2', spellcheck: 'false',
        oninput: () => problems.show([], value)});
    const problems = problemList();
    const hint = h('p', {class: 'hint'});
    const chosen = () => {
        const {section, key} = settings[Number(which.value)];
        return {section, key,
            type: parameter(workspace.published, section.group, key).valueType ?? 'STRING'};
    };
    const sayType = () => {
        hint.textContent = {BOOLEAN: 'Write true or false.', NUMBER: 'Write a number.',
            JSON: 'Write JSON.', STRING: 'Write the text as it is.'}[chosen().type];
    };
    which.addEventListener('change', sayType);
    sayType();
    return openDialog(`Pin a value for user ${userID}`, (close) => dialogForm({
        fields: [field('Setting', which),
            h('div', {class: 'field'}, field('Value', value, {problems: problems.node}), hint)],
        action: 'Pin it for this user',
        submit: async () => {
            const {section, key, type} = chosen();
            const parsed = valueOf(value.value, type);
            problems.show(parsed === undefined ? [{message: `This is no value of the type ${type}.`
                + ` ${hint.textContent}`}] : [], value);
            if (parsed === undefined) {
                value.focus();
                throw new Error('Mend the value first.');
            }
            const result = copy(overrides);
            const settingsOfSection = member(result, section.name) ?? {};
            setMember(settingsOfSection, key, parsed);
            setMember(result, section.name, settingsOfSection);
            await save(result);
            return `${section.name}.${key}`;
        },
    }, close));
}

/**
 * Table of a user's overrides, with buttons to pin and remove values.
 *
 * @param {object} context Page context.
 * @param {string} userID The user.
 * @param {function(): void} changed Called after a change was stored.
 * @param {AbortSignal} signal Aborts reading the overrides.
 */
export function overridesView(context, userID, changed, signal) {
    const {workspace, project} = context;
    const refused = refusal(context.session, 'publisher');
    const path = projectPath(project, `users/${encodeURIComponent(userID)}/overrides`);
    const place = h('div', {}, h('p', {class: 'muted'}, 'Loading …'));
    const actions = h('div', {class: 'actions'});

    /** Stores the overrides; deletes the resource when there are none left. */
    const save = (overrides) => (Object.keys(overrides).length
        ? call('PUT', path, {body: overrides}) : call('DELETE', path));

    /** Removes one value after a confirmation. */
    const remove = async (overrides, section, key) => {
        const name = `${section}.${key}`;
        if (!await ask({title: `No longer pin ${name}?`, action: 'Remove', isDangerous: true,
            text: `User ${userID} then gets what the conditions say.`})) return;
        const result = copy(overrides);
        delete result[section][key];
        if (!Object.keys(result[section]).length) delete result[section];
        try {
            await save(result);
            announce(`${name} is no longer pinned.`);
            changed();
        } catch (error) {
            fill(place, message('error', error.message));
        }
    };

    const draw = (overrides) => {
        const rows = entries(overrides).flatMap(([section, values]) => (
            entries(values).map(([key, value]) => h('tr', {},
                h('th', {scope: 'row'}, settingName(section, key)),
                h('td', {}, h('code', {class: 'value'}, jsonText(value))),
                h('td', {}, h('div', {class: 'actions'}, guarded(refused, h('button', {
                    type: 'button', class: 'quiet', 'aria-label': `Remove ${section}.${key}`,
                    onclick: () => remove(overrides, section, key)}, 'Remove'))))))));
        fill(place, rows.length ? table('Pinned values', ['Setting', 'Value', ''], rows)
            : h('section', {class: 'card'}, nothing('Nothing is pinned for this user.')));
        const hasSettings = sections(workspace.published).some(({settings}) => settings.length);
        fill(actions, hasSettings && guarded(refused, h('button', {type: 'button',
            'data-focus': 'pin', onclick: async () => {
                const name = await openPin(context, userID, overrides, save);
                if (!name) return;
                announce(`${name} is pinned.`);
                changed();
            }}, 'Pin a value')));
    };
    call('GET', path, {signal}).then(({body}) => draw(body)).catch((error) => {
        if (signal.aborted) return;
        if (isMissing(error)) draw({});
        else fill(place, message('error', error.message));
    });
    return h('section', {class: 'stack', 'aria-labelledby': 'pinned'},
        h('div', {class: 'page-head'}, h('h2', {id: 'pinned'}, 'Pinned for this user'), actions),
        place);
}
