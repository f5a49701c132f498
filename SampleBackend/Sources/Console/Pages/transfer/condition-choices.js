/**
 * Choices for the conditions of an imported file that have another expression in the project.
 */

import {h, newID} from '../controls/dom.js';
import {member} from '../json/json.js';
import {sections} from '../template/template.js';
import {count} from '../text/formats.js';
import {contradictions, freeName} from './template-transfer.js';

/** Names of settings shown for one condition. */
const shownNames = 20;

/**
 * List of names, as text: "a, b and 3 more".
 *
 * @param {string[]} names
 */
function nameList(names) {
    const rest = names.length - shownNames;
    return names.slice(0, shownNames).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/**
 * Number of settings that have a value for a condition.
 *
 * @param {Template} template
 * @param {string} name
 */
function useCount(template, name) {
    return sections(template).flatMap(({settings}) => settings)
        .filter(({parameter}) => member(parameter.conditionalValues, name) !== undefined).length;
}

/** The choices of one import. */
export class ConditionChoices {
    #file;
    #changed;
    /** Choices by name and both expressions, since another tab may change the project's. */
    #chosen = new Map();

    /**
     * @param {Template} file Template of the file.
     * @param {function(): void} changed Called after each choice.
     */
    constructor(file, changed) {
        this.#file = file;
        this.#changed = changed;
    }

    /**
     * True if each condition has a choice.
     *
     * @param {Template} template
     */
    isComplete(template) {
        return contradictions(template, this.#file).every((each) => this.#choiceOf(each));
    }

    /**
     * Choices by the name of the condition, as `adding` takes them.
     *
     * @param {Template} template
     */
    of(template) {
        return new Map(contradictions(template, this.#file)
            .map((each) => [each.name, this.#choiceOf(each)]));
    }

    /**
     * Chooses what happens to a condition, an entry of `contradictions`.
     *
     * @param {Contradiction} each
     * @param {string} choice
     */
    choose(each, choice) {
        this.#chosen.set(this.#key(each), choice);
        this.#changed();
    }

    /**
     * Choice for a condition. A condition that no new setting uses stays unchanged: it affects no
     * user.
     *
     * @param {Contradiction} each
     */
    #choiceOf(each) {
        return this.#chosen.get(this.#key(each)) ?? (each.users.length ? undefined : 'keep');
    }

    /** @param {Contradiction} contradiction */
    #key({name, own, given}) {
        return JSON.stringify([name, own, given]);
    }

    /**
     * View of the choices; false if the project and the file do not conflict.
     *
     * @param {Template} template
     */
    view(template) {
        const found = contradictions(template, this.#file);
        return found.length > 0 && h('div', {class: 'stack'},
            h('p', {}, `${count(found.length, 'condition')} of the file `
                + `${found.length === 1 ? 'has' : 'have'} another expression in the project. `
                + 'Choose which one the new settings use:'),
            found.map((each) => this.#conditionView(template, each)));
    }

    /**
     * @param {Template} template
     * @param {Contradiction} each
     */
    #conditionView(template, each) {
        const {name, own, given, users} = each;
        const group = newID('condition');
        /**
         * @param {string} value
         * @param {string} label
         * @param {...unknown} content
         */
        const option = (value, label, ...content) => h('label', {class: 'option'},
            h('span', {class: 'check'}, h('input', {type: 'radio', name: group, value,
                checked: this.#choiceOf(each) === value,
                onchange: () => this.choose(each, value)}), h('strong', {}, label)), content);
        const uses = useCount(template, name);
        return h('fieldset', {class: 'card conflict'},
            h('legend', {class: 'key'}, name),
            h('p', {}, users.length
                ? `${count(users.length, 'new setting')} of the file `
                    + `${users.length === 1 ? 'uses' : 'use'} it: ${nameList(users)}`
                : 'No new setting of the file uses it.'),
            h('div', {class: 'options'},
                option('keep', 'Keep the project’s', expressionView(own ?? ''),
                    users.length > 0 && h('p', {class: 'muted'}, 'The new settings follow it.')),
                option('replace', 'Take the file’s', expressionView(given ?? ''),
                    h('p', {class: 'muted'}, `It replaces the project’s, for `
                        + `${count(uses, 'setting')} of the project too.`)),
                option('rename', `Add the file’s as “${
                    freeName(name, template, this.#file)}”`, expressionView(given ?? ''),
                users.length > 0 && h('p', {class: 'muted'}, 'The new settings use it.'))));
    }
}

/** @param {string} expression */
function expressionView(expression) {
    return h('p', {}, h('code', {class: 'value'}, expression));
}
