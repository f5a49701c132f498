/**
 * Presses of a control, from pressing a button or key until its release. A control that moves or is
 * replaced during a press loses the click, so updates are shown afterwards.
 */

/**
 * Milliseconds after which a press no longer delays updates: its end can be unknown, as after
 * dragging a link.
 */
const longest = 5000;

const controls = 'a, button, input[type=checkbox], input[type=radio], label, summary';

/** Controls that report their content when they lose the focus. */
const fields = 'input, textarea, select, [contenteditable]';

let timer = 0;

/**
 * Actions that wait for the end of the press; null when there is no press.
 *
 * @type {?(() => void)[]}
 */
let waiting = null;

/**
 * Field that keeps the focus until the click of the pressed control; null for none.
 *
 * @type {?HTMLElement}
 */
let held = null;

/**
 * @param {Event} event
 * @returns {?HTMLElement}
 */
const controlOf = ({target}) => (target instanceof Element ? target.closest(controls) : null);

/** @param {Event} event */
function start(event) {
    if (!controlOf(event)) return;
    // A touch has two starts, `pointerdown` and, after the release, the `mousedown` of its click.
    waiting ??= [];
    clearTimeout(timer);
    timer = setTimeout(end, longest);
}

function end() {
    clearTimeout(timer);
    const actions = waiting ?? [];
    waiting = null;
    // The click follows in the same task.
    if (actions.length) setTimeout(() => actions.forEach((action) => afterPress(action)));
}

/**
 * Lets a field keep the focus until the click: what it reports when it loses the focus can move the
 * pressed control.
 *
 * @param {MouseEvent} event
 */
function holdFocus(event) {
    const control = controlOf(event);
    const active = document.activeElement;
    held = null;
    if (!control || event.button !== 0 || !(active instanceof HTMLElement)) return;
    if (!active.matches(fields) || control.contains(active)) return;
    held = active;
    event.preventDefault();
}

/**
 * Moves the focus to the clicked control, before the click has its effect, so that this includes
 * what the field reports.
 *
 * @param {MouseEvent} event
 */
function moveFocus(event) {
    const field = held;
    held = null;
    if (!field || field !== document.activeElement || event.detail === 0) return;
    const control = controlOf(event);
    if (control && !control.matches('label')) control.focus({preventScroll: true});
    // A link without an address cannot take the focus.
    if (document.activeElement === field) field.blur();
}

/**
 * Calls an action, after the end of the current press if there is one.
 *
 * @param {() => void} action
 */
export function afterPress(action) {
    if (waiting) waiting.push(action);
    else action();
}

/**
 * Waits for the end of the current press if there is one.
 *
 * @returns {Promise<void>}
 */
export function released() {
    return new Promise((resolve) => {
        afterPress(resolve);
    });
}

/** Starts to watch presses; before that, actions run immediately. */
export function watchPresses() {
    /** @type {Record<string, (event: any) => void>} */
    const listeners = {
        pointerdown: start, pointerup: end, pointercancel: end, keyup: end, mouseup: end,
        mousedown: (event) => {
            start(event);
            holdFocus(event);
        },
        click: moveFocus,
        keydown: (event) => event.key === ' ' && !event.repeat && start(event),
        // Fields lose the focus during presses.
        blur: ({target}) => target === window && end(),
    };
    for (const [event, listener] of Object.entries(listeners)) {
        window.addEventListener(event, listener, {capture: true});
    }
}
