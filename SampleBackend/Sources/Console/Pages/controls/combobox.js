/**
 * Choice from a list that is too long for a select element: a field that finds options by words and
 * follows WAI-ARIA's combobox pattern. The value '' means no choice.
 */

import {hasWords, searchWords} from '../text/search.js';
import {announce, fill, h, newID} from './dom.js';

/** Maximum number of options that the list shows at once. */
const maximumOptions = 50;

/** Space between the list and the edges of the window, in pixels. */
const margin = 8;

/**
 * Makes another option of a list the active one of its field, and scrolls to it.
 *
 * @param {HTMLInputElement} input
 * @param {HTMLElement} list
 * @param {number} before Index of the active option; -1 for none.
 * @param {number} index Index of the new one; -1 for none.
 */
export function markActive(input, list, before, index) {
    list.children[before]?.setAttribute('aria-selected', 'false');
    const option = list.children[index];
    if (!option) {
        input.removeAttribute('aria-activedescendant');
        return;
    }
    option.setAttribute('aria-selected', 'true');
    input.setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({block: 'nearest'});
}

/** A choice of one option by its text. */
export class Combobox {
    #options;
    #chosen;
    /** @type {string} */
    #value = '';
    /** @type {Choice[]} */
    #found = [];
    #active = -1;
    #isOpen = false;
    /** True if the text was typed since the last choice; only then does it filter the list. */
    #isTyped = false;
    /** @type {?AbortController} */
    #following = null;

    /**
     * @param {{options: () => Choice[], value?: string,
     *     chosen?: (value: string, isLeaving: boolean) => void,
     *     attributes?: Attributes}} choice `options` returns the options each time the list opens;
     *     `value` is the initial value, which need not be an option; `chosen` is called with each
     *     value that the user chooses, and whether leaving the field chose it; `attributes` are
     *     additional attributes of the field.
     */
    constructor({options, value = '', chosen = () => {}, attributes = {}}) {
        this.#options = options;
        this.#chosen = chosen;
        const id = newID('options');
        this.list = h('ul', {id, role: 'listbox', class: 'plain', 'aria-label': 'Options'});
        this.note = h('p', {class: 'muted'});
        this.popup = h('div', {popover: 'manual', class: 'combobox-list'}, this.list, this.note);
        // The field keeps the focus.
        this.popup.addEventListener('mousedown', (event) => event.preventDefault());
        this.input = h('input', {type: 'text', role: 'combobox', autocomplete: 'off',
            spellcheck: 'false', autocapitalize: 'off', 'aria-autocomplete': 'list',
            'aria-expanded': 'false', 'aria-controls': id, ...attributes,
            onclick: () => this.#open(), onblur: () => this.#leave(),
            onkeydown: (event) => this.#onKey(event),
            oninput: () => {
                this.#isTyped = true;
                this.input.removeAttribute('aria-invalid');
                this.#open();
                this.#draw();
            }});
        this.node = h('div', {class: 'combobox'}, this.input, this.popup);
        this.value = value;
    }

    get value() {
        return this.#value;
    }

    /** Sets the value without calling `chosen`. */
    set value(value) {
        this.#value = value;
        this.#isTyped = false;
        this.input.removeAttribute('aria-invalid');
        this.input.value = this.#textOf(value);
    }

    /** The typed text if it chose nothing; else empty. */
    get unchosen() {
        return this.#isTyped ? this.input.value.trim() : '';
    }

    /** Shows a text as if it was typed; an empty one changes nothing. */
    set unchosen(text) {
        if (!text) return;
        this.input.value = text;
        this.#isTyped = true;
    }

    /** Shows the text of the value again after the options have changed. */
    update() {
        if (!this.#isTyped) this.input.value = this.#textOf(this.#value);
    }

    focus() {
        this.input.focus();
    }

    /** Takes what is typed, as leaving the field does. */
    settle() {
        this.#leave();
    }

    /**
     * Text of a value; the value itself if it is not an option.
     *
     * @param {string} value
     */
    #textOf(value) {
        return this.#options().find(([option]) => option === value)?.[1] ?? value;
    }

    #open() {
        if (this.#isOpen) return;
        this.#isOpen = true;
        this.input.setAttribute('aria-expanded', 'true');
        if (!this.#isTyped) this.input.select();
        this.popup.showPopover();
        this.#draw();
        // The list is in the top layer, so it does not scroll with its field.
        this.#following = new AbortController();
        const options = {signal: this.#following.signal, capture: true, passive: true};
        /** @param {Event} event */
        const follow = (event) => {
            // The event's target can be the window, which is not a node.
            const {target} = event;
            if (!(target instanceof Node) || !this.popup.contains(target)) this.#place();
        };
        window.addEventListener('scroll', follow, options);
        window.addEventListener('resize', follow, options);
    }

    #close() {
        if (!this.#isOpen) return;
        this.#isOpen = false;
        this.#following?.abort();
        this.input.setAttribute('aria-expanded', 'false');
        this.input.removeAttribute('aria-activedescendant');
        this.#active = -1;
        if (this.popup.matches(':popover-open')) this.popup.hidePopover();
    }

    /** Finds the options with all typed words, and shows them. */
    #draw() {
        const words = this.#isTyped ? searchWords(this.input.value) : [];
        this.#found = this.#options().filter(([, text]) => hasWords(text.toLowerCase(), words));
        const shown = this.#found.slice(0, maximumOptions);
        const rest = this.#found.length - shown.length;
        fill(this.list, shown.map(([value, text], index) => h('li', {
            role: 'option', id: `${this.list.id}-${index}`, 'aria-selected': 'false',
            class: value === this.#value ? 'chosen' : '', onclick: () => this.#choose(value)},
        text)));
        this.list.hidden = !shown.length;
        this.note.textContent = !shown.length ? 'No match.'
            : rest ? `${rest} more: type a part of the name.` : '';
        this.note.hidden = !this.note.textContent;
        if (!shown.length) announce(this.note.textContent);
        this.#activate(words.length && shown.length ? 0 : -1);
        this.#place();
    }

    /** Places the list below the field, or above it where there is more room. */
    #place() {
        const {left, top, bottom, width} = this.input.getBoundingClientRect();
        const {style} = this.popup;
        const below = window.innerHeight - bottom - margin;
        const above = top - margin;
        const isBelow = below >= Math.min(240, above);
        style.minWidth = `${width}px`;
        style.maxWidth = `${window.innerWidth - 2 * margin}px`;
        style.maxHeight = `${Math.max(80, Math.min(360, isBelow ? below : above))}px`;
        style.top = isBelow ? `${bottom + 2}px` : 'auto';
        style.bottom = isBelow ? 'auto' : `${window.innerHeight - top + 2}px`;
        const free = window.innerWidth - this.popup.offsetWidth - margin;
        style.left = `${Math.max(margin, Math.min(left, free))}px`;
    }

    /**
     * Marks the option that Enter chooses; -1 marks none.
     *
     * @param {number} index
     */
    #activate(index) {
        markActive(this.input, this.list, this.#active, index);
        this.#active = index;
    }

    /**
     * @param {string} value
     * @param {boolean} [isLeaving]
     */
    #choose(value, isLeaving = false) {
        this.value = value;
        this.#close();
        this.#chosen(value, isLeaving);
    }

    /** @param {KeyboardEvent} event */
    #onKey(event) {
        const {length} = this.list.children;
        const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
        if (step && !event.ctrlKey && !event.metaKey) {
            event.preventDefault();
            if (!this.#isOpen) this.#open();
            else if (length) {
                const next = this.#active < 0 && step < 0 ? length - 1 : this.#active + step;
                this.#activate((next + length) % length);
            }
        } else if (event.key === 'Enter' && this.#isOpen) {
            // Enter chooses instead of submitting the form.
            event.preventDefault();
            if (this.#active >= 0) this.#choose(this.#found[this.#active][0]);
        } else if (event.key === 'Escape' && this.#isOpen) {
            // Escape closes the list instead of the dialog.
            event.preventDefault();
            this.value = this.#value;
            this.#close();
        }
    }

    /**
     * Takes the option that was typed in full, or by a part that only one option has. Anything else
     * ends the choice, since an earlier one must not apply when the text differs, and stays as an
     * invalid text.
     */
    #leave() {
        const text = this.input.value.trim().toLowerCase();
        const isTyped = this.#isTyped;
        const found = this.#found;
        this.#close();
        if (!isTyped) return;
        const option = this.#options().find(([, name]) => name.toLowerCase() === text)
            ?? (text && found.length === 1 ? found[0] : null);
        const value = option?.[0] ?? '';
        if (!option && text) {
            this.input.setAttribute('aria-invalid', 'true');
            announce(`There is no “${this.input.value.trim()}”.`);
            if (this.#value === '') return;
            this.#value = '';
            this.#chosen('', true);
        } else if (value === this.#value) this.value = value;
        else this.#choose(value, true);
    }
}
