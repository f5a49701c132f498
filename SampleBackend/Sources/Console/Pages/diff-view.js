/**
 * Renders the differences between two templates.
 */

import {badge, count, settingName} from './controls.js';
import {h} from './dom.js';
import {lineDiff} from './line-diff.js';
import {needsLines} from './line-differences.js';
import {colorName, settingAt} from './template.js';
import {typeName} from './value-types.js';
import {valueText} from './value-view.js';
import {differenceCount} from './server-draft.js';

const words = {ADDED: 'Added', REMOVED: 'Removed', CHANGED: 'Changed'};

/**
 * Display names of the parts of settings, conditions and sections.
 *
 * @type {Record<string, string>}
 */
export const partNames = {
    defaultValue: 'Default value', valueType: 'Type', description: 'Description',
    expression: 'Expression', condition: 'Condition', tagColor: 'Colour', name: 'Name',
    value: 'Value', position: 'Place among the conditions',
    masterKeyOnly: 'Only with the master key',
};

/**
 * Display name of a part.
 *
 * @param {string} name
 */
function partName(name) {
    const conditional = 'conditionalValues.';
    if (name.startsWith(conditional)) return `Value for “${name.slice(conditional.length)}”`;
    return partNames[name] ?? name;
}

/**
 * Value of a part before (`old`) or after (`new`); null when absent.
 *
 * @param {'old' | 'new'} kind
 * @param {unknown} value
 */
function side(kind, value) {
    const label = kind === 'old' ? 'Before' : 'After';
    if (value === undefined) return null;
    return h('div', {class: `side ${kind}`},
        h('span', {class: 'side-label'}, label), h('code', {}, valueText(value) || '(empty)'));
}

/**
 * Both sides of a part: line by line when one is long, else one below the other.
 *
 * @param {PartDifference} partDifference
 * @param {boolean} isText
 */
function sides({old, new: now}, isText) {
    const [before, after] = [valueText(old), valueText(now)];
    if (needsLines(before, after)) return lineDiff(before, after, {isText});
    return [side('old', old), side('new', now)];
}

/**
 * A value of a part as it is called in the forms.
 *
 * @param {string} name
 * @param {unknown} value
 */
export function partValue(name, value) {
    if (typeof value !== 'string') return value;
    if (name === 'valueType') return typeName(value);
    return name === 'tagColor' ? colorName(value) : value;
}

/**
 * @param {PartDifference[]} list
 * @param {string} [valueType]
 */
function parts(list, valueType) {
    /** @param {string} name */
    const isText = (name) => valueType === 'STRING' || name === 'description';
    return h('dl', {class: 'parts'}, list.map((part) => h('div', {},
        h('dt', {}, partName(part.name)), h('dd', {}, sides({...part,
            old: partValue(part.name, part.old), new: partValue(part.name, part.new),
        }, isText(part.name))))));
}

/**
 * List item of one difference; `name` is an element. `revert` undoes the change; `note` appears
 * below the parts; `valueType` is the type of a setting, if known.
 *
 * @param {HTMLElement} name
 * @param {string} label
 * @param {Difference} difference
 * @param {{revert?: false | (() => void), note?: unknown, valueType?: string}} options
 */
function item(name, label, {change, parts: list}, options) {
    const {revert, note, valueType} = options;
    return h('li', {class: 'difference'},
        h('div', {class: 'difference-head'}, badge(words[change], change.toLowerCase()), name,
            revert && h('button', {type: 'button', class: 'quiet revert',
                'data-focus': `revert ${label}`, 'aria-label': `Revert ${label}`,
                onclick: revert}, 'Revert')),
        parts(list, valueType), note);
}

/**
 * The settings that a changed condition affects.
 *
 * @param {string[]} names
 */
function concernedView(names) {
    if (!names.length) return h('p', {class: 'hint'}, 'No setting has a value for it.');
    const list = h('ul', {class: 'plain'}, names.map((name) => h('li', {}, h('code', {}, name))));
    return h('details', {}, h('summary', {}, `Concerns ${count(names.length, 'setting')}`), list);
}

/**
 * Heading with its list; false when the list is empty.
 *
 * @param {string} title
 * @param {HTMLElement[]} items
 */
function group(title, items) {
    return items.length > 0 && h('section', {class: 'difference-group'},
        h('h3', {}, title), h('ul', {class: 'plain'}, items));
}

/**
 * Differences counted by kind, such as "2 settings, 1 condition".
 *
 * @param {Differences} difference
 */
export function differenceSummary(difference) {
    const texts = [
        {number: difference.parameters.length, thing: 'setting'},
        {number: difference.conditions.length, thing: 'condition'},
        {number: difference.groups.length, thing: 'section'},
    ].filter(({number}) => number > 0).map(({number, thing}) => count(number, thing));
    return texts.join(', ') || 'Nothing';
}

/**
 * A difference of a condition; an added condition has its position as a part, if known.
 *
 * @param {Difference} found
 * @param {((name: string) => string)} [placeOf]
 */
function withPlace(found, placeOf) {
    const place = found.change === 'ADDED' && placeOf?.(found.name);
    return place ? {...found, parts: [...found.parts, {name: 'position', new: place}]} : found;
}

/**
 * Renders differences as lists by kind.
 *
 * @param {Differences} difference Response of `remoteConfig:diff`, or the `changes` of a draft.
 * @param {{revert?: function(DifferenceKind, Difference): void, usesOf?: function(string): string[],
 *     placeOf?: function(string): string, template?: Template}} [options] `revert` takes back a
 *     difference of the kind `setting`, `condition` or `group`; `usesOf` names the settings with a
 *     value for a condition; `placeOf` returns the position of an added condition, such as "1 of 3";
 *     `template` has the types of the settings; without it, texts that look like JSON are compared
 *     as JSON.
 */
export function diffView(difference, options = {}) {
    const {revert, usesOf, placeOf, template} = options;
    const {omitted = 0} = difference;
    /** @param {Difference} difference */
    const typeOf = ({section, key}) => {
        const found = template ? settingAt(template, section, key) : undefined;
        return found && (found.parameter.valueType ?? 'STRING');
    };
    /**
     * @param {DifferenceKind} kind
     * @param {Difference} found
     */
    const reverting = (kind, found) => (revert ? () => revert(kind, found) : undefined);
    if (!differenceCount(difference)) {
        return h('p', {class: 'muted'}, 'The settings, conditions and sections are the same.');
    }
    return h('div', {class: 'diff'},
        group('Settings', difference.parameters.map((found) => item(
            settingName(found.section, found.key), `${found.section}.${found.key}`, found,
            {revert: reverting('setting', found), valueType: typeOf(found)}))),
        group('Conditions', difference.conditions.map((found) => item(
            h('span', {}, found.name), found.name, withPlace(found, placeOf),
            {revert: reverting('condition', found),
                note: usesOf && concernedView(usesOf(found.name))}))),
        group('Sections', difference.groups.map((found) => item(
            h('span', {}, found.name), found.name, found,
            {revert: reverting('group', found)}))),
        omitted > 0 && h('p', {class: 'muted'},
            `${count(omitted, 'more change')} of this very large template cannot be shown.`));
}
