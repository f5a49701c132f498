/**
 * Presses of a control, from the way down of a button or key to its way up. A control that is
 * replaced meanwhile loses the click, so news are shown afterwards.
 */

/** Milliseconds after which a press no longer holds anything back. */
const longest = 1000;

const controls = 'a, button, input[type=checkbox], label, summary';

let timer = 0;

/**
 * What waits for the end of the press; null without one.
 *
 * @type {?(() => void)[]}
 */
let waiting = null;

/** @param {Event} event */
function start({target}) {
    if (!(target instanceof Element) || !target.closest(controls)) return;
    end();
    waiting = [];
    timer = setTimeout(end, longest);
}

function end() {
    clearTimeout(timer);
    const actions = waiting ?? [];
    waiting = null;
    // The click follows in the same task.
    if (actions.length) setTimeout(() => actions.forEach((action) => action()));
}

/**
 * Calls an action, after the end of the press if there is one.
 *
 * @param {() => void} action
 */
export function afterPress(action) {
    if (waiting) waiting.push(action);
    else action();
}

/** Starts to watch presses; until then, nothing waits for one. */
export function watchPresses() {
    /** @type {Record<string, (event: any) => void>} */
    const listeners = {
        pointerdown: start, pointerup: end, pointercancel: end, keyup: end, blur: end,
        keydown: (event) => event.key === ' ' && !event.repeat && start(event),
    };
    for (const [event, listener] of Object.entries(listeners)) {
        window.addEventListener(event, listener, {capture: true});
    }
}
