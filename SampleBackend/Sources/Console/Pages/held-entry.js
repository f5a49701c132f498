/**
 * The tab's history while dialogs are open: Back closes the dialog instead of changing the page
 * under it.
 *
 * An open dialog holds an entry of its own at the address of its page. Entries are numbered in
 * `history.state`, so that a step away from the held entry can be undone in either direction.
 */

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
 * Called with the address that the user goes to: null for Back.
 *
 * @type {(address: ?string) => void}
 */
let onLeave = () => {};
/**
 * Resolves the promise of `release`.
 *
 * @type {?() => void}
 */
let onReleased = null;
/** True while the entry that a reload has left is being removed. */
let isDropping = false;
/** True while the tab goes back to the held entry. */
let isReturning = false;

/**
 * Replaces the state of the current entry.
 *
 * @param {{number: number, isDialog?: boolean}} state
 */
function mark(state) {
    history.replaceState(state, '');
}

/** True while dialogs hold an entry: changes of the address then are no navigation. */
export function isHeld() {
    return held !== null;
}

/**
 * Holds an entry; without effect if one is held. Continues the one that a reload has left.
 *
 * @param {function(?string): void} handler Called instead of a navigation, with the fragment that
 *     was entered; null for Back.
 */
export function hold(handler) {
    onLeave = handler;
    if (held !== null) return;
    // An entry that is being removed still counts; `popstate` adds another one.
    if (!history.state?.isDialog) add();
    held = current;
    place = location.href;
}

/** Adds an entry for dialogs after the current one. */
function add() {
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
 * Removes the held entry; resolves once the tab is at the entry before it.
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

/** Follows the tab's steps to an entry. */
function onStep() {
    const number = history.state?.number;
    const isDropped = isDropping;
    const isBack = isReturning && number === held;
    isDropping = false;
    isReturning = false;
    if (isBack) {
        // The handler was released before the browser came back to the entry.
        if (onReleased) history.back();
    } else if (isDropped && held !== null && !onReleased) {
        // A dialog was opened before the entry was gone.
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
        // An address was entered, which is a new entry after the held one.
        const entered = location.hash;
        // The address may hold a token, which must not stay in the tab's history.
        history.replaceState({number: held + 1}, '', place);
        isReturning = true;
        history.back();
        onLeave(entered);
    } else if (number !== held) {
        isReturning = true;
        history.go(held - number);
        onLeave(null);
    }
}

/** Numbers the current entry, and starts to follow the tab's steps between entries. */
export function watchHistory() {
    current = history.state?.number ?? 0;
    if (history.state?.number === undefined) mark({number: current});
    window.addEventListener('popstate', onStep);
}
