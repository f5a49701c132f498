/**
 * Moving conditions by drag and drop, by keyboard, and with a dialog.
 */

import {field} from '../controls/controls.js';
import {openDialog} from '../controls/dialog.js';
import {announce, focusOn, h, newID} from '../controls/dom.js';
import {conditions, movingCondition} from '../template/template.js';

/** Maximum number of names that the dialog lists. */
const maximumNames = 50;

/**
 * Moves a condition in the draft; `to` is its index afterwards.
 *
 * @param {Workspace} workspace
 * @param {number} from
 * @param {number} to
 */
export function move(workspace, from, to) {
    const all = conditions(workspace.template);
    if (to === from || to < 0 || to >= all.length) return;
    const {name} = all[from];
    workspace.edit(movingCondition(workspace.template, from, to));
    announce(`${name} is now number ${to + 1} of ${all.length}.`);
}

/**
 * Index of a condition after moving it above another one.
 *
 * @param {number} from
 * @param {number} other
 */
export function indexAbove(from, other) {
    return from < other ? other - 1 : other;
}

/**
 * Index to which a key moves a condition; undefined for other keys.
 *
 * @param {string} key
 * @param {number} index
 * @param {number} last
 * @returns {number | undefined}
 */
export function indexOfKey(key, index, last) {
    return {ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: last}[key];
}

/**
 * Key handler of a row: Alt with an arrow key, Home or End moves the condition.
 *
 * @param {KeyboardEvent} event
 * @param {Workspace} workspace
 * @param {number} index
 */
export function onOrderKey(event, workspace, index) {
    if (!event.altKey || event.ctrlKey || event.metaKey) return;
    const last = conditions(workspace.template).length - 1;
    const to = indexOfKey(event.key, index, last);
    if (to === undefined) return;
    event.preventDefault();
    move(workspace, index, to);
}

/**
 * Opens the dialog that moves a condition to the top, to the bottom, or above another one.
 *
 * @param {Workspace} workspace
 * @param {number} index
 */
export async function openMove(workspace, index) {
    const {name} = conditions(workspace.template)[index];
    const names = h('ul', {class: 'plain move-list'});
    const search = h('input', {type: 'search', autocomplete: 'off', 'data-autofocus': true,
        oninput: () => draw()});
    /** @param {string} other */
    const indexOf = (other) => conditions(workspace.template)
        .findIndex((condition) => condition.name === other);
    /** @type {(value?: unknown) => void} */
    let close;
    /**
     * Moves the condition to the index that `target` returns; keeps the dialog open when the
     * condition is gone.
     *
     * @param {(index: number) => number} target
     */
    const moveTo = (target) => {
        // Another tab may have changed the draft after the names were drawn.
        const from = indexOf(name);
        const to = from < 0 ? -1 : target(from);
        if (to < 0) {
            draw();
            announce('The condition was deleted meanwhile.');
            return;
        }
        move(workspace, from, to);
        close(true);
    };
    /** @param {string} other */
    const above = (other) => (/** @type {number} */ from) => {
        const place = indexOf(other);
        return place < 0 ? -1 : indexAbove(from, place);
    };
    const draw = () => {
        const text = search.value.trim().toLowerCase();
        const found = conditions(workspace.template)
            .map((condition, place) => ({name: condition.name, place}))
            .filter(({name: other}) => other !== name && other.toLowerCase().includes(text));
        names.replaceChildren(...found.slice(0, maximumNames).map(({name: other, place}) => (
            h('li', {}, h('button', {type: 'button', class: 'quiet', 'aria-label': `Above ${other}`,
                onclick: () => moveTo(above(other))},
            h('span', {class: 'rank'}, place + 1), other)))));
        if (found.length > maximumNames) {
            names.append(h('li', {class: 'muted'}, 'There are more: type part of the name.'));
        }
    };
    const id = newID('above');
    const isMoved = await openDialog(`Move ${name}`, (closeDialog) => {
        close = closeDialog;
        draw();
        return {
            body: [
                h('div', {class: 'actions'},
                    h('button', {type: 'button', onclick: () => moveTo(() => 0)}, 'To the top'),
                    h('button', {type: 'button', onclick: () => moveTo(
                        () => conditions(workspace.template).length - 1)}, 'To the bottom')),
                h('h3', {id}, 'Above …'), field('Find a condition', search),
                h('div', {role: 'group', 'aria-labelledby': id}, names)],
            actions: [h('button', {type: 'button', onclick: () => close()}, 'Cancel')],
        };
    }, {isForm: false});
    if (isMoved) focusOn(`move ${name}`);
}

/**
 * Handle that drags a row to another position, by mouse or touch.
 *
 * @param {Workspace} workspace The workspace.
 * @param {function(): number} index Returns the index of the condition.
 * @param {DragPlace} list The list; its rows have `data-index`.
 */
export function dragHandle(workspace, index, {node, hold}) {
    /**
     * The row under the pointer, with `isBelow` for its lower half; null while nothing is dragged.
     *
     * @type {?{row: ?HTMLElement, isBelow: boolean}}
     */
    let target = null;
    const clear = () => {
        for (const row of node.querySelectorAll('.drop-above, .drop-below, .dragged')) {
            row.classList.remove('drop-above', 'drop-below', 'dragged');
        }
    };
    const end = () => {
        target = null;
        clear();
        hold(null);
    };
    /**
     * Marks the row under the pointer.
     *
     * @param {PointerEvent} event
     */
    const aim = ({clientX, clientY}) => {
        /** @type {?HTMLElement | undefined} */
        const row = document.elementFromPoint(clientX, clientY)?.closest('[data-index]');
        if (!row || !node.contains(row)) return;
        const box = row.getBoundingClientRect();
        const isBelow = clientY > box.top + box.height / 2;
        clear();
        handle.closest('[data-index]')?.classList.add('dragged');
        row.classList.add(isBelow ? 'drop-below' : 'drop-above');
        target = {row, isBelow};
    };
    const handle = h('span', {class: 'drag-handle', 'aria-hidden': 'true', title: 'Drag to move',
        onpointerdown: (event) => {
            if (event.button !== 0) return;
            event.preventDefault();
            handle.setPointerCapture(event.pointerId);
            handle.closest('[data-index]')?.classList.add('dragged');
            // Without its row, the pointer would be lost when the list scrolls.
            hold(handle);
            target = {row: null, isBelow: false};
        },
        onpointermove: (event) => {
            if (target === null) return;
            aim(event);
            // Scrolls while the pointer is near an edge of the window.
            const {clientY} = event;
            if (clientY < 80) window.scrollBy(0, -20);
            else if (clientY > window.innerHeight - 80) window.scrollBy(0, 20);
        },
        onpointerup: (/** @type {PointerEvent} */ event) => {
            if (target === null) return;
            // The list may have scrolled below the pointer.
            if (target.row) aim(event);
            const {row, isBelow} = target;
            end();
            // The row's index now: another tab may have changed the order.
            if (!row || !node.contains(row)) return;
            const other = Number(row.dataset.index);
            move(workspace, index(), indexAbove(index(), isBelow ? other + 1 : other));
        },
        onpointercancel: end}, '⠿');
    return handle;
}
