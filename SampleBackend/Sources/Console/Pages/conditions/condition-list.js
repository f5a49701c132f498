/**
 * List of conditions. A row is reused while its condition and the settings that use it stay the
 * same, so that hundreds of rows can be filtered and moved quickly.
 */

import {badge, conditionChip, nothing} from '../controls/controls.js';
import {ask} from '../controls/dialog.js';
import {announce, arrange, fill, h} from '../controls/dom.js';
import {menuButton} from '../controls/menu.js';
import {jsonText} from '../json/json-text.js';
import {usesByCondition} from '../template/condition-uses.js';
import {conditions, removingCondition} from '../template/template.js';
import {count} from '../text/formats.js';
import {hasWords} from '../text/search.js';
import {openConditionDialog} from './condition-dialog.js';
import {dragHandle, move, onOrderKey, openMove} from './condition-order.js';

/**
 * Asks for confirmation, then deletes a condition and all values for it from the draft.
 *
 * @param {Workspace} workspace
 * @param {string} name
 * @param {string[]} uses
 */
async function remove(workspace, name, uses) {
    const isSure = await ask({
        title: `Delete the condition ${name}?`, isDangerous: true, action: 'Delete the condition',
        text: uses.length
            ? `This removes its value from ${count(uses.length, 'setting')}: `
                + uses.slice(0, 5).join(', ')
                + `${uses.length > 5 ? ' and others' : ''}.` : 'No setting uses it.'});
    if (!isSure) return;
    workspace.edit(removingCondition(workspace.template, name));
    announce(`Condition ${name} deleted from the draft.`);
}

/** Row of a condition, independent of its position. */
class Row {
    /** Index of the condition in the template. */
    index = -1;
    #total = -1;

    /**
     * `mayEdit` is false for a session that can only view the conditions.
     *
     * @param {PageContext} context
     * @param {Condition} condition
     * @param {string[]} uses
     * @param {{mayEdit: boolean, list: () => HTMLElement}} value
     */
    constructor(context, condition, uses, {mayEdit, list}) {
        const {workspace} = context;
        const {name, expression, tagColor} = condition;
        this.condition = condition;
        this.uses = uses;
        const rules = expression ?? jsonText(condition.condition);
        this.text = [name, rules, ...uses].join('\n').toLowerCase();
        this.rank = h('span', {});
        const open = () => openConditionDialog(context, this.index);
        /**
         * @param {string} text
         * @param {string} label
         * @param {() => number} target
         * @param {string} [kind]
         */
        const moveButton = (text, label, target, kind = 'step') => h('button', {
            type: 'button', class: `quiet icon ${kind}`, 'aria-label': `Move ${name} ${label}`,
            'data-focus': `${label} ${name}`, title: `Move ${label}`,
            onclick: () => move(workspace, this.index, target())}, text);
        this.upwards = mayEdit ? [moveButton('⤒', 'to the top', () => 0, ''),
            moveButton('↑', 'up', () => this.index - 1)] : [];
        this.down = mayEdit ? [moveButton('↓', 'down', () => this.index + 1)] : [];
        this.node = h('li', {class: 'condition',
            onkeydown: (event) => mayEdit && onOrderKey(event, workspace, this.index)},
        h('div', {class: 'rank', 'aria-hidden': 'true'}, this.rank,
            mayEdit && dragHandle(workspace, () => this.index, list)),
        h('h2', {title: name}, mayEdit ? h('button', {type: 'button', class: 'name-button',
            'data-focus': `open ${name}`, onclick: open}, conditionChip(name, tagColor))
            : conditionChip(name, tagColor)),
        h('code', {class: 'expression', title: rules}, rules),
        h('p', {class: 'condition-uses muted'}, uses.length
            ? h('span', {title: uses.slice(0, 50).join(', ')},
                `Used by ${count(uses.length, 'setting')}`)
            : badge('Not used')),
        mayEdit && h('div', {class: 'actions'}, this.upwards, this.down,
            h('button', {type: 'button', class: 'quiet', 'aria-label': `Move ${name} …`,
                'data-focus': `move ${name}`, onclick: () => openMove(workspace, this.index)},
            'Move …'),
            h('button', {type: 'button', 'aria-label': `Edit ${name}`, 'data-focus': `edit ${name}`,
                onclick: open}, 'Edit'),
            h('button', {type: 'button', class: 'quiet', 'aria-label': `Delete ${name}`,
                onclick: () => remove(workspace, name, uses)}, 'Delete')),
        // In place of the buttons in narrow windows.
        mayEdit && menuButton(`More for ${name}`, () => [
            ['Edit', open],
            ['Move to the top', () => move(workspace, this.index, 0)],
            ['Move …', () => openMove(workspace, this.index)],
            ['Delete …', () => remove(workspace, name, uses), 'dangerous'],
        ], {'data-focus': `more ${name}`}));
    }

    /**
     * True if the row shows a condition with its uses.
     *
     * @param {Condition} condition
     * @param {string[]} uses
     */
    shows(condition, uses) {
        return this.condition === condition && this.uses.length === uses.length
            && this.uses.every((use, index) => use === uses[index]);
    }

    /**
     * Sets the position of the row.
     *
     * @param {number} index
     * @param {number} total
     */
    place(index, total) {
        if (index === this.index && total === this.#total) return;
        this.index = index;
        this.#total = total;
        this.rank.textContent = String(index + 1);
        this.node.dataset.index = String(index);
        // `aria-disabled`, since `disabled` would move the focus away at the end of the list.
        /**
         * @param {HTMLElement[]} buttons
         * @param {boolean} isDisabled
         */
        const disable = (buttons, isDisabled) => buttons.forEach((button) => (
            isDisabled ? button.setAttribute('aria-disabled', 'true')
                : button.removeAttribute('aria-disabled')));
        disable(this.upwards, index === 0);
        disable(this.down, index === total - 1);
    }
}

/** The rows of a project's conditions. */
export class ConditionList {
    /** @type {Map<string, Row>} */
    #rows = new Map();
    /** @type {?Template} */
    #template = null;
    /** @type {Map<string, string[]>} */
    #uses = new Map();
    /** @type {Row[]} */
    #all = [];

    /**
     * @param {PageContext} context
     * @param {boolean} mayEdit
     */
    constructor(context, mayEdit) {
        this.context = context;
        this.mayEdit = mayEdit;
        this.list = h('ol', {class: 'plain card conditions'});
        this.node = h('div', {});
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
        const shown = this.#all.filter(({text}) => hasWords(text, words));
        const focused = this.list.contains(document.activeElement)
            ? /** @type {HTMLElement} */ (document.activeElement) : null;
        arrange(this.list, shown.map(({node}) => node));
        if (shown.length) {
            if (this.list.parentNode !== this.node) fill(this.node, this.list);
        } else {
            fill(this.node, nothing(words.length ? 'No condition matches.'
                : 'There are no conditions yet: everyone gets the default values.'));
        }
        if (focused?.isConnected && document.activeElement !== focused) focused.focus();
        return {shown: shown.length, total: this.#all.length};
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
        const options = {mayEdit: this.mayEdit, list: () => this.list};
        this.#all = all.map((condition, index) => {
            const used = this.#uses.get(condition.name) ?? [];
            const kept = this.#rows.get(condition.name);
            const row = kept?.shows(condition, used) ? kept
                : new Row(this.context, condition, used, options);
            row.place(index, all.length);
            rows.set(condition.name, row);
            return row;
        });
        this.#rows = rows;
        this.#template = template;
    }
}
