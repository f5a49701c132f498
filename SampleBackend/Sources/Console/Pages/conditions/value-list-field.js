/**
 * Control for a list of values, which are typed, pasted, or read from a file.
 */

import {announce, h} from '../controls/dom.js';
import {fileButton, takeDropped, textOf} from '../controls/file-field.js';
import {showRemarks} from '../controls/remarks.js';
import {definedValues, meantValue, suggestedValues, valueName} from '../template/defined-values.js';
import {isText, listedLines, listedValues} from '../template/value-list.js';
import {count, numberText} from '../text/formats.js';
import {hiddenRemarks, marked} from '../text/hidden-characters.js';
import {fieldOf} from './condition-fields.js';

/** Number of values up to which all are shown at first. */
const shownValues = 50;

/** Maximum size of a file. */
const megabytes = 4;

/** Rules whose long list is shown whole. */
const unfolded = new WeakSet();

/**
 * Number of values, in words.
 *
 * @param {RuleView} rule
 * @param {number} number
 */
function counted(rule, number) {
    const {noun = 'value', nouns} = fieldOf(rule) ?? {};
    return count(number, noun, nouns);
}

/**
 * Creates the control.
 *
 * @param {ConditionBuilder} builder
 * @param {RuleView} rule
 * @param {string} path Place of the rule among all.
 */
export function valueListField(builder, rule, path) {
    const place = `${path} value`;
    const {suggestions} = builder;
    const split = rule.comparison === 'matches' ? listedLines : listedValues;
    /** @param {string} text */
    const add = (text) => {
        const known = new Set(rule.values);
        const before = known.size;
        for (const value of split(text)) known.add(meantValue(rule, value, suggestions.known));
        input.value = '';
        rule.typed = '';
        if (known.size === before) return;
        rule.values = [...known];
        builder.restructure(place);
        const added = known.size - before;
        if (added > 1) announce(`${counted(rule, added)} added, ${known.size} in all.`);
    };
    builder.adds(() => add(rule.typed ?? ''));
    const problem = h('span', {role: 'alert'});
    /** @param {File} file */
    const addFile = async (file) => {
        try {
            const text = await textOf(file, megabytes);
            if (!input.isConnected) return;
            if (!isText(text)) problem.textContent = `${file.name} is not a text file in UTF-8.`;
            else if (split(text).length) add(text);
            else problem.textContent = `${file.name} is empty.`;
        } catch (error) {
            problem.textContent = error.message;
        }
    };
    const input = h('input', {type: 'text', autocomplete: 'off', spellcheck: 'false',
        autocapitalize: 'off', 'aria-label': 'Another value', 'data-focus': place,
        value: rule.typed ?? '', oninput: () => {
            rule.typed = input.value;
        },
        list: suggestions.add(() => suggestedValues(rule, suggestions.known)),
        placeholder: rule.values.length ? 'Another value' : 'Value',
        onchange: () => add(input.value), onkeydown: (event) => {
            if (event.key !== 'Enter') return;
            // Enter adds the value instead of submitting the form.
            event.preventDefault();
            add(input.value);
        },
        onpaste: (/** @type {ClipboardEvent} */ event) => {
            // The field itself would join the lines.
            const text = event.clipboardData?.getData('text') ?? '';
            if (split(text).length < 2) return;
            event.preventDefault();
            add(text);
        }});
    const shown = unfolded.has(rule) ? rule.values : rule.values.slice(0, shownValues);
    const rest = rule.values.length - shown.length;
    const chips = shown.map((value, index) => {
        const name = valueName(rule.element, value);
        return h('span', {class: 'rule-value'}, h('code', {}, marked(value)),
            name && h('span', {class: 'muted'}, name),
            h('button', {type: 'button', class: 'quiet small', 'aria-label': `Remove ${value}`,
                onclick: () => {
                    rule.values.splice(index, 1);
                    builder.restructure(place);
                }}, '×'));
    });
    const remarks = h('div', {class: 'rule-remarks'});
    showRemarks(remarks, hiddenRemarks(rule.values, fieldOf(rule)?.noun ?? 'value'));
    const node = h('div', {class: 'rule-values'}, chips,
        rest > 0 && h('button', {type: 'button', class: 'quiet small', onclick: () => {
            unfolded.add(rule);
            builder.restructure(place);
        }}, `Show ${numberText(rest)} more`),
        input,
        !definedValues(rule.element).length && fileButton(
            'From a file …', '.txt,.csv,text/*', addFile, {'data-focus': `${path} file`,
                title: 'One per line, or separated by commas, semicolons or tabs. A file can also '
                    + 'be dropped here.'}),
        rule.values.length > 1 && h('span', {class: 'muted'}, counted(rule, rule.values.length)),
        problem, remarks);
    takeDropped(node, addFile);
    return node;
}
