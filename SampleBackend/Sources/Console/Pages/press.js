/**
 * Presses of a control, from pressing a button or key until its release. A control that is replaced
 * during a press loses the click, so updates are shown afterwards.
 */

/** Milliseconds after which a press no longer delays updates. */
const longest = 1000;

const controls = 'a, button, input[type=checkbox], label, summary';

let timer = 0;

/**
 * Actions that wait for the end of the press; null when there is no press.
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
 * Calls an action, after the end of the current press if there is one.
 *
 * @param {() => void} action
 */
export function afterPress(action) {
    if (waiting) waiting.push(action);
    else action();
}

/** Starts to watch presses; before that, actions run immediately. */
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
