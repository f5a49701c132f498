/**
 * Keys and announcements of undo and redo.
 */

import {latinKey} from '../controls/latin-key.js';

/** True on a system whose shortcuts use Command. */
export function isMac(platform = navigator.platform) {
    return /^(Mac|iP)/.test(platform);
}

/**
 * What a pressed key does: `undo`, `redo`, or null.
 *
 * @param {Pick<KeyboardEvent,
 *     'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>} event
 * @param {boolean} isCommand True on a system whose shortcuts use Command.
 * @returns {?('undo' | 'redo')}
 */
export function stepOfKey(event, isCommand) {
    const {ctrlKey, metaKey, shiftKey, altKey} = event;
    const [isHeld, isOther] = isCommand ? [metaKey, ctrlKey] : [ctrlKey, metaKey];
    if (!isHeld || isOther || altKey || latinKey(event) !== 'z') return null;
    return shiftKey ? 'redo' : 'undo';
}

/**
 * The keys of a step, for people and for `aria-keyshortcuts`.
 *
 * @param {'undo' | 'redo'} kind
 * @param {boolean} isCommand
 */
export function shortcut(kind, isCommand) {
    const shift = kind === 'redo';
    return isCommand ? {text: shift ? '⇧⌘Z' : '⌘Z', aria: shift ? 'Shift+Meta+Z' : 'Meta+Z'}
        : {text: shift ? 'Ctrl+Shift+Z' : 'Ctrl+Z', aria: shift ? 'Control+Shift+Z' : 'Control+Z'};
}

/**
 * Announcement of an undone or redone step.
 *
 * @param {'undo' | 'redo'} kind
 * @param {string} name
 * @param {string[]} kept Names of places that others changed since.
 */
export function stepText(kind, name, kept) {
    const text = `${kind === 'undo' ? 'Undone' : 'Redone'}: ${name}.`;
    return kept.length ? `${text} Changed by another tab or person since, so it stays: ${
        kept.join('; ')}.` : text;
}
