/**
 * One line of the list of conditions.
 */

import {badge, conditionChip} from '../controls/controls.js';
import {ask} from '../controls/dialog.js';
import {announce, focusOn, h} from '../controls/dom.js';
import {menuButton} from '../controls/menu.js';
import {jsonText} from '../json/json-text.js';
import {usesByCondition} from '../template/condition-uses.js';
import {removingCondition} from '../template/template.js';
import {count} from '../text/formats.js';
import {openConditionDialog} from './condition-dialog.js';
import {mayRollOut, openRollout} from './condition-rollout.js';
import {dragHandle, move, onOrderKey, openMove} from './condition-order.js';

/**
 * Asks for confirmation, then deletes a condition and all values for it from the draft.
 *
 * @param {Workspace} workspace
 * @param {string} name
 */
async function remove(workspace, name) {
    /** @type {string[]} */
    const uses = usesByCondition(workspace.template, true).get(name) ?? [];
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

/** Row of a condition, independent of its position. Its element is built when it is shown first. */
export class ConditionRow {
    /** Index of the condition in the template. */
    index = -1;
    #total = -1;
    /** @type {?HTMLElement} */
    #node = null;
    #rank = h('span', {});
    /** @type {HTMLElement[]} */
    #upwards = [];
    /** @type {HTMLElement[]} */
    #down = [];

    /**
     * @param {{context: PageContext, mayEdit: boolean, place: DragPlace}} list `mayEdit` is false
     *     for a session that can only view the conditions.
     * @param {string} key Key of the row, which no other one has.
     * @param {Condition} condition
     * @param {string[]} uses
     */
    constructor(list, key, condition, uses) {
        this.list = list;
        this.key = key;
        this.condition = condition;
        this.uses = uses;
        this.rules = condition.expression ?? jsonText(condition.condition);
        /** Searchable text, in lower case. */
        this.text = [condition.name, this.rules, ...uses].join('\n').toLowerCase();
    }

    get node() {
        if (!this.#node) {
            this.#node = this.#build();
            this.#showPlace(this.#node);
        }
        return this.#node;
    }

    #build() {
        const {list: {context, mayEdit, place}, condition: {name, tagColor}, rules, uses} = this;
        const {workspace} = context;
        return h('div', {class: 'condition',
            onkeydown: (event) => mayEdit && onOrderKey(event, workspace, this.index)},
        h('div', {class: 'rank', 'aria-hidden': 'true'}, this.#rank,
            mayEdit && dragHandle(workspace, () => this.index, place)),
        h('h2', {title: name}, mayEdit ? h('button', {type: 'button', class: 'name-button',
            'data-focus': `open ${name}`, 'data-column': 'name', onclick: () => this.#open(),
        }, conditionChip(name, tagColor)) : conditionChip(name, tagColor)),
        h('code', {class: 'expression', title: rules}, rules),
        h('p', {class: 'condition-uses muted'}, uses.length
            ? h('span', {title: uses.slice(0, 50).join(', ')},
                `Used by ${count(uses.length, 'setting')}`)
            : badge('Not used')),
        mayEdit && this.#actions());
    }

    #actions() {
        const {list: {context}, condition} = this;
        const {workspace} = context;
        const {name} = condition;
        const isRollable = mayRollOut(context, condition);
        /**
         * @param {string} text
         * @param {string} label
         * @param {() => number} target
         * @param {string} [kind]
         */
        const moveButton = (text, label, target, kind = 'step') => h('button', {
            type: 'button', class: `quiet icon ${kind}`, 'aria-label': `Move ${name} ${label}`,
            'data-focus': `${label} ${name}`, 'data-column': label, title: `Move ${label}`,
            onclick: () => move(workspace, this.index, target())}, text);
        this.#upwards = [moveButton('⤒', 'to the top', () => 0, ''),
            moveButton('↑', 'up', () => this.index - 1)];
        this.#down = [moveButton('↓', 'down', () => this.index + 1)];
        return [h('div', {class: 'actions'}, this.#upwards, this.#down,
            h('button', {type: 'button', class: 'quiet', 'aria-label': `Move ${name} …`,
                'data-focus': `move ${name}`, 'data-column': 'move',
                onclick: () => openMove(workspace, this.index)}, 'Move …'),
            isRollable && h('button', {type: 'button', class: 'quiet',
                'aria-label': `Roll out ${name} …`, 'data-focus': `roll out ${name}`,
                'data-column': 'roll out', onclick: () => openRollout(context, name)},
            'Roll out …'),
            h('button', {type: 'button', 'aria-label': `Edit ${name}`, 'data-focus': `edit ${name}`,
                'data-column': 'edit', onclick: () => this.#open()}, 'Edit'),
            h('button', {type: 'button', class: 'quiet', 'aria-label': `Delete ${name}`,
                'data-column': 'delete', onclick: () => remove(workspace, name)}, 'Delete')),
        // In place of the buttons in narrow windows.
        menuButton(`More for ${name}`, () => [
            ['Edit', () => this.#open()],
            ...isRollable ? [/** @type {MenuItem} */ (
                ['Roll out …', () => openRollout(context, name)])] : [],
            ['Move to the top', () => move(workspace, this.index, 0)],
            ['Move …', () => openMove(workspace, this.index)],
            ['Delete …', () => remove(workspace, name), 'dangerous'],
        ], {'data-focus': `more ${name}`, 'data-column': 'more'})];
    }

    async #open() {
        const name = await openConditionDialog(this.list.context, this.index);
        // Another row has replaced the one of the earlier name.
        if (name !== undefined && name !== this.condition.name) focusOn(`open ${name}`);
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
        if (this.#node) this.#showPlace(this.#node);
    }

    /** @param {HTMLElement} node */
    #showPlace(node) {
        this.#rank.textContent = String(this.index + 1);
        node.dataset.index = String(this.index);
        // `aria-disabled`, since `disabled` would move the focus away at the end of the list.
        /**
         * @param {HTMLElement[]} buttons
         * @param {boolean} isDisabled
         */
        const disable = (buttons, isDisabled) => buttons.forEach((button) => (
            isDisabled ? button.setAttribute('aria-disabled', 'true')
                : button.removeAttribute('aria-disabled')));
        disable(this.#upwards, this.index === 0);
        disable(this.#down, this.index === this.#total - 1);
    }
}
