/**
 * Navigation from the command palette, also to the address that is already open.
 */

import {focusOn} from '../controls/dom.js';
import {fragment} from '../routing/address-bar.js';
import {address} from '../routing/router.js';

/** Milliseconds for which a page may build what is focused. */
const patience = 3000;

/**
 * Focuses a control of the page once the page has it, unless the user goes on meanwhile.
 *
 * @param {string} key
 * @param {(control: HTMLElement) => void} then Called with it after the page has scrolled to it.
 */
function focusSoon(key, then) {
    const main = /** @type {HTMLElement} */ (document.getElementById('main'));
    const left = new AbortController();
    const stop = () => {
        observer.disconnect();
        left.abort();
    };
    const look = () => {
        if (!focusOn(key, main)) return;
        stop();
        // A page reveals the item of its address in a frame that it has requested before.
        requestAnimationFrame(() => {
            if (focusOn(key, main)) then(/** @type {HTMLElement} */ (document.activeElement));
        });
    };
    const observer = new MutationObserver(look);
    observer.observe(main, {subtree: true, childList: true});
    for (const event of ['keydown', 'pointerdown', 'hashchange']) {
        window.addEventListener(event, stop, {signal: left.signal, capture: true});
    }
    setTimeout(stop, patience);
    look();
}

/**
 * Goes to a page of the open project.
 *
 * @param {Pick<PageContext, 'redraw'>} context
 * @param {string} path
 * @param {Record<string, string>} [query]
 * @param {string} [focus] The `data-focus` of the control to focus there.
 * @param {(control: HTMLElement) => void} [then] Called with the focused control.
 */
export function visit({redraw}, path, query = {}, focus = undefined, then = () => {}) {
    const target = address(path, query);
    const arrive = () => {
        if (focus) requestAnimationFrame(() => focusSoon(focus, then));
    };
    if (fragment() === target) {
        redraw();
        arrive();
    } else {
        // The frame's listener, which shows the page, was added before.
        window.addEventListener('hashchange', arrive, {once: true});
        location.hash = target;
    }
}

/**
 * Goes to an item of a list, and opens its form, which returns there; without a form, as for a
 * condition that the user may not edit, the item is only shown.
 *
 * @param {Pick<PageContext, 'redraw'>} context
 * @param {string} path
 * @param {string} at The item in the address.
 * @param {string} focus The `data-focus` of the button that opens the form.
 */
export function openItem(context, path, at, focus) {
    visit(context, path, {at}, focus, (button) => button.click());
}
