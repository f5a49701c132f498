/**
 * The button and the shortcut of the command palette.
 */

import {h, svg} from '../controls/dom.js';
import {latinKey} from '../input/latin-key.js';
import {isMac, shortcut} from '../input/shortcuts.js';

/**
 * True for Ctrl+K, or ⌘K on Apple's systems, where Ctrl+K edits text.
 *
 * @param {Pick<KeyboardEvent,
 *     'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>} event
 * @param {boolean} isCommand
 */
export function isPaletteKey(event, isCommand) {
    const {ctrlKey, metaKey, altKey, shiftKey} = event;
    return !altKey && !shiftKey && ctrlKey !== isCommand && metaKey === isCommand
        && latinKey(event) === 'k';
}

/** Magnifying glass, for narrow screens. */
function icon() {
    return svg('svg', {viewBox: '0 0 16 16', 'aria-hidden': 'true', class: 'palette-icon'},
        svg('circle', {cx: '7', cy: '7', r: '4.5'}), svg('path', {d: 'M10.5 10.5 14 14'}));
}

/**
 * Button that opens the palette; listens to the shortcut, too.
 *
 * @param {() => void} open
 * @param {AbortSignal} signal Ends the shortcut.
 */
export function paletteButton(open, signal) {
    const isCommand = isMac();
    const {text, aria} = shortcut('K', isCommand);
    const name = `Search and commands (${text})`;
    document.addEventListener('keydown', (event) => {
        if (!isPaletteKey(event, isCommand)) return;
        // Browsers search the web by this key.
        event.preventDefault();
        if (!event.repeat) open();
    }, {signal});
    return h('button', {type: 'button', class: 'palette-button', 'data-focus': 'palette',
        'aria-label': name, title: name,
        'aria-keyshortcuts': aria, 'aria-haspopup': 'dialog', onclick: open},
    icon(), h('span', {class: 'palette-word'}, 'Search'), h('kbd', {}, text));
}
