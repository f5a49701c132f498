/**
 * Controls for the name and the value of a signal, which rules of conditions and the signals of a
 * user share.
 *
 * `form` is the form of the controls: its suggestions, and `write`, which is called after each
 * edit.
 */

import {h} from '../controls/dom.js';
import {meantValue, missingRegions, suggestedValues, unknownValue, valueName}
    from '../template/defined-values.js';
import {listedValues, pasteListed} from '../template/value-list.js';

/** Elements that are compared with one value or with a list. */
const listElements = new Set(['user.id', 'app.id', 'device.os']);

/**
 * Control for one value of a rule. A name or an outdated code becomes the value that apps send.
 *
 * @param {SignalForm} form
 * @param {RuleView} rule
 * @param {number} index
 * @param {Attributes} attributes
 */
export function valueControl(form, rule, index, attributes) {
    const {suggestions} = form;
    const input = h('input', {type: 'text', autocomplete: 'off', spellcheck: 'false',
        autocapitalize: 'off', value: rule.values[index] ?? '', onpaste: pasteListed, ...attributes,
        oninput: () => {
            rule.values[index] = input.value.trim();
            form.write();
        },
        onchange: () => {
            const value = meantValue(rule, input.value.trim(), suggestions.known);
            if (value === input.value) return;
            input.value = value;
            rule.values[index] = value;
            form.write();
        }});
    return input;
}

/**
 * `valueControl` with suggestions.
 *
 * @param {SignalForm} form
 * @param {RuleView} rule
 * @param {Attributes} attributes
 */
export function suggestedControl(form, rule, attributes) {
    const {suggestions} = form;
    return valueControl(form, rule, 0, {
        list: suggestions.add(() => suggestedValues(rule, suggestions.known)), ...attributes});
}

/**
 * Control for the name of a custom signal.
 *
 * @param {SignalForm} form
 * @param {RuleView} rule
 * @param {Attributes} attributes
 */
export function signalNameControl(form, rule, attributes) {
    const {suggestions} = form;
    const input = h('input', {type: 'text', value: rule.key ?? '', autocomplete: 'off',
        spellcheck: 'false', autocapitalize: 'off', 'aria-label': 'Name of the signal',
        placeholder: 'Name', list: suggestions.add(() => (
            [...suggestions.known?.keys ?? []].map((key) => /** @type {Choice} */ ([key, ''])))),
        ...attributes,
        oninput: () => {
            rule.key = input.value.trim();
            form.write();
        },
        // The suggested values depend on the signal.
        onchange: () => suggestions.update()});
    return input;
}

/**
 * Sentences about the values of a rule that are complete, but perhaps not what was meant: values
 * that no app is known to send, and a list that is compared as one value.
 *
 * @param {SignalForm} form
 * @param {RuleView} rule
 */
export function valueDoubts({suggestions}, rule) {
    const {element, comparison, values: [value = '']} = rule;
    if (listElements.has(element) && comparison !== 'in' && listedValues(value).length > 1) {
        return `This is one value: “${value}”. For a list, choose “is one of”.`;
    }
    const isExact = element === 'device.language' && comparison === 'exactlyMatches';
    return [...rule.values.map((each) => unknownValue(rule, each, suggestions.known)),
        isExact ? missingRegions(rule.values) : null]
        .filter((doubt) => doubt !== null).join(' ');
}

/**
 * Name of a rule's first value, such as "Germany" for DE; empty for a value without one.
 *
 * @param {RuleView} rule
 */
export function nameOfValue({element, values}) {
    return valueName(element, values[0] ?? '');
}
