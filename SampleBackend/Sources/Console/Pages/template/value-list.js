/**
 * Lists of values in text that was typed, pasted, or read from a file.
 */

/** A quoted value, in which two quotes are one, or text up to a separator. */
const entry = /\s*"((?:[^"]|"")*)"\s*(?:[,;\t\r\n]|$)|([^,;\t\r\n]*)(?:[,;\t\r\n]|$)/y;

/**
 * Distinct values of a text, which commas, semicolons, tabs and line breaks separate; a value in
 * double quotes may contain them.
 *
 * @param {string} text
 */
export function listedValues(text) {
    const values = new Set();
    // A byte order mark is not part of the first value.
    const content = text.replace(/^\uFEFF/, '');
    entry.lastIndex = 0;
    while (entry.lastIndex < content.length) {
        const [, quoted, plain] = entry.exec(content) ?? [];
        const value = quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"');
        if (value) values.add(value);
    }
    return [...values];
}

/**
 * Distinct lines of a text: commas, semicolons and quotes are part of a pattern.
 *
 * @param {string} text
 */
export function listedLines(text) {
    return [...new Set(text.replace(/^\uFEFF/, '').split(/[\r\n]+/)
        .map((line) => line.trim()).filter(Boolean))];
}

/**
 * True for the content of a text file: false for one that was read from other bytes than UTF-8, or
 * has control characters as binary files have.
 *
 * @param {string} content
 */
export function isText(content) {
    return !/[\u0000-\u0008\u000e-\u001f\u007f\ufffd]/.test(content);
}

/**
 * Pastes lines into a field of one line, which would join them: separated by commas.
 *
 * @param {ClipboardEvent} event
 */
export function pasteListed(event) {
    const {target: field} = event;
    const pasted = event.clipboardData?.getData('text') ?? '';
    const values = listedValues(pasted);
    if (!(field instanceof HTMLInputElement) || field.type !== 'text') return;
    if (values.length < 2 || !/[\r\n]/.test(pasted)) return;
    event.preventDefault();
    const text = values.map((value) => (
        /[,;"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(', ');
    field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end');
    field.dispatchEvent(new Event('input', {bubbles: true}));
}
