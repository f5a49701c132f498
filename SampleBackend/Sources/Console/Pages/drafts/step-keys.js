/**
 * Keys and announcements of undo and redo.
 */

/**
 * What a pressed key does: `undo`, `redo`, or null.
 *
 * @param {Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>} event
 * @param {boolean} isCommand True on a system whose shortcuts use Command.
 * @returns {?('undo' | 'redo')}
 */
export function stepOfKey({key, ctrlKey, metaKey, shiftKey, altKey}, isCommand) {
    const [isHeld, isOther] = isCommand ? [metaKey, ctrlKey] : [ctrlKey, metaKey];
    if (!isHeld || isOther || altKey || key.toLowerCase() !== 'z') return null;
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
