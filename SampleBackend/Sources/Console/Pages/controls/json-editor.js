/**
 * Editor of JSON values: a textarea over a copy of its text, which has the colours, the line
 * numbers and the marks of errors and brackets.
 *
 * The browser edits the textarea, so that undo, selection, touch keyboards and screen readers work
 * as in other fields. The copy wraps its lines at the same places, and determines the height of the
 * textarea. Parts of a text cannot be folded: a textarea shows all of its text.
 */

import {formatted} from '../json/json-text.js';
import {h} from './dom.js';
import {bracketPair, closingEdit, errorIndex, indentEdit, indentsLess, lineBreakEdit, lineOf,
    tokens} from './json-editing.js';
import {editKey, LongEdits} from './long-edits.js';

/** Milliseconds after the last keystroke before an error is marked. */
const markDelay = 200;

/**
 * Longest texts with a copy, whose layout then takes at most some 50 ms per keystroke; longer ones
 * are a plain textarea. Line numbers have three digits.
 */
const longest = {characters: 30_000, lines: 999};

/** Longest line with colours: each of its tokens is an element. */
const longestLine = 5_000;

/**
 * Replaces a part of a textarea's text, which the browser cannot undo, and selects.
 *
 * @param {HTMLTextAreaElement} textarea
 * @param {TextEdit} edit
 */
function replace(textarea, {from, to, text, start, end}) {
    textarea.setRangeText(text, from, to, 'end');
    textarea.dispatchEvent(new Event('input', {bubbles: true}));
    textarea.setSelectionRange(start, end);
}

const key = (/** @type {string} */ text) => h('kbd', {}, text);

/** Editor around a textarea; `node` goes into the page in its place. */
export class JSONEditor {
    #timer = 0;
    /** Index of the marked error. */
    #error = /** @type {?number} */ (null);
    /** Texts of the shown lines with their marks, from which the lines are drawn. */
    #drawn = /** @type {string[]} */ ([]);
    #lines = h('div', {class: 'json-lines', 'aria-hidden': 'true'});

    #frame;
    #toError;
    #longEdits = new LongEdits();

    /** @param {HTMLTextAreaElement} textarea */
    constructor(textarea) {
        this.textarea = textarea;
        this.#frame = h('div', {class: 'json-editor'}, this.#lines, textarea);
        this.#toError = h('button', {type: 'button', class: 'quiet small unneeded',
            onclick: () => this.#goToError()}, 'Go to the error');
        this.node = h('div', {class: 'with-tool'}, this.#frame, h('div', {class: 'line'},
            h('button', {type: 'button', class: 'quiet small', onclick: () => this.format()},
                'Format'),
            h('span', {class: 'hint'}, 'Tab leaves the field; ', key('Ctrl+.'), ' and ',
                key('Ctrl+,'), ' indent, as ', key('Ctrl+]'), ' and ', key('Ctrl+['), '.'),
            this.#toError));
        textarea.addEventListener('input', () => {
            this.#error = null;
            clearTimeout(this.#timer);
            this.#timer = setTimeout(() => this.#findError(), markDelay);
            this.#draw();
        });
        textarea.addEventListener('beforeinput', (event) => this.#beforeInput(event));
        textarea.addEventListener('keydown', (event) => this.#keyDown(event));
        const selected = () => {
            if (document.activeElement === textarea) this.#draw();
            // Not every browser reports that a removed element loses the focus.
            else document.removeEventListener('selectionchange', selected);
        };
        textarea.addEventListener('focus', () => {
            document.addEventListener('selectionchange', selected);
        });
        textarea.addEventListener('blur', () => {
            document.removeEventListener('selectionchange', selected);
            this.#draw();
        });
        this.#findError();
    }

    /** Formats the text; does nothing but focus it if it is invalid. */
    format() {
        const {value} = this.textarea;
        this.textarea.focus();
        try {
            const text = formatted(value);
            if (text !== value) {
                this.#apply({from: 0, to: value.length, text, start: 0, end: 0});
            }
        } catch {
            // Validation shows the error below the field.
        }
    }

    #goToError() {
        const place = this.#error ?? 0;
        this.textarea.focus();
        this.textarea.setSelectionRange(place, place);
        this.#lines.querySelector('.error-line')?.scrollIntoView({block: 'nearest'});
    }

    /** @param {InputEvent} event */
    #beforeInput(event) {
        const {value, selectionStart, selectionEnd} = this.textarea;
        const {inputType, data, isComposing} = event;
        if (isComposing) return;
        let edit = null;
        if (inputType === 'insertLineBreak') {
            edit = lineBreakEdit(value, selectionStart, selectionEnd);
        } else if (inputType === 'insertText' && (data === '}' || data === ']')) {
            edit = closingEdit(value, selectionStart, selectionEnd, data);
        }
        if (!edit) return;
        event.preventDefault();
        this.#apply(edit);
    }

    /**
     * Replaces a part of the text, so that it can be undone, and selects.
     *
     * @param {TextEdit} edit
     */
    #apply(edit) {
        const {textarea} = this;
        const {from, to, text, start, end} = edit;
        textarea.setSelectionRange(from, to);
        // The only insertion that browsers add to their undo history. It reads long texts slowly.
        if (text.length <= longest.characters && document.execCommand('insertText', false, text)) {
            textarea.setSelectionRange(start, end);
            return;
        }
        const before = textarea.value;
        replace(textarea, edit);
        this.#longEdits.add(before, textarea.value);
    }

    /**
     * Undoes or redoes a long edit; false if the browser has something to undo or redo first.
     *
     * @param {'undo' | 'redo'} kind
     */
    #takeLongEdit(kind) {
        const {value} = this.textarea;
        const text = this.#longEdits.take(kind, value);
        if (text === null) return false;
        replace(this.textarea, {from: 0, to: value.length, text, start: 0, end: 0});
        return true;
    }

    /** @param {KeyboardEvent} event */
    #keyDown(event) {
        const kind = editKey(event);
        if (kind && this.#takeLongEdit(kind)) {
            event.preventDefault();
            return;
        }
        const isLess = indentsLess(event);
        if (isLess === null) return;
        event.preventDefault();
        const {value, selectionStart, selectionEnd} = this.textarea;
        const edit = indentEdit(value, selectionStart, selectionEnd, isLess);
        if (edit) this.#apply(edit);
    }

    #findError() {
        this.#error = errorIndex(this.textarea.value);
        this.#toError.classList.toggle('unneeded', this.#error === null);
        this.#draw();
    }

    /** Draws the lines of the copy whose text or marks have changed. */
    #draw() {
        const {value} = this.textarea;
        const texts = value.length > longest.characters ? [] : value.split('\n');
        const isPlain = value.length > longest.characters || texts.length > longest.lines;
        this.#frame.classList.toggle('plain', isPlain);
        const lines = isPlain ? [] : this.#withMarks(texts);
        const before = this.#drawn;
        const isSame = (/** @type {number} */ one, /** @type {number} */ other) => (
            before[one] === lines[other]);
        const shortest = Math.min(before.length, lines.length);
        let start = 0;
        while (start < shortest && isSame(start, start)) start += 1;
        let end = 0;
        while (end < shortest - start
            && isSame(before.length - 1 - end, lines.length - 1 - end)) end += 1;
        if (start + end === before.length && start + end === lines.length) return;
        const {children} = this.#lines;
        for (let count = before.length - start - end; count > 0; count -= 1) {
            children[start].remove();
        }
        const next = children[start] ?? null;
        for (const line of lines.slice(start, lines.length - end)) {
            this.#lines.insertBefore(lineView(line), next);
        }
        this.#drawn = lines;
    }

    /**
     * Lines with their marks, as texts that differ if a line has to be drawn again.
     *
     * @param {string[]} texts
     */
    #withMarks(texts) {
        const {value, selectionStart, selectionEnd} = this.textarea;
        const isFocused = document.activeElement === this.textarea;
        const lines = [...texts];
        /** @type {[number, string][]} */
        const marks = isFocused && selectionStart === selectionEnd
            ? (bracketPair(value, selectionStart) ?? []).map((place) => [place, 'pair']) : [];
        if (this.#error !== null) marks.push([this.#error, 'error']);
        for (const [place, kind] of marks) {
            const {line, column} = lineOf(value, place);
            lines[line] += `\n${kind} ${column}`;
        }
        return lines;
    }
}

/**
 * One line of the copy.
 *
 * @param {string} line Its text, and after line breaks its marks, each a kind and a column.
 */
function lineView(line) {
    const [text, ...lineMarks] = line.split('\n');
    const marks = new Map(lineMarks.map((mark) => {
        const [kind, column] = mark.split(' ');
        return [Number(column), kind];
    }));
    const isMarked = [...marks.values()].includes('error');
    const node = h('div', {class: isMarked ? 'json-line error-line' : 'json-line'});
    const parts = text.length > longestLine ? [['', text]] : tokens(text);
    let column = 0;
    for (const [kind, token] of parts) {
        /** @param {string} shown */
        const add = (shown, mark = '') => {
            const name = [kind && `json-${kind}`, mark && `${mark}-text`].filter(Boolean).join(' ');
            // As it is, since it is behind what the field shows.
            if (shown) (name ? node.appendChild(h('span', {class: name})) : node).append(shown);
        };
        let start = 0;
        for (let index = 0; marks.size && index < token.length; index += 1) {
            const mark = marks.get(column + index);
            if (mark === undefined) continue;
            add(token.slice(start, index));
            add(token[index], mark);
            start = index + 1;
        }
        add(token.slice(start));
        column += token.length;
    }
    if (isMarked && marks.get(column) === 'error') node.append(h('span', {class: 'error-end'}));
    // An empty line is as high as others.
    if (!text) node.append(h('br', {}));
    return node;
}
