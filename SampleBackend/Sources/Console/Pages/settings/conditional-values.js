/**
 * Conditional values of a setting in its form: a field for each, and the choice of another
 * condition.
 */

import {openConditionDialog} from '../conditions/condition-dialog.js';
import {Combobox} from '../controls/combobox.js';
import {conditionChip} from '../controls/controls.js';
import {announce, fill, h} from '../controls/dom.js';
import {problemList} from '../controls/problem-list.js';
import {showRemarks} from '../controls/remarks.js';
import {member, names, objectOf} from '../json/json.js';
import {conditionalBeginning} from '../template/boolean-values.js';
import {sameValueRemark, sameValues} from '../template/same-values.js';
import {conditions} from '../template/template.js';
import {valueField} from './value-field.js';

export class ConditionalValues {
    /**
     * Fields by the name of the condition.
     *
     * @type {Map<string, ValueField>}
     */
    fields = new Map();
    #workspace;
    #type;
    #like;
    #changed;
    /**
     * Condition whose value was added by leaving the choice, and was not looked at since: the user
     * may have wanted to enter one.
     */
    #unseen = '';
    #list = h('div', {class: 'stack', onfocusin: () => {
        this.#unseen = '';
    }});
    #problems = problemList();
    #note = h('p', {class: 'hint', role: 'status'});
    #same = h('div', {'aria-live': 'polite'});
    /** @type {Condition[] | undefined} */
    #drawn;

    /**
     * @param {{workspace: Workspace, parameter: Parameter, type: () => string,
     *     like: () => ParameterValue | undefined, changed: () => void, typed?: string}} options
     *     `type` is the setting's type, `like` the value with which another one begins, and `typed`
     *     the text of an unfinished form in the choice of its condition.
     */
    constructor({workspace, parameter, type, like, changed, typed = ''}) {
        this.#workspace = workspace;
        this.#type = type;
        this.#like = like;
        this.#changed = () => {
            this.#note.textContent = '';
            changed();
        };
        const values = parameter.conditionalValues ?? {};
        const known = conditions(workspace.template).map(({name}) => name);
        // A draft can have values without a condition, for example from the JSON editor.
        for (const name of new Set([...known, ...names(values)])) {
            const value = member(values, name);
            if (value !== undefined) this.fields.set(name, this.#field(name, value));
        }
        // Stays while the fields are drawn again, so that what is typed in it stays.
        this.another = new Combobox({
            options: () => this.#free().map((name) => [name, name]),
            chosen: (name, isLeaving) => {
                this.#problems.show([]);
                if (!name) return;
                this.another.value = '';
                this.#add(name, !isLeaving);
                announce(`Value for ${name} added.`);
                if (isLeaving) this.#unseen = name;
            },
            attributes: {'aria-label': 'Condition of another value',
                placeholder: 'Add a value for a condition'}});
        this.another.unchosen = typed;
        this.another.input.addEventListener('input', () => this.#problems.show([]));
        this.node = h('div', {class: 'stack'}, this.#list,
            h('div', {class: 'line'}, this.another.node, h('button', {type: 'button',
                class: 'quiet', 'data-focus': 'new-condition', onclick: async () => {
                    const name = await openConditionDialog({workspace}, null);
                    if (name) this.#add(name, true);
                }}, 'New condition …')),
            this.#same, this.#problems.node, this.#note);
        this.#draw();
        this.remark();
    }

    /** Shows which values equal the default value without an effect; call it after an edit. */
    remark() {
        const values = objectOf([...this.fields].map(([name, value]) => (
            /** @type {[string, ParameterValue]} */ ([name, value.value()]))));
        showRemarks(this.#same, sameValues(
            {defaultValue: this.#like(), conditionalValues: values},
            conditions(this.#workspace.template)).map(sameValueRemark));
    }

    /**
     * True if nothing is left to enter. Otherwise focuses the value that was added last, or shows
     * that the typed text is not a condition.
     */
    settle() {
        this.another.settle();
        const name = this.fields.has(this.#unseen) ? this.#unseen : '';
        const text = this.another.unchosen;
        if (name) {
            this.fields.get(name)?.focus();
            fill(this.#note, `“${name}” has the value it begins with so far. Enter its `
                + 'value, or keep it as it is.');
        } else if (text) {
            this.#problems.show([{message: `There is no condition “${text}”. Choose one of the `
                + 'list, or clear the field.'}], this.another.input);
            this.another.focus();
        }
        return !name && !text;
    }

    /** Updates the conditions after another form or tab has changed them. */
    update() {
        if (this.#workspace.template.conditions === this.#drawn) return;
        const focused = /** @type {?HTMLElement} */ (document.activeElement);
        this.#draw();
        if (this.#list.contains(focused)) focused?.focus();
    }

    /** Names of the conditions without a value. */
    #free() {
        return conditions(this.#workspace.template).map(({name}) => name)
            .filter((name) => !this.fields.has(name));
    }

    /**
     * @param {string} name
     * @param {boolean} isFocused
     */
    #add(name, isFocused) {
        this.fields.set(name, this.#field(
            name, conditionalBeginning(this.#type(), this.#like())));
        this.#draw();
        if (isFocused) this.fields.get(name)?.focus();
        this.#changed();
    }

    /**
     * @param {string} name
     * @param {ParameterValue} value
     */
    #field(name, value) {
        return valueField({label: `Value for ${name}`, valueType: this.#type(), value,
            isDefault: false, changed: () => this.#changed()});
    }

    #draw() {
        this.#drawn = this.#workspace.template.conditions;
        const all = conditions(this.#workspace.template);
        const known = new Set(all.map(({name}) => name));
        // A value stays after its condition was deleted elsewhere; validation reports it.
        const missing = [...this.fields.keys()].filter((name) => !known.has(name));
        const rows = [...all.filter(({name}) => this.fields.has(name)).map((condition) => (
            this.#row(condition, h('code', {class: 'muted expression'},
                condition.expression ?? '')))),
        ...missing.map((name) => this.#row({name}, h('span', {class: 'muted'},
            'There is no such condition: remove the value, or add the condition again.')))];
        fill(this.#list, rows.length ? rows : h('p', {class: 'hint'},
            'Everyone gets the default value. A conditional value is for some users only; the '
            + 'first condition that is true counts.'));
        this.another.node.hidden = !this.#free().length;
    }

    /**
     * @param {Pick<Condition, 'name' | 'tagColor'>} condition
     * @param {Node} rule
     */
    #row({name, tagColor}, rule) {
        return h('div', {class: 'conditional'},
            h('div', {class: 'conditional-head'},
                h('div', {}, conditionChip(name, tagColor), rule),
                h('button', {type: 'button', class: 'quiet small',
                    'aria-label': `Remove the value for ${name}`, onclick: () => {
                        this.fields.delete(name);
                        this.#draw();
                        this.#changed();
                        this.another.focus();
                    }}, 'Remove')),
            this.fields.get(name)?.node);
    }
}
