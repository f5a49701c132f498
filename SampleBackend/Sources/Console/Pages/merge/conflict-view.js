/**
 * A conflict of a merge, with the choice between both sides.
 */

import {publisherName} from '../controls/controls.js';
import {h, newID} from '../controls/dom.js';
import {valueText} from '../controls/value-view.js';
import {partNames, partValue} from '../differences/difference-parts.js';
import {differingLines} from '../differences/line-diff.js';
import {jsonText} from '../json/json-text.js';
import {entries, member} from '../json/json.js';
import {needsLines} from '../json/line-differences.js';
import {deletionText, lossText} from './dependent-values.js';

/**
 * Display name of the conflicting item.
 *
 * @param {Conflict} conflict
 * @returns {string | undefined}
 */
export function conflictName({kind, section, key, name, field, condition}) {
    switch (kind) {
    case 'PARAMETER':
        if (condition !== undefined) return `${section}.${key}, value for “${condition}”`;
        return field ? `${section}.${key}, ${lowercaseName(field)}` : `${section}.${key}`;
    case 'CONDITION': return `The condition ${name}`;
    case 'GROUP': return `The section ${name}`;
    case 'CONDITION_ORDER': return 'The order of the conditions';
    default: return name;
    }
}

/**
 * Name of a field within a sentence.
 *
 * @param {string} field
 */
function lowercaseName(field) {
    return member(partNames, field)?.toLowerCase() ?? field;
}

/**
 * True for the value of a setting, which is shown whole.
 *
 * @param {any} tree
 */
function isValue(tree) {
    return Boolean(tree) && (member(tree, 'value') !== undefined
        || member(tree, 'useInAppDefault') !== undefined);
}

/**
 * Parts of one side of a conflict; highlights those that differ from `other`.
 *
 * @param {any} side
 * @param {any} other
 */
function sideView(side, other) {
    if (side === undefined) return h('p', {class: 'muted'}, 'Not present.');
    if (Array.isArray(side)) {
        return h('ol', {class: 'names'}, side.map((name) => h('li', {}, valueText(name))));
    }
    if (typeof side !== 'object' || isValue(side) || isValue(other)) {
        const [own, another] = [valueText(side), valueText(other)];
        if (other !== undefined && own !== another && needsLines(another, own)) {
            return differingLines(another, own);
        }
        return h('p', {}, h('code', {class: 'value'}, own || '(empty)'));
    }
    /**
     * @param {any} tree
     * @returns {[string, unknown][]}
     */
    const parts = (tree) => entries(tree ?? {}).flatMap(([name, value]) => (
        name === 'conditionalValues'
            ? entries(value).map(([condition, inner]) => (
                /** @type {[string, unknown]} */ ([`For “${condition}”`, inner])))
            : [/** @type {[string, unknown]} */ (
                [member(partNames, name) ?? name, partValue(name, value)])]));
    const others = new Map(parts(other).map(([name, value]) => [name, jsonText(value)]));
    return h('dl', {class: 'side-parts'}, parts(side).map(([name, value]) => {
        const differs = others.get(name) !== jsonText(value);
        return h('div', {class: differs ? 'differs' : ''}, h('dt', {}, name),
            h('dd', {}, h('code', {class: 'value'}, valueText(value)),
                differs && h('span', {class: 'visually-hidden'}, ' (differs)')));
    }));
}

/**
 * Sentence about the settings for which the order of the conditions decides; null for another
 * conflict.
 *
 * @param {Conflict} conflict
 */
export function orderText({kind, conditions = [], settings = []}) {
    if (kind !== 'CONDITION_ORDER') return null;
    if (!settings.length) return 'No value depends on this choice.';
    const rest = settings.length - 5;
    return `For ${settings.slice(0, 5).map(({section, key}) => `${section}.${key}`).join(', ')}${
        rest > 0 ? ` and ${rest} more` : ''}, this decides which of ${
        conditions.map((name) => `“${name}”`).join(', ')} counts first.`;
}

/**
 * Conflict with a choice between both sides.
 *
 * @param {MergeItem} item
 * @param {string} theirName
 * @param {string | undefined} chosen The chosen side.
 * @param {(side: string) => void} choose
 * @param {{mine: string, theirs: string}} [labels] Names of the sides of a merge without a base.
 */
export function conflictView({conflict, dependents}, theirName, chosen, choose, labels) {
    const group = newID('conflict');
    const explanation = (labels ? null : deletionText(conflict, theirName))
        ?? orderText(conflict);
    /**
     * @param {string} side
     * @param {string} label
     * @param {unknown} tree
     * @param {unknown} other
     */
    const option = (side, label, tree, other) => h('label', {class: 'option'},
        h('span', {class: 'check'}, h('input', {type: 'radio', name: group, value: side,
            checked: chosen === side, onchange: () => choose(side)}), h('strong', {}, label)),
        tree === undefined && dependents.length
            ? h('p', {}, lossText(conflict, dependents, theirName)) : sideView(tree, other));
    const version = conflict.changedBy;
    const theirs = publisherName(version, theirName);
    return h('fieldset', {class: 'card conflict'},
        h('legend', {class: 'key'}, conflictName(conflict)),
        explanation && h('p', {}, explanation),
        !labels && h('details', {}, h('summary', {}, 'What it was when your draft began'),
            sideView(conflict.base, conflict.base)),
        h('div', {class: 'options'},
            option('theirs', labels?.theirs ?? `${theirs}, published${
                version ? ` in version ${version.versionNumber}` : ''}`,
            conflict.theirs, conflict.mine),
            option('mine', labels?.mine ?? 'Yours, in the draft',
                conflict.mine, conflict.theirs)));
}
