/**
 * List of conditions. A row is reused while its condition and the settings that use it stay the
 * same, so that hundreds of rows can be filtered and moved quickly.
 */

import {nothing} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {RowWindow} from '../controls/row-window.js';
import {usesByCondition} from '../template/condition-uses.js';
import {conditions} from '../template/template.js';
import {hasWords} from '../text/search.js';
import {mayRollOut} from './condition-rollout.js';
import {ConditionRow} from './condition-row.js';

/** The rows of a project's conditions. */
export class ConditionList {
    /**
     * Rows by key.
     *
     * @type {Map<string, ConditionRow>}
     */
    #rows = new Map();
    /** @type {RowWindow<ConditionRow>} */
    #window = new RowWindow(({node}) => node, ({key}) => key);
    #list = this.#window.list({class: 'card conditions', 'aria-label': 'Conditions',
        onkeydown: (event) => this.#window.moveFocus(event, '.name-button')});
    /** @type {?Template} */
    #template = null;
    /** @type {Map<string, string[]>} */
    #uses = new Map();
    /** @type {DragPlace} */
    place = {node: this.#list.node, hold: (row) => this.#window.hold(row)};

    /**
     * @param {PageContext} context
     * @param {boolean} mayEdit
     */
    constructor(context, mayEdit) {
        this.context = context;
        this.mayEdit = mayEdit;
        this.node = h('div', {});
        this.#window.arrange([this.#list]);
    }

    /**
     * Shows the conditions whose name, expression or settings contain all words.
     *
     * @param {string[]} words In lower case.
     * @returns {{shown: number, total: number}} Number of conditions shown, and of all.
     */
    draw(words) {
        const {template} = this.context.workspace;
        if (template !== this.#template) this.#read(template);
        const shown = [...this.#rows.values()].filter(({text}) => hasWords(text, words));
        const focused = this.#list.node.contains(document.activeElement)
            ? /** @type {HTMLElement} */ (document.activeElement) : null;
        this.#list.set(shown);
        if (shown.length) {
            if (this.#list.node.parentNode !== this.node) fill(this.node, this.#list.node);
        } else {
            fill(this.node, nothing(words.length ? 'No condition matches.'
                : 'There are no conditions yet: everyone gets the default values.'));
        }
        this.#window.update();
        if (focused?.isConnected && document.activeElement !== focused) focused.focus();
        return {shown: shown.length, total: this.#rows.size};
    }

    /**
     * Scrolls to a condition and focuses it; false when no row has the name.
     *
     * @param {string} name
     */
    reveal(name) {
        const row = this.#window.reveal(name);
        row?.classList.add('found');
        /** @type {?HTMLElement | undefined} */
        const button = row?.querySelector('.name-button');
        button?.focus({preventScroll: true});
        return Boolean(row);
    }

    end() {
        this.#window.end();
    }

    /**
     * Updates the rows for a template.
     *
     * @param {Template} template
     */
    #read(template) {
        const isSame = template.parameters === this.#template?.parameters
            && template.parameterGroups === this.#template?.parameterGroups;
        if (!isSame) this.#uses = usesByCondition(template);
        const rows = new Map();
        const all = conditions(template);
        // In all rows, so that their columns are aligned.
        this.#list.node.classList.toggle('with-rollouts',
            this.mayEdit && all.some((condition) => mayRollOut(this.context, condition)));
        all.forEach((condition, index) => {
            const {name} = condition;
            // A template that was imported can have two conditions of one name.
            const key = rows.has(name) ? `${name}\n${index}` : name;
            const used = this.#uses.get(name) ?? [];
            const kept = this.#rows.get(key);
            const row = kept?.shows(condition, used) ? kept
                : new ConditionRow(this, key, condition, used);
            row.place(index, all.length);
            rows.set(key, row);
        });
        this.#rows = rows;
        this.#template = template;
    }
}
