/**
 * Row of the builder for one rule: field, name of the signal, comparison and values.
 */

import {choice} from '../controls/controls.js';
import {fill, h, newID} from '../controls/dom.js';
import {problemList} from '../controls/problem-list.js';
import {definedValues, meantValue} from '../template/defined-values.js';
import {comparisonRemark} from '../template/number-digits.js';
import {percentProblem} from '../template/percent.js';
import {fieldOf, fields, missingValue, operatorOf, setField, setOperator, takesList}
    from './condition-fields.js';
import {signalNameControl, suggestedControl, valueControl, valueDoubts} from './signal-controls.js';
import {valueListField} from './value-list-field.js';
import {zoneHint} from './zone-times.js';

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
    /** @param {string} name */
    const setZone = (name) => {
        rule.values = [rule.values[0] ?? '', ...(name ? [name] : [])];
        builder.write();
    };
    /** @type {HTMLInputElement} */
    const zone = h('input', {type: 'text', value: rule.values[1] ?? '', autocomplete: 'off',
        placeholder: 'GMT', 'aria-label': 'Time zone', 'data-focus': `${path} zone`,
        list: builder.suggestions.add(() => definedValues('timeZone')),
        oninput: () => setZone(zone.value.trim()),
        onchange: () => {
            const name = meantValue({element: 'timeZone', key: null}, zone.value.trim());
            if (name === zone.value) return;
            zone.value = name;
            setZone(name);
        }});
    return [time, zone];
}

/**
 * True for a rule that compares a signal with a number.
 *
 * @param {RuleView} rule
 */
function isNumber(rule) {
    return rule.element === 'app.customSignal' && !takesList(rule.element, operatorOf(rule));
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
    if (takesList(rule.element, operator)) return valueListField(builder, rule, path);
    /** @param {number} index */
    const named = (index) => ({'aria-label': 'Value', 'data-focus': `${path} value ${index}`});
    if (rule.element === 'percent') {
        const attributes = {inputmode: 'decimal', class: 'number'};
        return (operator === 'between' ? [0, 1] : [0]).map((index) => (
            valueControl(builder, rule, index, {...attributes, ...named(index)})));
    }
    return suggestedControl(
        builder, rule, {inputmode: isNumber(rule) ? 'decimal' : null,
            placeholder: fieldOf(rule)?.example ?? null, ...named(0)});
}

/** Explains the seed of a percentage. */
const seedHint = 'The seed is a name without spaces: shares with the same seed, or without one, '
    + 'have the same users; another seed selects others.';

/**
 * Control for the name of a rule's signal, or for the seed of a percentage.
 *
 * @param {ConditionBuilder} builder
 * @param {RuleView} rule
 * @param {string} path
 */
function keyControl(builder, rule, path) {
    if (rule.element !== 'percent') {
        return rule.key === null ? null
            : signalNameControl(builder, rule, {'data-focus': `${path} key`});
    }
    const input = h('input', {type: 'text', value: rule.key ?? '', autocomplete: 'off',
        spellcheck: 'false', 'data-focus': `${path} key`,
        'aria-label': 'Seed of the percentage', placeholder: 'Seed, a name', oninput: () => {
            rule.key = input.value.trim() || null;
            builder.write();
        }});
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
    const problems = problemList();
    problems.node.id = newID('problems');
    const line = h('div', {class: 'rule-line', role: 'group',
        'aria-label': `Rule ${builder.count}`,
        'aria-describedby': `${hint.id} ${problems.node.id}`});
    /** @param {...unknown} content */
    const group = (...content) => fill(line, content, hint, problems.node);
    builder.hint(() => {
        const found = builder.problem?.rule === rule ? builder.problem : null;
        // Without the column, which is one of the expression.
        const mistyped = rule.element === 'percent' && !rule.values.includes('')
            ? missingValue(rule) : null;
        const message = found?.problem.message ?? mistyped;
        problems.show(message ? [{message}] : []);
        for (const part of ['key', 'value']) {
            const isWrong = found !== null && part === (found.isKey ? 'key' : 'value');
            for (const control of line.querySelectorAll(`[data-focus^="${path} ${part}"]`)) {
                const isMistyped = mistyped && control instanceof HTMLInputElement
                    && part === 'value' && percentProblem(control.value);
                if (isWrong || isMistyped) control.setAttribute('aria-invalid', 'true');
                else control.removeAttribute('aria-invalid');
            }
        }
        hint.textContent = mistyped ? '' : missingValue(rule)
            ?? (isNumber(rule) ? comparisonRemark(rule.values[0] ?? '') : null)
            ?? (rule.element === 'dateTime' ? zoneHint(rule.values) : null)
            ?? (rule.element === 'percent' ? seedHint : valueDoubts(builder, rule));
    });
    if (!field) {
        return group(negation(builder, rule, path), h('code', {class: 'expression'}, rule.text),
            h('span', {class: 'muted'}, 'stays unchanged'), removal);
    }
    const choices = fields.map(({element: name, label}) => /** @type {Choice} */ ([name, label]));
    const parts = h('div', {class: 'rule-parts'});
    // A select stays in place when its value changes: typing goes on in it, and the first letter
    // already changes the value.
    const element = choice(choices, field.element, {
        'aria-label': 'Field', 'data-focus': `${path} field`, onchange: () => {
            setField(rule, element.value, builder.seed);
            builder.write();
            fill(parts, ruleParts(builder, rule, path));
        }});
    fill(parts, ruleParts(builder, rule, path));
    return group(negation(builder, rule, path), element, parts, removal);
}

/**
 * What follows the field of a rule: the name of the signal, comparison and values.
 *
 * @param {ConditionBuilder} builder
 * @param {RuleView} rule
 * @param {string} path
 */
function ruleParts(builder, rule, path) {
    const {comparisons} = fieldOf(rule) ?? {comparisons: []};
    const values = h('div', {class: 'rule-parts'}, valueControls(builder, rule, path));
    const comparison = choice(comparisons, operatorOf(rule), {
        'aria-label': 'Comparison', 'data-focus': `${path} comparison`, onchange: () => {
            setOperator(rule, comparison.value);
            builder.write();
            fill(values, valueControls(builder, rule, path));
        }});
    return [keyControl(builder, rule, path),
        comparisons.length > 1 ? comparison : h('span', {class: 'muted'}, comparisons[0]?.[1]),
        values];
}
