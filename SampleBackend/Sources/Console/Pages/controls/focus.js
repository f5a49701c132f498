/**
 * Keeps the keyboard focus from moving to the page's body when its control is removed.
 */

/**
 * Last focused element; null after the user removed the focus, for example by a click elsewhere.
 *
 * @type {?HTMLElement}
 */
let last = null;

/**
 * Focuses the heading of the topmost dialog or of the page, or the page's content if it has none.
 */
export function focusHeading() {
    /** @type {NodeListOf<ParentNode>} */
    const dialogs = document.querySelectorAll('dialog[open]');
    const place = dialogs[dialogs.length - 1] ?? document;
    /** @type {?HTMLElement} */
    const target = place.querySelector('h1[tabindex]') ?? place.querySelector('.dialog-header h2')
        ?? document.getElementById('main');
    if (!target) return;
    if (!target.hasAttribute('tabindex')) target.setAttribute('tabindex', '-1');
    target.focus({preventScroll: place === document});
}

/**
 * True for a control that can no longer have the focus.
 *
 * @param {HTMLElement} element
 */
function isGone(element) {
    const {disabled} = /** @type {{disabled?: boolean}} */ (element);
    return !element.isConnected || disabled === true || !element.checkVisibility();
}

/** Restores the focus after its control was removed. */
function restore() {
    if (!last || (document.activeElement && document.activeElement !== document.body)) return;
    if (!isGone(last)) return;
    const key = last.getAttribute('data-focus');
    last = null;
    /** @type {?HTMLElement} */
    const same = key === null ? null
        : document.querySelector(`[data-focus="${CSS.escape(key)}"]`);
    if (same && !isGone(same)) same.focus();
    else focusHeading();
}

/**
 * Scrolls to a result that a button has shown, unless it is in view, and focuses it, so that screen
 * readers read it.
 *
 * @param {?HTMLElement} result Its heading, or a message.
 */
export function showResult(result) {
    if (!result) return;
    result.tabIndex = -1;
    result.classList.add('result');
    result.focus({preventScroll: true});
    // Its beginning alone at the end of the window does not count.
    if (result.getBoundingClientRect().bottom < 0.7 * innerHeight) return;
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    result.scrollIntoView({block: 'start', behavior: isStill ? 'auto' : 'smooth'});
}

/** Notes on the root element whether the user last pressed a key or a pointer, for the style. */
function watchInput() {
    const {dataset} = document.documentElement;
    document.addEventListener('keydown', ({key}) => {
        if (!['Shift', 'Control', 'Alt', 'Meta'].includes(key)) dataset.input = 'keyboard';
    }, {capture: true});
    document.addEventListener('pointerdown', () => {
        dataset.input = 'pointer';
    }, {capture: true});
}

/** Starts to watch the focus. */
export function watchFocus() {
    watchInput();
    document.addEventListener('focusin', (event) => {
        last = event.target instanceof HTMLElement ? event.target : null;
    });
    document.addEventListener('focusout', (event) => {
        const {target} = event;
        if (!(target instanceof HTMLElement)) return;
        // Browsers may dispatch the event while they remove an element, so check afterwards.
        queueMicrotask(() => {
            if (last === target && !isGone(target) && document.hasFocus()) last = null;
        });
    });
    new MutationObserver(restore).observe(document.body, {
        subtree: true, childList: true, attributeFilter: ['disabled', 'hidden', 'open']});
}
