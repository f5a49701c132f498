/**
 * Control for one value: a switch, or a field for a number, text or JSON.
 */

import {choice, field} from '../controls/controls.js';
import {fill, h, newID} from '../controls/dom.js';
import {JSONEditor} from '../controls/json-editor.js';
import {problemList} from '../controls/problem-list.js';
import {showRemarks} from '../controls/remarks.js';
import {RequiredField} from '../controls/required-field.js';
import {valueText} from '../controls/value-view.js';
import {firebaseValueText} from '../template/firebase-values.js';
import {valueRemarks} from '../template/number-digits.js';
import {textRemarks} from '../template/text-remarks.js';

/**
 * Control for a value's text. `input` is the form control; `node` is `input` itself or an element
 * around it.
 *
 * @param {string} label
 * @param {string} valueType
 * @param {string} text
 * @param {(text: string) => void} changed
 * @returns {TextControl}
 */
function textControl(label, valueType, text, changed) {
    if (valueType === 'BOOLEAN') {
        const word = h('span', {class: 'switch-word', 'aria-hidden': 'true'});
        const input = h('input', {type: 'checkbox', role: 'switch', class: 'switch',
            checked: text.toLowerCase() === 'true', onchange: () => {
                word.textContent = String(input.checked);
                changed(String(input.checked));
            }});
        // Other text than true and false is kept until the switch is used; the server reports it.
        word.textContent = /^(true|false)$/i.test(text) ? text.toLowerCase() : `“${text}”`;
        return {input, node: h('div', {class: 'switch-line'}, input, word)};
    }
    const oninput = () => changed(input.value);
    const common = {autocomplete: 'off', spellcheck: 'false', value: text, oninput};
    /** @type {HTMLInputElement | HTMLTextAreaElement} */
    let input;
    if (valueType === 'NUMBER') {
        input = h('input', {...common, type: 'text', inputmode: 'decimal', class: 'number'});
    } else if (valueType === 'JSON') {
        input = h('textarea', {...common, class: 'code', rows: '5'});
        return {input, node: new JSONEditor(input).node};
    } else {
        input = h('textarea', {...common, class: 'text', rows: '1', spellcheck: 'true'});
    }
    return {input, node: input};
}

/**
 * Control for a value's text with its label and problems; add it to the page immediately.
 *
 * @param {string} label Text of the label.
 * @param {string} valueType Type of the value.
 * @param {string} text Initial text.
 * @param {function(string): void} changed Receives the text after an edit.
 * @returns {Pick<ValueField, 'node' | 'showProblems' | 'send' | 'focus'>}
 */
export function labelledControl(label, valueType, text, changed) {
    const remarks = h('div', {id: newID('remarks'), 'aria-live': 'polite'});
    /** @param {string} written */
    const remark = (written) => showRemarks(remarks,
        [...valueRemarks(written, valueType), ...textRemarks(written, valueType)]);
    const control = textControl(label, valueType, text, (written) => {
        remark(written);
        changed(written);
    });
    const {input} = control;
    const problems = problemList();
    input.id = newID('value');
    const node = field(label, control, {problems: problems.node});
    node.append(remarks);
    input.setAttribute(
        'aria-describedby', `${input.getAttribute('aria-describedby')} ${remarks.id}`);
    remark(text);
    /** @type {Problem[]} */
    let last = [];
    const show = () => {
        const waiting = required.isPending ? last : [];
        problems.show(waiting.length ? [] : last, input);
        return waiting;
    };
    const required = new RequiredField(input, show);
    return {
        node,
        showProblems: (list) => {
            last = list;
            return show();
        },
        send: () => {
            required.send();
            show();
        },
        focus: () => input.focus(),
    };
}

/**
 * Creates the control.
 *
 * @param {{label: string, valueType: string, value?: ParameterValue, isDefault: boolean,
 *     changed: function(): void}} options `value` is `{value}`, `{useInAppDefault}`, undefined for
 *     no value, or an object that the console keeps unchanged, such as a personalization.
 * @returns {ValueField}
 */
export function valueField({label, valueType, value, isDefault, changed}) {
    let text = typeof value?.value === 'string' ? value.value : '';
    const isOther = value !== undefined && typeof value.value !== 'string'
        && value.useInAppDefault !== true;
    let source = isOther ? 'other' : value === undefined ? 'none'
        : value.useInAppDefault === true ? 'inApp' : 'value';
    let type = valueType;
    /** @type {?ReturnType<typeof labelledControl>} */
    let control = null;
    const otherProblems = problemList();
    const place = h('div', {class: 'value-place'});
    /** @type {Choice[]} */
    const sources = [['value', 'A value'], ['inApp', 'The in-app default']];
    if (isDefault) sources.push(['none', 'No value']);
    if (isOther) sources.push(['other', 'Unchanged']);
    const kind = choice(sources, source, {'aria-label': `${label}: what users get`,
        onchange: () => {
            source = kind.value;
            draw();
            changed();
        }});

    const draw = () => {
        control = null;
        if (source === 'other') {
            const kept = firebaseValueText(value, isDefault);
            fill(place, h('p', {class: 'field-name'}, label),
                h('code', {class: 'value'}, valueText(value)),
                kept && h('p', {class: 'hint'}, kept), otherProblems.node);
        } else if (source === 'value') {
            if (type === 'BOOLEAN' && text === '') text = 'false';
            control = labelledControl(label, type, text, (written) => {
                text = written;
                changed();
            });
            fill(place, control.node);
        } else {
            fill(place, h('p', {class: 'field-name'}, label), h('p', {class: 'hint'},
                source === 'inApp' ? 'The setting is omitted, so that the app uses its own value.'
                    : 'Users for whom no condition is true do not get the setting.'),
            otherProblems.node);
        }
    };
    draw();
    return {
        node: h('div', {class: isDefault ? 'value-field' : 'value-field under-head'},
            place, h('div', {class: 'value-kind'}, kind)),
        value: () => {
            if (source === 'value') return {value: text};
            if (source === 'inApp') return {useInAppDefault: true};
            return source === 'other' ? value : undefined;
        },
        setType: (newType) => {
            type = newType;
            draw();
        },
        showProblems: (list) => {
            if (control) return control.showProblems(list);
            otherProblems.show(list);
            return [];
        },
        send: () => control?.send(),
        focus: () => (control ?? kind).focus(),
    };
}
