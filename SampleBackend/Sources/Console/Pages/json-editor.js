/**
 * Editor of JSON values with line numbers, based on CodeMirror, which loads when it is first
 * needed.
 *
 * It edits the text directly, without parsing and rewriting numbers.
 */

import {h} from './dom.js';
import {parseJSON} from './json-text.js';

/** Milliseconds after the last keystroke before the position of an error is marked. */
const markDelay = 200;

let library = null;

/** CodeMirror with its mode for JSON; both scripts register themselves globally. */
function load() {
    library ??= import('./codemirror.js').then(() => import('./codemirror-javascript.js'))
        .then(() => globalThis.CodeMirror).catch((error) => {
            library = null;
            throw error;
        });
    return library;
}

/**
 * Index of the character at which a text stops being valid JSON; null for valid JSON and for no
 * text.
 *
 * @param {string} text
 */
function errorIndex(text) {
    if (!text.trim()) return null;
    try {
        parseJSON(text);
        return null;
    } catch (error) {
        return error.index ?? 0;
    }
}

/** Editor that replaces a textarea. */
class JSONEditor {
    #editor;
    #timer = 0;
    /** @type {?object} */
    #line = null;
    /** @type {?{clear: () => void}} */
    #mark = null;

    /**
     * @param {typeof globalThis.CodeMirror} CodeMirror
     * @param {HTMLTextAreaElement} textarea
     * @param {{label: string, changed: (text: string) => void}} value
     */
    constructor(CodeMirror, textarea, {label, changed}) {
        this.#editor = CodeMirror.fromTextArea(textarea, {
            mode: {name: 'javascript', json: true}, lineNumbers: true, lineWrapping: true,
            indentUnit: 2, smartIndent: true, inputStyle: 'contenteditable', spellcheck: false,
            gutters: ['CodeMirror-linenumbers', 'error-place'], screenReaderLabel: label,
            // Tab leaves the field, as in other fields.
            extraKeys: {Tab: false, 'Shift-Tab': false},
        });
        const described = textarea.getAttribute('aria-describedby');
        this.input = this.#editor.getInputField();
        this.input.setAttribute('role', 'textbox');
        this.input.setAttribute('aria-multiline', 'true');
        if (described) this.input.setAttribute('aria-describedby', described);
        for (const element of textarea.labels) {
            element.addEventListener('click', () => this.focus());
        }
        this.#editor.on('change', () => {
            this.#unmark();
            clearTimeout(this.#timer);
            this.#timer = setTimeout(() => this.#markError(), markDelay);
            textarea.value = this.#editor.getValue();
            changed(textarea.value);
        });
        this.#markError();
    }

    get value() {
        return this.#editor.getValue();
    }

    set value(text) {
        this.#editor.setValue(text);
    }

    focus() {
        this.#editor.focus();
    }

    #unmark() {
        if (this.#line !== null) {
            this.#editor.removeLineClass(this.#line, 'background', 'error-line');
            this.#editor.clearGutter('error-place');
        }
        this.#mark?.clear();
        this.#line = null;
        this.#mark = null;
    }

    /** Marks the line and the character at which the text stops being valid JSON. */
    #markError() {
        const document = this.#editor.getDoc();
        const index = errorIndex(document.getValue());
        if (index === null) return;
        const {line, ch} = document.posFromIndex(index);
        this.#line = this.#editor.addLineClass(line, 'background', 'error-line');
        this.#editor.setGutterMarker(line, 'error-place', h('span', {
            class: 'error-sign', title: 'The JSON is invalid from here'}, '!'));
        this.#mark = document.markText({line, ch}, {line, ch: ch + 1}, {className: 'error-text'});
    }
}

/**
 * Replaces a textarea in the page by an editor; null when the textarea was removed meanwhile, or
 * when the editor fails to load and the textarea stays.
 *
 * @param {HTMLTextAreaElement} textarea Contains the text, which stays in sync.
 * @param {{label: string, changed: function(string): void}} options `label` is the accessible name.
 */
export async function openJSONEditor(textarea, options) {
    try {
        const CodeMirror = await load();
        return textarea.isConnected ? new JSONEditor(CodeMirror, textarea, options) : null;
    } catch {
        return null;
    }
}
