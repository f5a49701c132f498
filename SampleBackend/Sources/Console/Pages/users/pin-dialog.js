/**
 * Dialog that pins a value for one user, with a control for the setting's type.
 */

import {Combobox} from '../controls/combobox.js';
import {field, message} from '../controls/controls.js';
import {dialogForm} from '../controls/dialog-form.js';
import {openDialog} from '../controls/dialog.js';
import {fill, h} from '../controls/dom.js';
import {problemList} from '../controls/problem-list.js';
import {jsonText, parseJSON} from '../json/json-text.js';
import {entries, ExactNumber, isEqual, isObject, member} from '../json/json.js';
import {labelledControl} from '../settings/value-field.js';
import {isArchived} from '../template/setting-notes.js';
import {sections, settingAt} from '../template/template.js';
import {typeName} from '../template/value-types.js';
import {marked} from '../text/hidden-characters.js';
import {reasonText} from './user-settings.js';

/** @type {Record<string, string>} */
const hints = {BOOLEAN: 'Switch it on or off.', NUMBER: 'Such as 3, -0.5 or 1e6.',
    JSON: 'Such as [1, 2] or {"a": true}.', STRING: 'Write the text as it is.'};

/**
 * True if a JSON value has a setting's type.
 *
 * @param {unknown} value
 * @param {string} valueType
 */
export function isOfType(value, valueType) {
    switch (valueType) {
    case 'BOOLEAN': return typeof value === 'boolean';
    case 'NUMBER': return typeof value === 'number' || value instanceof ExactNumber;
    case 'JSON': return true;
    default: return typeof value === 'string';
    }
}

/**
 * Parses an entered value; undefined if the text is not a value of the type.
 *
 * @param {string} text
 * @param {string} valueType
 */
export function valueOf(text, valueType) {
    if (valueType === 'STRING') return text;
    try {
        const value = parseJSON(text);
        return isOfType(value, valueType) ? value : undefined;
    } catch {
        return undefined;
    }
}

/**
 * True without a number that is too large for a floating-point number, such as 1e400.
 *
 * @param {unknown} tree
 * @returns {boolean}
 */
function isFiniteTree(tree) {
    if (typeof tree === 'number' || tree instanceof ExactNumber) {
        return Number.isFinite(Number(String(tree)));
    }
    if (Array.isArray(tree)) return tree.every(isFiniteTree);
    return !isObject(tree) || entries(tree).every(([, value]) => isFiniteTree(value));
}

/**
 * Sentence about an entered text that is not a value of the type; null for a value.
 *
 * @param {string} text
 * @param {string} valueType
 */
export function pinProblem(text, valueType) {
    if (valueType === 'STRING') return null;
    try {
        const value = parseJSON(text);
        if (isOfType(value, valueType) && isFiniteTree(value)) return null;
        if (valueType === 'JSON') return 'A number is too large.';
    } catch ({message}) {
        if (valueType === 'JSON') return `This is not JSON: ${message}`;
    }
    return text.trim() ? `“${text.trim()}” is not a ${typeName(valueType).toLowerCase()}.`
        : `Enter a ${typeName(valueType).toLowerCase()}.`;
}

/**
 * Type of a setting by its section and key; undefined when the template has no such setting.
 *
 * @param {Template} template
 * @param {string} sectionName
 * @param {string} key
 */
export function typeOf(template, sectionName, key) {
    const found = settingAt(template, sectionName, key);
    return found && (found.parameter.valueType ?? 'STRING');
}

/**
 * Opens the dialog, which stores the changed pinned values through `save`.
 *
 * @param {Workspace} workspace The workspace.
 * @param {string} userID The user.
 * @param {Overrides} overrides Pinned values by section and key.
 * @param {(section: string, key: string, value: unknown, shown: {value: unknown}) =>
 *     Promise<unknown>} save Stores a value for a section and a key in place of the one that the
 *     dialog has shown; returns the stored value. An error with a member `value` means that another
 *     value is pinned, which the dialog then shows.
 * @param {{pinned?: ?PinnedSetting, kept?: ?{setting: string, text: string},
 *     notice?: ?HTMLElement, reasonOf?: ReasonOf}} options `pinned` is the setting whose pinned
 *     value is changed; null to choose one. `kept` are the fields of an unfinished form. `notice`
 *     appears above the fields. `reasonOf` returns the value that the user gets.
 * @returns {Promise<string | undefined>} `Section.key` of the pinned setting; undefined when
 *     cancelled.
 */
export async function openPin(
    workspace, userID, overrides, save, options = {}) {
    const {pinned = null, kept = null, notice = null} = options;
    const template = workspace.published;
    const names = new Map(sections(template).flatMap((section) => (
        section.settings.map(({key}) => /** @type {[string, PinnedSetting]} */ (
            [`${section.name}.${key}`, {section: section.name, key}])))));
    const which = new Combobox({
        options: () => [...names.keys()].map((name) => [name, name]),
        value: pinned ? `${pinned.section}.${pinned.key}` : kept?.setting ?? '',
        chosen: () => draw(),
        attributes: {'data-autofocus': !pinned, disabled: Boolean(pinned)}});
    which.input.addEventListener('input', () => draw());
    // Escape restores the previously chosen name.
    which.popup.addEventListener('toggle', () => draw());
    const written = () => which.input.value.trim();
    const whichProblems = problemList();
    const place = h('div', {});
    /** @type {?ReturnType<typeof labelledControl>} */
    let control = null;
    let text = '';
    /**
     * Entered texts by the setting's name: another choice of the setting keeps them.
     *
     * @type {Map<string, string>}
     */
    const entered = new Map(kept ? [[kept.setting, kept.text]] : []);
    /** @type {PinnedSetting | null | undefined} */
    let drawn = null;
    /** Values that the dialog showed instead of those in `overrides`, by the setting's name. */
    const shown = new Map();

    const draw = () => {
        const chosen = names.get(written());
        if (drawn === chosen) return;
        whichProblems.show([], which.input);
        drawn = chosen;
        control = null;
        if (!chosen) {
            fill(place);
            return;
        }
        const {section, key} = chosen;
        const valueType = typeOf(template, section, key) ?? 'STRING';
        const value = member(member(overrides, section), key);
        text = value === undefined ? (valueType === 'BOOLEAN' ? 'false' : '')
            : typeof value === 'string' && valueType === 'STRING' ? value : jsonText(value);
        text = entered.get(written()) ?? text;
        control = labelledControl('Value', valueType, text, (changed) => {
            text = changed;
            entered.set(written(), text);
            showProblem(valueType);
        });
        const now = h('p', {class: 'hint'});
        options.reasonOf?.(section, key).then((reason) => {
            if (reason?.value === undefined) return;
            fill(now, 'Now the user gets ', h('code', {}, jsonText(reason.value)),
                `: ${reasonText(reason)}.`);
        });
        const parameter = settingAt(template, section, key)?.parameter;
        fill(place, control.node, h('p', {class: 'hint'}, hints[valueType]),
            parameter && isArchived(parameter) && h('p', {class: 'hint'},
                'The setting is archived: the value has no effect until it is restored.'),
            now);
    };
    /**
     * Shows whether the text is a value of the type; true if it is.
     *
     * @param {string} valueType
     */
    const showProblem = (valueType) => {
        const message = pinProblem(text, valueType);
        control?.showProblems(message === null ? [] : [{message}]);
        return message === null;
    };
    draw();
    /** @type {?{value: unknown, kept: unknown}} */
    let stored = null;
    /** @type {string | undefined} */
    const name = await openDialog(`Pin a value for user ${marked(userID)}`, (close) => dialogForm({
        fields: [notice, field('Setting', which, {problems: whichProblems.node,
            hint: pinned ? undefined : 'Type parts of its name.'}), place],
        action: 'Pin it for this user',
        submit: async () => {
            const chosen = names.get(written());
            if (!chosen) {
                whichProblems.show([{message: 'This setting does not exist. Choose another one.'}],
                    which.input);
                which.focus();
                throw new Error('Choose a setting first.');
            }
            const {section, key} = chosen;
            const valueType = typeOf(template, section, key) ?? 'STRING';
            control?.send();
            if (!showProblem(valueType)) {
                control?.focus();
                throw new Error('Fix the value first.');
            }
            const name = `${section}.${key}`;
            const before = shown.get(name) ?? {value: member(member(overrides, section), key)};
            const value = valueOf(text, valueType);
            try {
                stored = {value, kept: await save(section, key, value, before)};
            } catch (error) {
                if ('value' in error) shown.set(name, {value: error.value});
                throw error;
            }
            return name;
        },
    }, close), {isDirty: () => entered.size > 0, form: {
        user: workspace.user, project: workspace.project, kind: 'pin',
        arguments: [userID, pinned], content: () => ({setting: written(), text})}});
    const last = /** @type {?{value: unknown, kept: unknown}} */ (stored);
    if (name && last && !isEqual(last.value, last.kept)) {
        await showKept(name, jsonText(last.value), jsonText(last.kept));
    }
    return name;
}

/**
 * Reports that the server stored another value than the entered one.
 *
 * @param {string} name
 * @param {string} entered
 * @param {string} kept
 */
function showKept(name, entered, kept) {
    return openDialog(`${name} is pinned`, (close) => ({
        body: message('warning', h('p', {},
            'It is stored as ', h('code', {}, kept), ', instead of ', h('code', {}, entered), '.')),
        actions: h('button', {type: 'button', class: 'primary', 'data-autofocus': true,
            onclick: () => close(true)}, 'Close'),
    }));
}
