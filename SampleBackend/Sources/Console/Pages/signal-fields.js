/**
 * Fields for a user's signals, and the hint about missing ones.
 */

import {field} from './controls.js';
import {h} from './dom.js';
import {entries, objectOf} from './json.js';

const standardSignals = [
    ['app.version', 'App version'], ['app.build', 'Build'], ['device.os', 'System'],
    ['device.country', 'Country'], ['device.language', 'Language'], ['app.id', 'App ID'],
];

/**
 * Creates the fields.
 *
 * @param {object} kept Initial signals by name.
 * @returns {{values: function(): object, node: HTMLElement[]}} `values` returns the entered signals
 *     by name, without empty ones.
 */
export function signalFields(kept) {
    const standard = standardSignals.map(([name, label]) => {
        const input = h('input', {type: 'text', autocomplete: 'off', spellcheck: 'false',
            value: kept[name] ?? ''});
        return {name, input, node: field(label, input)};
    });
    const own = entries(kept).filter(([name]) => (
        !standardSignals.some(([known]) => known === name)));
    const custom = h('textarea', {class: 'code', rows: '2', spellcheck: 'false',
        placeholder: 'plan = gold', value: own.map((pair) => pair.join(' = ')).join('\n')});
    const values = () => objectOf([
        ...standard.map(({name, input}) => [name, input.value.trim()]),
        ...custom.value.split('\n').filter((line) => line.trim())
            .map((line) => {
                const [name, ...rest] = line.split('=');
                return [name.trim(), rest.join('=').trim()];
            }),
    ].filter(([name, value]) => name && value !== ''));
    return {values, node: [h('div', {class: 'grid'}, standard.map(({node}) => node)),
        field('Custom signals', custom, {hint: 'One a line, as name = value.'})]};
}

/** Hint that conditions on missing signals count as false; false when none are missing. */
export function assumption({missingSignals = []}) {
    return missingSignals.length > 0 && h('p', {class: 'hint'},
        `Not known: ${missingSignals.join(', ')}. Conditions on `
        + `${missingSignals.length === 1 ? 'it' : 'them'} count as false.`);
}
