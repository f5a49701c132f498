/**
 * Shortcuts, which use Command on Apple's systems, and Control elsewhere.
 */

/** True on a system whose shortcuts use Command. */
export function isMac(platform = navigator.platform) {
    return /^(Mac|iP)/.test(platform);
}

/**
 * A shortcut for people, and for `aria-keyshortcuts`.
 *
 * @param {string} letter In upper case.
 * @param {boolean} isCommand True on a system whose shortcuts use Command.
 * @param {boolean} [isShift] True if Shift is held, too.
 */
export function shortcut(letter, isCommand, isShift = false) {
    const shift = isShift ? 'Shift+' : '';
    return isCommand ? {text: `${isShift ? '⇧' : ''}⌘${letter}`, aria: `${shift}Meta+${letter}`}
        : {text: `Ctrl+${shift}${letter}`, aria: `Control+${shift}${letter}`};
}
