/**
 * The response field `Warning` of RFC 7234, 5.5: `199 - "text", 199 - "text"`.
 */

/** A value: code, agent, quoted text with `\` as the escape, and an optional date. */
const value = /\s*\d{3}\s+\S+\s+"((?:[^"\\]|\\.)*)"(?:\s+"[^"]*")?\s*(?:,|$)/y;

/**
 * Texts of a field; the whole field as one text if it has another syntax.
 *
 * @param {string} field
 */
export function warningTexts(field) {
    const texts = [];
    value.lastIndex = 0;
    while (value.lastIndex < field.length) {
        const found = value.exec(field);
        if (!found) return [field];
        texts.push(found[1].replaceAll(/\\(.)/g, '$1'));
    }
    return texts;
}
