/**
 * The keys of shortcuts, in every layout.
 */

const codes = {BracketLeft: '[', BracketRight: ']', Comma: ',', Period: '.'};

/**
 * The key of a shortcut. Layouts of other scripts have no Latin letters: the place of the key
 * counts there, but not in layouts that have the letters in other places.
 *
 * @param {Pick<KeyboardEvent, 'key' | 'code'>} event
 */
export function latinKey({key, code}) {
    const place = /^Key[A-Z]$/.test(code) ? code.slice(3)
        : codes[/** @type {keyof typeof codes} */ (code)];
    const isLatin = /^[\x20-\x7e]|^\p{Script=Latin}/u.test(key);
    return (isLatin ? key : place ?? key).toLowerCase();
}
