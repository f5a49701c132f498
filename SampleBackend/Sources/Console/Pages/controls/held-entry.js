/**
 * The tab's history while dialogs are open: Back closes the dialog instead of changing the page
 * below it.
 *
 * An open dialog holds its own entry at the address of its page. Entries are numbered in
 * `history.state`, so that a step away from the held entry can be undone in either direction.
 */

import {fragment, takeEntered, wholeAddress} from '../routing/address-bar.js';

/** Number of the current entry. */
let current = 0;
/**
 * Number of the entry that dialogs hold; null while none is open.
 *
 * @type {?number}
 */
let held = null;
/** Address of the held entry. */
let place = '';
/**
 * Called with the address that the user navigates to, or null for Back.
 *
 * @type {(entered: ?EnteredAddress) => void}
 */
let onLeave = () => {};
/**
 * Resolves the promise of `release`.
 *
 * @type {?() => void}
 */
let onReleased = null;
/** True while the entry left by a reload is being removed. */
let isDropping = false;
/** True while the tab returns to the held entry. */
let isReturning = false;

/**
 * Replaces the state of the current entry.
 *
 * @param {{number: number, isDialog?: boolean}} state
 */
function mark(state) {
    history.replaceState(state, '');
}

/** True while dialogs hold an entry; changes of the address are then not navigations. */
export function isHeld() {
    return held !== null;
}

/**
 * Holds an entry; does nothing if one is held. Continues to use an entry that a reload has left.
 *
 * @param {function(?EnteredAddress): void} handler Called instead of a navigation, with the
 *     entered address, or null for Back.
 */
export function hold(handler) {
    onLeave = handler;
    if (held !== null) return;
    place = wholeAddress();
    // An entry that is being removed still counts; `popstate` adds another one.
    if (!history.state?.isDialog) add();
    held = current;
}

/** Adds an entry for dialogs after the current one. */
function add() {
    // The browser would scroll back when the dialog closes, away from what it has moved.
    history.scrollRestoration = 'manual';
    current += 1;
    history.pushState({number: current, isDialog: true}, '');
}

/** Removes the entry of a dialog that a reload has ended. */
export function dropLeftEntry() {
    if (held !== null || !history.state?.isDialog) return;
    isDropping = true;
    history.back();
}

/**
 * Removes the held entry; resolves when the tab is at the entry before it.
 *
 * @returns {Promise<void>}
 */
export function release() {
    if (held === null || onReleased) return Promise.resolve();
    return new Promise((resolve) => {
        onReleased = resolve;
        if (!isDropping && !isReturning) history.back();
    });
}

/** Handles the tab's move to another entry. */
function onStep() {
    // A token must not stay in the address until someone else reads it.
    fragment();
    const number = history.state?.number;
    const isDropped = isDropping;
    const isBack = isReturning && number === held;
    isDropping = false;
    isReturning = false;
    if (isBack) {
        // The handler was released before the browser returned to the entry.
        if (onReleased) history.back();
    } else if (isDropped && held !== null && !onReleased) {
        // A dialog opened before the entry was removed.
        current = number ?? 0;
        add();
        held = current;
    } else if (onReleased) {
        const resolve = onReleased;
        onReleased = null;
        held = null;
        current = number ?? 0;
        resolve();
    } else if (held === null) {
        current = number ?? current + 1;
        if (number === undefined) mark({number: current});
    } else if (number === undefined) {
        // The user entered an address, which is a new entry after the held one.
        const entered = takeEntered();
        history.replaceState({number: held + 1}, '', place);
        isReturning = true;
        history.back();
        onLeave(entered);
    } else if (number !== held) {
        isReturning = true;
        history.go(held - number);
        onLeave(null);
    }
    if (held === null) history.scrollRestoration = 'auto';
}

/** Numbers the current entry, and starts to follow the tab's moves between entries. */
export function watchHistory() {
    current = history.state?.number ?? 0;
    if (history.state?.number === undefined) mark({number: current});
    window.addEventListener('popstate', onStep);
}
