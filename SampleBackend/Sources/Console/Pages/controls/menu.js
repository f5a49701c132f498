/**
 * Menu buttons that follow the WAI-ARIA pattern.
 */

import {h} from './dom.js';

/**
 * Places a menu below its button, or above it, within the window.
 *
 * @param {HTMLElement} menu
 * @param {HTMLElement} button
 */
function place(menu, button) {
    const {left, right, top, bottom} = button.getBoundingClientRect();
    const {width, height} = menu.getBoundingClientRect();
    const isBelow = bottom + height + 4 <= window.innerHeight;
    menu.style.top = `${Math.max(4, isBelow ? bottom + 2 : top - height - 2)}px`;
    menu.style.left = `${Math.max(4, Math.min(right - width, window.innerWidth - width - 4))}px`;
    menu.style.minWidth = `${Math.max(0, right - left)}px`;
}

/**
 * Opens the menu of a button, and focuses its first item.
 *
 * @param {HTMLButtonElement} button
 * @param {MenuItem[]} items
 */
function open(button, items) {
    const close = () => menu.hidePopover();
    const menu = h('div', {role: 'menu', popover: 'auto', class: 'popup',
        'aria-label': button.getAttribute('aria-label'),
        onkeydown: (event) => {
            const all = [...menu.querySelectorAll('button')];
            const index = all.findIndex((item) => item === document.activeElement);
            /** @type {Record<string, number>} */
            const targets = {ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1};
            if (event.key === 'Tab') close();
            if (!Object.hasOwn(targets, event.key)) return;
            event.preventDefault();
            all.at(targets[event.key] % all.length)?.focus();
        },
        ontoggle: (event) => {
            if (event.newState === 'open') return;
            button.setAttribute('aria-expanded', 'false');
            menu.remove();
        }},
    items.map(([text, act, kind]) => h('button', {
        type: 'button', role: 'menuitem', tabindex: '-1', class: kind ?? '',
        onclick: () => {
            // Closing returns the focus to the button, to which a dialog then returns it.
            close();
            button.focus();
            act();
        }}, text)));
    // Next to the button, so that Tab continues from there and a menu in a dialog stays in the
    // dialog.
    button.after(menu);
    menu.showPopover({source: button});
    place(menu, button);
    button.setAttribute('aria-expanded', 'true');
    menu.querySelector('button')?.focus();
}

/**
 * Button that opens a menu.
 *
 * @param {string} label Accessible name.
 * @param {function(): MenuItem[]} items Creates the items when the menu opens.
 * @param {Attributes} attributes More attributes of the button.
 */
export function menuButton(label, items, attributes = {}) {
    /** @type {HTMLButtonElement} */
    const button = h('button', {type: 'button', class: 'quiet icon more', 'aria-label': label,
        title: 'More', 'aria-haspopup': 'menu', 'aria-expanded': 'false', ...attributes,
        onclick: () => open(button, items())}, '⋯');
    return button;
}
