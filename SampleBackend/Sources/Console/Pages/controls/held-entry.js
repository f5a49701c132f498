/**
 * The tab's history while dialogs are open: Back closes the dialog instead of changing the page
 * below it.
 *
 * An open dialog holds its own entry at the address of its page. Entries are numbered in
 * `history.state`, so that a step away from the held entry can be undone in either direction.
 */

import {fragment, takeEntered, wholeAddress} from '../routing/address-bar.js';

/**
 * Whether the page may change, as by a navigation: `free`; `held` while dialogs are open;
 * `releasing` until the tab is back at the entry of the page.
 *
 * @type {'free' | 'held' | 'releasing'}
 */
let state = 'free';
/** Number of the current entry. */
let current = 0;
/** Number of the entry that dialogs hold, unless the page is free. */
let held = 0;
/** Address of the held entry. */
let place = '';
/**
 * Called with the address that the user navigates to, or null for Back.
 *
 * @type {(entered: ?EnteredAddress) => void}
 */
let onLeave = () => {};
/** Resolves the promise of `release`. */
let onReleased = () => {};
/** True while the entry left by a reload is being removed. */
let isDropping = false;
/** True while the tab returns to the held entry. */
let isReturning = false;

/**
 * Replaces the state of the current entry.
 *
 * @param {{number: number, isDialog?: boolean}} entry
 */
function mark(entry) {
    history.replaceState(entry, '');
}

/**
 * True while dialogs lock the page: it must not change under them, and changes of the address are
 * not navigations.
 */
export function isPageLocked() {
    return state !== 'free';
}

/**
 * Holds an entry; does nothing if one is held. Continues to use an entry that a reload has left.
 *
 * @param {function(?EnteredAddress): void} handler Called instead of a navigation, with the
 *     entered address, or null for Back.
 */
export function hold(handler) {
    onLeave = handler;
    if (state !== 'free') return;
    place = wholeAddress();
    // An entry that is being removed still counts; `popstate` adds another one.
    if (!history.state?.isDialog) add();
    held = current;
    state = 'held';
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
    if (state !== 'free' || !history.state?.isDialog) return;
    isDropping = true;
    history.back();
}

/**
 * Removes the held entry; resolves when the tab is at the entry before it.
 *
 * @returns {Promise<void>}
 */
export function release() {
    if (state !== 'held') return Promise.resolve();
    state = 'releasing';
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
        if (state === 'releasing') history.back();
    } else if (isDropped && state === 'held') {
        // A dialog opened before the entry was removed.
        current = number ?? 0;
        add();
        held = current;
    } else if (state === 'releasing') {
        state = 'free';
        current = number ?? 0;
        onReleased();
    } else if (state === 'free') {
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
    if (state === 'free') history.scrollRestoration = 'auto';
}

/** Numbers the current entry, and starts to follow the tab's moves between entries. */
export function watchHistory() {
    current = history.state?.number ?? 0;
    if (history.state?.number === undefined) mark({number: current});
    window.addEventListener('popstate', onStep);
}
