/**
 * Row of the builder for one rule: field, name of the signal, comparison and values.
 */

import {definedValues, fieldOf, fields, meantValue, missingValue, operatorOf, setField, setOperator,
    suggestedValues, takesList} from './condition-fields.js';
import {choice} from './controls.js';
import {h, newID} from './dom.js';

/**
 * Switch that negates a rule or a group.
 *
 * @param {ConditionBuilder} builder
 * @param {ConditionView} view
 * @param {string} path
 */
export function negation(builder, view, path) {
    const box = h('input', {type: 'checkbox', checked: Boolean(view.isNegated),
        'data-focus': `${path} not`, onchange: () => {
            view.isNegated = box.checked;
            builder.write();
        }});
    return h('label', {class: 'check negation'}, box, ' not');
}

/**
 * Suggestions for the values of a rule, as `[value, name]` pairs.
 *
 * @param {ConditionBuilder} builder
 * @param {RuleView} rule
 */
function suggested(builder, rule) {
    return suggestedValues(rule, builder.known);
}

/**
 * Control for one value of a rule.
 *
 * @param {ConditionBuilder} builder
 * @param {RuleView} rule
 * @param {number} index
 * @param {string} path
 * @param {Attributes} attributes
 */
function oneValue(builder, rule, index, path, attributes) {
    const input = h('input', {autocomplete: 'off', spellcheck: 'false', 'aria-label': 'Value',
        'data-focus': `${path} value ${index}`, value: rule.values[index] ?? '', ...attributes,
        oninput: () => {
            rule.values[index] = input.value.trim();
            builder.write();
        },
        onchange: () => {
            const value = meantValue(suggested(builder, rule), input.value.trim());
            if (value === input.value) return;
            input.value = value;
            rule.values[index] = value;
            builder.write();
        }});
    return input;
}

/**
 * Control for a list of values, which can be removed and added.
 *
 * @param {ConditionBuilder} builder
 * @param {RuleView} rule
 * @param {string} path
 */
function manyValues(builder, rule, path) {
    const names = new Map(definedValues(rule.element));
    const place = `${path} value`;
    const add = () => {
        const value = meantValue(suggested(builder, rule), input.value.trim());
        input.value = '';
        if (!value || rule.values.includes(value)) return;
        rule.values.push(value);
        builder.restructure(place);
    };
    const input = h('input', {type: 'text', autocomplete: 'off', spellcheck: 'false',
        list: builder.suggestions(() => suggested(builder, rule)), 'aria-label': 'Another value',
        placeholder: rule.values.length ? 'Another value' : 'Value', 'data-focus': place,
        onchange: add, onkeydown: (event) => {
            if (event.key !== 'Enter') return;
            // Enter adds the value instead of submitting the form.
            event.preventDefault();
            add();
        }});
    return h('div', {class: 'rule-values'}, rule.values.map((value, index) => (
        h('span', {class: 'rule-value'}, h('code', {}, value), names.get(value)
            && h('span', {class: 'muted'}, names.get(value)),
        h('button', {type: 'button', class: 'quiet small', 'aria-label': `Remove ${value}`,
            onclick: () => {
                rule.values.splice(index, 1);
                builder.restructure(place);
            }}, '×')))), input);
}

/**
 * Controls for the time of a rule, and its time zone.
 *
 * @param {ConditionBuilder} builder
 * @param {RuleView} rule
 * @param {string} path
 */
function timeValues(builder, rule, path) {
    const time = h('input', {type: 'datetime-local', step: '1', value: rule.values[0] ?? '',
        'aria-label': 'Time', 'data-focus': `${path} value`, oninput: () => {
            rule.values[0] = time.value.length === 16 ? `${time.value}:00` : time.value;
            builder.write();
        }});
    const zone = h('input', {type: 'text', value: rule.values[1] ?? '', autocomplete: 'off',
        placeholder: 'GMT', 'aria-label': 'Time zone', 'data-focus': `${path} zone`,
        list: builder.suggestions(() => definedValues('timeZone')), oninput: () => {
            const name = zone.value.trim();
            rule.values = [rule.values[0] ?? '', ...(name ? [name] : [])];
            builder.write();
        }});
    return [time, zone];
}

/**
 * Controls for the values of a rule.
 *
 * @param {ConditionBuilder} builder
 * @param {RuleView} rule
 * @param {string} path
 */
function valueControls(builder, rule, path) {
    const operator = operatorOf(rule);
    if (rule.element === 'dateTime') return timeValues(builder, rule, path);
    if (rule.element === 'constant') {
        const select = choice([['true', 'everybody'], ['false', 'nobody']], rule.values[0], {
            'aria-label': 'Value', 'data-focus': `${path} value 0`, onchange: () => {
                rule.values = [select.value];
                builder.write();
            }});
        return select;
    }
    if (takesList(rule.element, operator)) return manyValues(builder, rule, path);
    if (rule.element === 'percent') {
        const attributes = {type: 'number', min: '0', max: '100', step: 'any', class: 'number'};
        return (operator === 'between' ? [0, 1] : [0]).map((index) => (
            oneValue(builder, rule, index, path, attributes)));
    }
    const isNumber = rule.element === 'app.customSignal';
    return oneValue(builder, rule, 0, path, {type: 'text', inputmode: isNumber ? 'decimal' : null,
        list: builder.suggestions(() => suggested(builder, rule))});
}

/**
 * Control for the name of a rule's signal, or for the seed of a percentage.
 *
 * @param {ConditionBuilder} builder
 * @param {RuleView} rule
 * @param {string} path
 */
function keyControl(builder, rule, path) {
    if (rule.key === null && rule.element !== 'percent') return null;
    const isPercent = rule.element === 'percent';
    const input = h('input', {type: 'text', value: rule.key ?? '', autocomplete: 'off',
        spellcheck: 'false', 'data-focus': `${path} key`,
        'aria-label': isPercent ? 'Seed of the percentage' : 'Name of the signal',
        placeholder: isPercent ? 'Seed, a name' : 'Name',
        list: isPercent ? null
            : builder.suggestions(() => (
                [...builder.known?.keys ?? []].map((key) => /** @type {Choice} */ ([key, ''])))),
        oninput: () => {
            rule.key = input.value.trim() || (isPercent ? null : '');
            builder.write();
        },
        // The suggested values depend on the signal.
        onchange: () => builder.suggestAgain()});
    return input;
}

/**
 * Creates the line.
 *
 * @param {ConditionBuilder} builder The `ConditionBuilder`.
 * @param {RuleView} rule View of the rule, which the controls change.
 * @param {string} path Place of the rule among all.
 * @param {function(): void} remove Removes the rule.
 */
export function conditionRule(builder, rule, path, remove) {
    builder.count += 1;
    const field = fieldOf(rule);
    const removal = h('button', {type: 'button', class: 'quiet small',
        'aria-label': `Remove rule ${builder.count}`, onclick: remove}, '×');
    const hint = h('p', {class: 'hint', id: newID('hint')});
    /** @param {...unknown} content */
    const group = (...content) => h('div', {class: 'rule-line', role: 'group',
        'aria-label': `Rule ${builder.count}`, 'aria-describedby': hint.id}, content, hint);
    builder.hint(() => {
        hint.textContent = missingValue(rule) ?? '';
    });
    if (!field) {
        return group(negation(builder, rule, path), h('code', {class: 'expression'}, rule.text),
            h('span', {class: 'muted'}, 'stays unchanged'), removal);
    }
    const choices = fields.map(({element: name, label}) => /** @type {Choice} */ ([name, label]));
    const element = choice(choices, field.element, {
        'aria-label': 'Field', 'data-focus': `${path} field`, onchange: () => {
            setField(rule, element.value);
            builder.restructure();
        }});
    const comparison = choice(field.comparisons, operatorOf(rule), {
        'aria-label': 'Comparison', 'data-focus': `${path} comparison`, onchange: () => {
            setOperator(rule, comparison.value);
            builder.restructure();
        }});
    return group(negation(builder, rule, path), element, keyControl(builder, rule, path),
        field.comparisons.length > 1 ? comparison
            : h('span', {class: 'muted'}, field.comparisons[0][1]),
        valueControls(builder, rule, path), removal);
}
