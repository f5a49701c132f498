/**
 * Shows what differs between two templates.
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

/** What a part is called. */
function partName(name) {
    const conditional = 'conditionalValues.';
    if (name.startsWith(conditional)) return `Value for “${name.slice(conditional.length)}”`;
    return partNames[name] ?? name;
}

/** One side of a part. */
function side(kind, value) {
    const label = kind === 'old' ? 'Before' : 'After';
    if (value === undefined) return null;
    return h('div', {class: `side ${kind}`},
        h('span', {class: 'side-label'}, label), h('code', {}, valueText(value) || '(empty)'));
}

/** The parts that differ, before and after. */
function parts(list) {
    return h('dl', {class: 'parts'}, list.map((part) => h('div', {},
        h('dt', {}, partName(part.name)),
        h('dd', {}, side('old', part.old), side('new', part.new)))));
}

/** A thing that differs. */
function item(name, change, list) {
    return h('li', {class: 'difference'},
        h('div', {class: 'difference-head'}, badge(words[change], change.toLowerCase()), name),
        parts(list));
}

/** A heading with its list, unless there is nothing in it. */
function group(title, items) {
    return items.length > 0 && h('section', {class: 'difference-group'},
        h('h3', {}, title), h('ul', {class: 'plain'}, items));
}

/** How many things of each kind differ, in words. */
export function differenceSummary(difference) {
    const words = [
        [difference.parameters.length, 'setting'], [difference.conditions.length, 'condition'],
        [difference.groups.length, 'section'],
    ].filter(([number]) => number > 0).map(([number, thing]) => count(number, thing));
    return words.join(', ') || 'Nothing';
}

/**
 * Shows differences.
 *
 * @param {object} difference As `differences` and `remoteConfig:diff` answer.
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
