/**
 * Renders the differences between two templates.
 */

import {badge, count, settingName} from './controls.js';
import {differenceCount} from './diff.js';
import {h} from './dom.js';
import {valueText} from './value-view.js';

const words = {ADDED: 'Added', REMOVED: 'Removed', CHANGED: 'Changed'};

const partNames = {
    defaultValue: 'Default value', valueType: 'Type', description: 'Description',
    expression: 'Expression', condition: 'Condition', tagColor: 'Colour',
    position: 'Place among the conditions', masterKeyOnly: 'Only with the master key',
};

/** Display name of a part. */
function partName(name) {
    const conditional = 'conditionalValues.';
    if (name.startsWith(conditional)) return `Value for “${name.slice(conditional.length)}”`;
    return partNames[name] ?? name;
}

/** Value of a part before (`old`) or after (`new`); null when absent. */
function side(kind, value) {
    const label = kind === 'old' ? 'Before' : 'After';
    if (value === undefined) return null;
    return h('div', {class: `side ${kind}`},
        h('span', {class: 'side-label'}, label), h('code', {}, valueText(value) || '(empty)'));
}

function parts(list) {
    return h('dl', {class: 'parts'}, list.map((part) => h('div', {},
        h('dt', {}, partName(part.name)),
        h('dd', {}, side('old', part.old), side('new', part.new)))));
}

/** List item of one difference; `name` is an element. */
function item(name, change, list) {
    return h('li', {class: 'difference'},
        h('div', {class: 'difference-head'}, badge(words[change], change.toLowerCase()), name),
        parts(list));
}

/** Heading with its list; false when the list is empty. */
function group(title, items) {
    return items.length > 0 && h('section', {class: 'difference-group'},
        h('h3', {}, title), h('ul', {class: 'plain'}, items));
}

/** Differences counted by kind, such as "2 settings, 1 condition". */
export function differenceSummary(difference) {
    const words = [
        [difference.parameters.length, 'setting'], [difference.conditions.length, 'condition'],
        [difference.groups.length, 'section'],
    ].filter(([number]) => number > 0).map(([number, thing]) => count(number, thing));
    return words.join(', ') || 'Nothing';
}

/**
 * Renders differences as lists by kind.
 *
 * @param {object} difference Result of `differences` or `remoteConfig:diff`.
 */
export function diffView(difference) {
    if (!differenceCount(difference)) {
        return h('p', {class: 'muted'}, 'These versions hold the same settings and conditions.');
    }
    return h('div', {class: 'diff'},
        group('Settings', difference.parameters.map(({section, key, change, parts}) => item(
            settingName(section, key), change, parts))),
        group('Conditions', difference.conditions.map(({name, change, parts}) => item(
            h('span', {}, name), change, parts))),
        group('Sections', difference.groups.map(({name, change, parts}) => item(
            h('span', {}, name), change, parts))));
}
