/**
 * Undo and redo of edits that are too long for the browser's own history of a text field, such as
 * the formatting of a long text.
 */

import {latinKey} from '../input/latin-key.js';

/** Maximum number of edits, each of which keeps the whole text. */
const editLimit = 20;

/**
 * What a key does in a text field: `undo`, `redo`, or null.
 *
 * @param {Pick<KeyboardEvent,
 *     'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>} event
 * @returns {?('undo' | 'redo')}
 */
export function editKey(event) {
    const {ctrlKey, metaKey, shiftKey, altKey} = event;
    if (ctrlKey === metaKey || altKey) return null;
    const key = latinKey(event);
    if (key === 'z') return shiftKey ? 'redo' : 'undo';
    return key === 'y' && ctrlKey && !shiftKey ? 'redo' : null;
}

/** The long edits of one field. What is typed between them, the browser undoes. */
export class LongEdits {
    /** @type {{before: string, after: string}[]} */
    #done = [];
    /** @type {{before: string, after: string}[]} */
    #undone = [];

    /**
     * Adds an edit, after which nothing can be redone.
     *
     * @param {string} before Text of the field before it.
     * @param {string} after
     */
    add(before, after) {
        this.#done = [...this.#done, {before, after}].slice(-editLimit);
        this.#undone = [];
    }

    /**
     * Undoes or redoes an edit; null if the last one has another text, so that the browser has
     * something to undo first.
     *
     * @param {'undo' | 'redo'} kind
     * @param {string} text Text of the field.
     * @returns {?string} Its new text.
     */
    take(kind, text) {
        const edits = [this.#done, this.#undone];
        const [from, to] = kind === 'undo' ? edits : edits.reverse();
        const edit = from.at(-1);
        if (!edit || text !== (kind === 'undo' ? edit.after : edit.before)) return null;
        from.pop();
        to.push(edit);
        return kind === 'undo' ? edit.before : edit.after;
    }
}
