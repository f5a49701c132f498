/**
 * Fields for a user's signals, and the note about missing ones.
 */

import {definedValues} from './condition-fields.js';
import {field} from './controls.js';
import {fill, h, newID} from './dom.js';
import {entries, objectOf} from './json.js';

const standardSignals = [
    ['app.version', 'App version'], ['app.build', 'Build'], ['device.os', 'System'],
    ['device.country', 'Country'], ['device.language', 'Language'], ['app.id', 'App ID'],
];

/** Maximum number of suggestions for custom signals. */
const maximumSuggestions = 12;

const customPrefix = 'signal.';

/** @param {string} name */
const isStandard = (name) => standardSignals.some(([known]) => known === name);

/**
 * Name of a custom signal without its prefix, if the server reads both as the same signal; a name
 * such as `signal.app.id` keeps the prefix.
 *
 * @param {string} name
 */
function shortName(name) {
    const rest = name.slice(customPrefix.length);
    return isStandard(rest) || rest.startsWith(customPrefix) ? name : rest;
}

/**
 * Signals as query parameters, by the names that clients use; custom ones as `signal.name`.
 *
 * @param {SignalValues} signals
 * @returns {SignalValues}
 */
export function signalParameters(signals) {
    return Object.fromEntries(entries(signals).map(([name, value]) => (
        [isStandard(name) || name.startsWith(customPrefix) ? name : customPrefix + name, value])));
}

/**
 * Signals of query parameters.
 *
 * @param {Iterable<[string, string]>} query
 * @returns {SignalValues}
 */
export function signalsOf(query) {
    return objectOf([...query].flatMap(([name, value]) => {
        if (isStandard(name)) return [[name, value]];
        return name.startsWith(customPrefix) ? [[shortName(name), value]] : [];
    }));
}

/**
 * Parses lines of the form `name = value`.
 *
 * @param {string} text
 * @returns {[string, string][]}
 */
export function pairsOf(text) {
    return text.split('\n').filter((line) => line.trim()).map((line) => {
        const [name, ...rest] = line.split('=');
        return [name.trim(), rest.join('=').trim()];
    });
}

/**
 * Creates the fields.
 *
 * @param {SignalValues} kept Initial signals by name.
 * @param {?Promise<KnownSignals>} known Signals for suggestions.
 * @returns {{values: () => SignalValues, node: HTMLElement[]}} `values` returns the entered signals
 *     by name, without empty ones.
 */
export function signalFields(kept, known = null) {
    const standard = standardSignals.map(([name, label]) => {
        const list = h('datalist', {id: newID('signals')}, definedValues(name)
            .map(([value, text]) => h('option', {value}, text)));
        const input = h('input', {type: 'text', autocomplete: 'off', spellcheck: 'false',
            value: kept[name] ?? '', list: list.id});
        return {name, input, list, node: h('div', {}, field(label, input), list)};
    });
    const own = entries(kept).filter(([name]) => !isStandard(name));
    const custom = h('textarea', {class: 'code', rows: '2', spellcheck: 'false',
        placeholder: 'plan = gold', value: own.map((pair) => pair.join(' = ')).join('\n')});
    const suggestions = h('div', {class: 'actions suggestions'});
    const values = () => objectOf([
        ...standard.map(({name, input}) => (
            /** @type {[string, string]} */ ([name, input.value.trim()]))),
        ...pairsOf(custom.value),
    ].filter(([name, value]) => name && value !== ''));

    /**
     * Sets a custom signal to a value.
     *
     * @param {string} name
     * @param {string} value
     */
    const take = (name, value) => {
        const others = pairsOf(custom.value).filter(([other]) => other !== name);
        custom.value = [...others, [name, value]].map((pair) => pair.join(' = ')).join('\n');
        custom.focus();
    };
    known?.then((signals) => {
        for (const {name, list} of standard) {
            const defined = new Set(definedValues(name).map(([value]) => value));
            list.append(...signals.values(name).filter((value) => !defined.has(value))
                .map((value) => h('option', {value})));
        }
        const found = [...signals.keys].flatMap((key) => {
            const used = signals.values('app.customSignal', key);
            return used.length ? used.map((value) => [key, value]) : [[key, '']];
        });
        fill(suggestions, found.length > 0 && h('span', {class: 'muted'}, 'Known:'),
            found.slice(0, maximumSuggestions).map(([name, value]) => h('button', {
                type: 'button', class: 'quiet small', onclick: () => take(name, value)},
            `${name} = ${value || '…'}`)));
    });
    return {values, node: [h('div', {class: 'grid'}, standard.map(({node}) => node)),
        field('Custom signals', custom, {hint: 'One per line, as name = value.'}), suggestions]};
}

/**
 * Note that conditions on missing signals count as false; false when none are missing.
 *
 * @param {{missingSignals?: string[]}} user
 */
export function assumption({missingSignals = []}) {
    return missingSignals.length > 0 && h('p', {class: 'hint'},
        `Unknown: ${missingSignals.join(', ')}. Conditions on `
        + `${missingSignals.length === 1 ? 'it' : 'them'} count as false.`);
}
