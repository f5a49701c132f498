/**
 * Characters that names and IDs can have but that nobody sees: spaces at the ends, characters
 * without a glyph, such as U+200B, and bidirectional controls, such as U+202E, which reorder text.
 */

/**
 * A character without a glyph. Joiners and variation selectors are left out: they change how their
 * neighbours look, as in emoji.
 */
const invisible = /(?![\u200c\u200d\ufe00-\ufe0f])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/u;
const everyInvisible = new RegExp(invisible, 'gu');
const everyControl = /\p{Bidi_Control}/gu;

/**
 * Code point of a character, such as U+200B.
 *
 * @param {string} character
 */
export function codePoint(character) {
    return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Text to show, with its bidirectional controls written out, such as [U+202E]: a value must not
 * look like another one, nor turn around what stands beside it.
 *
 * @param {string} text
 */
export function shownControls(text) {
    return text.replace(everyControl, (control) => `[${codePoint(control)}]`);
}

/**
 * Text as it is seen; texts that look the same have the same one.
 *
 * @param {string} text
 */
function seen(text) {
    return text.replace(everyInvisible, '').replace(/\s+/g, ' ').trim().normalize('NFC');
}

/**
 * Name among `names` that looks like another one without being it; undefined if there is none.
 *
 * @param {string} name
 * @param {string[]} names
 */
export function lookAlike(name, names) {
    const look = seen(name);
    return names.find((other) => other !== name && seen(other) === look);
}

/**
 * Phrase about the characters of a text that nobody sees, such as "begins with a space"; null
 * without any.
 *
 * @param {string} text
 */
export function hiddenCharacters(text) {
    const [, start, end] = /^(\s*).*?(\s*)$/su.exec(text) ?? [];
    const [character] = text.trim().match(invisible) ?? [];
    const phrases = [
        start && 'begins with a space', end && 'ends with a space',
        character && `has an invisible character, ${codePoint(character)}`,
    ].filter(Boolean);
    return phrases.length ? phrases.join(' and ') : null;
}

/**
 * Sentences on the values of a list that have characters which nobody sees.
 *
 * @param {string[]} values
 * @param {string} noun Such as "user ID".
 */
export function hiddenRemarks(values, noun) {
    // A list can have a hundred thousand values.
    return values.filter((value) => invisible.test(value) || value !== value.trim())
        .map((value) => `“${value}” ${hiddenCharacters(value)}. It is another ${noun} than the one `
            + 'without it.');
}

/**
 * A text, in quotation marks if it has characters that nobody sees.
 *
 * @param {string} text
 */
export function marked(text) {
    return hiddenCharacters(text) ? `“${text}”` : text;
}

/**
 * Sentence that refuses a name that looks like another one; null for other names.
 *
 * @param {string} name
 * @param {string[]} names
 * @param {string} thing Such as "section".
 */
export function lookAlikeProblem(name, names, thing) {
    const other = lookAlike(name, names);
    if (other === undefined) return null;
    const hidden = hiddenCharacters(name);
    const reason = hidden ? `this one ${hidden}`
        : `the other one ${hiddenCharacters(other) ?? 'has other characters or spaces'}`;
    return `A ${thing} with a name that looks the same exists; ${reason}. Choose another name.`;
}
