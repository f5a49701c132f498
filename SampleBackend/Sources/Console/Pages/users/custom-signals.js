/**
 * Custom signals of a user, each with a name and a value. Their controls are those of a rule that
 * compares the signal with one value.
 */

import {missingValue} from '../conditions/condition-fields.js';
import {signalNameControl, suggestedControl} from '../conditions/signal-controls.js';
import {arrange, h, newID} from '../controls/dom.js';
import {problemList} from '../controls/problem-list.js';
import {signalRemark} from '../template/number-digits.js';

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
 * Problem of each custom signal, at its name or its value; null for a complete one, and for one
 * without both.
 *
 * @param {RuleView[]} rules Rules that compare the signals with a value each.
 * @returns {(?{part: 'name' | 'value', message: string})[]}
 */
export function signalProblems(rules) {
    const used = new Set();
    return rules.map((rule) => {
        const {key, values: [value]} = rule;
        if (!key && !value) return null;
        const message = missingValue(rule);
        if (message) return {part: key ? 'value' : 'name', message};
        if (used.has(key)) return {part: 'name', message: `The signal “${key}” is entered twice.`};
        used.add(key);
        return null;
    });
}

/**
 * A rule that compares a signal with one value, as the state of its controls.
 *
 * @param {string} element
 * @param {?string} key
 * @param {string} value
 * @returns {RuleView}
 */
export function ruleOf(element, key, value) {
    return {kind: 'rule', element, key, comparison: '==', values: [value]};
}

/** Rows of custom signals, each with a name and a value. */
export class CustomSignals {
    /**
     * @type {{rule: RuleView, node: HTMLElement, name: HTMLInputElement, value: HTMLInputElement,
     *     remark: HTMLElement, problems: ReturnType<typeof problemList>}[]}
     */
    #rows = [];
    #form;
    #isChecked = false;
    #list = h('div', {class: 'stack tight'});

    /**
     * @param {SignalForm} form
     * @param {[string, string][]} pairs
     */
    constructor(form, pairs) {
        this.#form = form;
        this.#rows = pairs.map((pair) => this.#row(...pair));
        this.#draw();
        this.node = h('div', {class: 'stack tight', role: 'group', 'aria-label': 'Custom signals'},
            h('p', {class: 'field-name'}, 'Custom signals'), this.#list,
            h('div', {class: 'line'}, h('button', {type: 'button', class: 'small',
                onclick: () => this.#add('', '').name.focus()}, 'Add signal')));
    }

    get rules() {
        return this.#rows.map(({rule}) => rule);
    }

    /**
     * Sets a signal to a value, in its row or in an empty one.
     *
     * @param {string} name
     * @param {string} value
     */
    set(name, value) {
        const row = this.#rows.find(({rule}) => rule.key === name)
            ?? this.#rows.find(({rule}) => !rule.key && !rule.values[0]) ?? this.#add('', '');
        this.#fill(row, name, value);
        row.value.focus();
    }

    /**
     * @param {{rule: RuleView, name: HTMLInputElement, value: HTMLInputElement}} row
     * @param {string} key
     * @param {string} text
     */
    #fill({rule, name, value}, key, text) {
        rule.key = key;
        rule.values = [text];
        name.value = key;
        value.value = text;
        this.#form.suggestions.update();
        this.#form.write();
    }

    /** Shows the problems and focuses the first; true if there are none. */
    check() {
        this.#isChecked = true;
        const [first] = this.update();
        first?.focus();
        return !first;
    }

    /** Shows remarks, and problems after the first check; returns the controls with a problem. */
    update() {
        const problems = signalProblems(this.rules);
        return this.#rows.flatMap((row, index) => {
            const problem = this.#isChecked ? problems[index] : null;
            row.problems.show([]);
            row.remark.textContent = signalRemark(row.rule.values[0]) ?? '';
            for (const part of /** @type {const} */ (['name', 'value'])) {
                if (problem?.part === part) row.problems.show([problem], row[part]);
                else row[part].removeAttribute('aria-invalid');
            }
            return problem ? [row[problem.part]] : [];
        });
    }

    /**
     * @param {string} key
     * @param {string} text
     */
    #add(key, text) {
        const row = this.#row(key, text);
        this.#rows.push(row);
        this.#draw();
        return row;
    }

    #draw() {
        if (!this.#rows.length) this.#rows.push(this.#row('', ''));
        this.#rows.forEach(({node}, index) => {
            node.setAttribute('aria-label', `Signal ${index + 1}`);
        });
        arrange(this.#list, this.#rows.map(({node}) => node));
    }

    /**
     * @param {string} key
     * @param {string} text
     */
    #row(key, text) {
        const rule = ruleOf('app.customSignal', key, text);
        const problems = problemList();
        const name = signalNameControl(this.#form, rule, {
            onpaste: (/** @type {ClipboardEvent} */ event) => {
                const pasted = event.clipboardData?.getData('text') ?? '';
                const pairs = pairsOf(pasted);
                if (!pairs.some(([, value]) => value)) return;
                event.preventDefault();
                pairs.forEach((pair) => this.set(...pair));
            }});
        // The form of an address: both in one field.
        name.addEventListener('change', () => {
            const [[first, rest]] = [...pairsOf(name.value), ['', '']];
            if (rest && !rule.values[0]) this.#fill({rule, name, value}, first, rest);
        });
        const remark = h('p', {class: 'hint', id: newID('remark'), 'aria-live': 'polite'},
            signalRemark(text));
        const value = suggestedControl(this.#form, rule, {'aria-label': 'Value of the signal',
            placeholder: 'Value', 'aria-describedby': remark.id});
        const node = h('div', {class: 'rule-line', role: 'group'}, name, '=', value,
            h('button', {type: 'button', class: 'quiet small', 'aria-label': 'Remove signal',
                onclick: () => {
                    this.#rows = this.#rows.filter((row) => row.rule !== rule);
                    this.#draw();
                    this.#form.write();
                    this.#rows[0].name.focus();
                }}, '×'), problems.node, remark);
        return {rule, node, name, value, remark, problems};
    }
}
