/**
 * Signals of a user: their names in addresses, and the fields in which they are entered. The fields
 * are those of a rule that compares one value.
 */

import {fieldOf} from '../conditions/condition-fields.js';
import {nameOfValue, suggestedControl, valueDoubts} from '../conditions/signal-controls.js';
import {Suggestions} from '../conditions/suggestions.js';
import {field} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {entries, objectOf} from '../json/json.js';
import {CustomSignals, ruleOf} from './custom-signals.js';

const standardSignals = [
    'app.version', 'app.build', 'device.os', 'device.country', 'device.language', 'app.id'];

/** Maximum number of suggestions for custom signals. */
const maximumSuggestions = 12;

const customPrefix = 'signal.';

/** @param {string} name */
const isStandard = (name) => standardSignals.includes(name);

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
 * Fields of the standard signals, each with the name of its value, or the doubt that it is one.
 *
 * @param {SignalForm} form
 * @param {SignalValues} kept
 */
function standardFields(form, kept) {
    return standardSignals.map((name) => {
        const rule = ruleOf(name, null, kept[name] ?? '');
        const input = suggestedControl(form, rule, {});
        const note = h('p', {class: 'hint', 'aria-live': 'polite'});
        const update = () => {
            note.textContent = nameOfValue(rule) || valueDoubts(form, rule);
        };
        // While it is typed, a value has no meaning yet.
        input.addEventListener('change', update);
        update();
        return {rule, update, node: field(fieldOf(rule)?.label ?? name, input, {problems: note})};
    });
}

/**
 * Creates the fields.
 *
 * @param {SignalValues} kept Initial signals by name.
 * @param {?Promise<KnownSignals>} known Signals for suggestions.
 * @returns {SignalFields}
 */
export function signalFields(kept, known = null) {
    const suggestions = new Suggestions(known);
    /** @type {SignalForm} */
    const form = {suggestions, write: () => custom.update()};
    const standard = standardFields(form, kept);
    const custom = new CustomSignals(form, entries(kept).filter(([name]) => !isStandard(name)));
    const offered = h('div', {class: 'actions suggestions'});
    known?.then((signals) => {
        standard.forEach(({update}) => update());
        const found = [...signals.keys].flatMap((key) => {
            const used = signals.values('app.customSignal', key);
            return used.length ? used.map((value) => [key, value]) : [[key, '']];
        });
        fill(offered, found.length > 0 && h('span', {class: 'muted'}, 'Known:'),
            found.slice(0, maximumSuggestions).map(([name, value]) => h('button', {
                type: 'button', class: 'quiet small', onclick: () => custom.set(name, value)},
            `${name} = ${value || '…'}`)));
    });
    const entered = () => [...standard.map(({rule}) => rule), ...custom.rules]
        .map(({element, key, values: [value]}) => (
            /** @type {[string, string]} */ ([key ?? element, value])));
    return {
        values: () => objectOf(entered().filter(([name, value]) => name && value)),
        entered: () => objectOf(entered().filter(([name, value]) => (
            value || (name && !isStandard(name))))),
        check: () => custom.check(),
        node: [h('div', {class: 'grid'}, standard.map(({node}) => node)), custom.node, offered,
            suggestions.node],
    };
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
