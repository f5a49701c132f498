/**
 * Keys and announcements of undo and redo.
 */

import {latinKey} from '../input/latin-key.js';

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
