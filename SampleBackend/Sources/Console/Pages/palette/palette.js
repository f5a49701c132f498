/**
 * The command palette: a dialog that finds settings, conditions, pages and actions by words, and
 * follows WAI-ARIA's pattern of a combobox with a list.
 */

import {markActive} from '../controls/combobox.js';
import {message} from '../controls/controls.js';
import {openDialog} from '../controls/dialog.js';
import {announce, fill, h, newID} from '../controls/dom.js';
import {isPageLocked} from '../controls/held-entry.js';
import {noteChoice, recentChoices} from './palette-recent.js';
import {PaletteSearch} from './palette-search.js';

/** Maximum number of entries that the list shows at once. */
const maximumShown = 50;

/** Number of entries by which the page keys move. */
const pageLength = 8;

/** The field and the list of the palette. */
class PaletteView {
    #search;
    #choose;
    /** @type {PaletteEntry[]} */
    #shown = [];
    #active = -1;

    /**
     * @param {PaletteSearch} search
     * @param {string} label Accessible name of the field, and its placeholder.
     * @param {(entry: PaletteEntry) => void} choose
     */
    constructor(search, label, choose) {
        this.#search = search;
        this.#choose = choose;
        const id = newID('palette');
        this.list = h('ul', {id, role: 'listbox', class: 'plain', 'aria-label': 'Matches',
            // The field keeps the focus.
            onmousedown: (/** @type {MouseEvent} */ event) => event.preventDefault()});
        this.note = h('p', {class: 'muted', role: 'status'});
        this.input = h('input', {type: 'text', role: 'combobox', autocomplete: 'off',
            spellcheck: 'false', autocapitalize: 'off', 'aria-autocomplete': 'list',
            'aria-expanded': 'true', 'aria-controls': id, 'aria-label': label, placeholder: label,
            'data-autofocus': true, oninput: () => this.#draw(),
            onkeydown: (event) => this.#onKey(event)});
        this.node = h('div', {class: 'palette'}, this.input, this.list, this.note);
        this.#draw();
    }

    #draw() {
        const found = this.#search.find(this.input.value);
        this.#shown = found.slice(0, maximumShown);
        fill(this.list, this.#shown.map((entry, index) => this.#option(entry, index)));
        this.list.scrollTop = 0;
        this.list.hidden = !found.length;
        this.input.setAttribute('aria-expanded', String(found.length > 0));
        const rest = found.length - this.#shown.length;
        this.note.textContent = !found.length ? 'No match.'
            : rest > 0 ? `${found.length} matches, ${this.#shown.length} shown: type more.`
                : found.length === 1 ? '1 match.' : `${found.length} matches.`;
        this.#active = -1;
        this.#activate(found.length ? 0 : -1);
    }

    /**
     * @param {PaletteEntry} entry
     * @param {number} index
     */
    #option(entry, index) {
        const {title, kind, refusal} = entry;
        const detail = refusal ?? entry.detail;
        return h('li', {role: 'option', id: `${this.list.id}-${index}`, 'aria-selected': 'false',
            'aria-disabled': refusal ? 'true' : null, onclick: () => this.#take(entry)},
        h('span', {class: 'palette-title'}, title), ' ',
        h('span', {class: 'palette-detail muted'}, detail), ' ',
        h('span', {class: 'badge'}, kind));
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

    /** @param {PaletteEntry} entry */
    #take(entry) {
        if (entry.refusal) this.note.textContent = entry.refusal;
        else this.#choose(entry);
    }

    /** @param {KeyboardEvent} event */
    #onKey(event) {
        const last = this.#shown.length - 1;
        if (last < 0 || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
        const [at, end] = [this.#active, last];
        const target = {
            ArrowDown: at === end ? 0 : at + 1, ArrowUp: at === 0 ? end : at - 1,
            PageDown: Math.min(end, at + pageLength), PageUp: Math.max(0, at - pageLength),
        }[event.key];
        if (target !== undefined) {
            event.preventDefault();
            this.#activate(target);
        } else if (event.key === 'Enter') {
            event.preventDefault();
            /** @type {HTMLElement} */ (this.list.children[at]).click();
        }
    }
}

/** Keys of the palette, for those who have a keyboard. */
function keysView() {
    const key = (/** @type {string} */ text) => h('kbd', {}, text);
    return h('p', {class: 'muted palette-keys'},
        key('↑'), ' ', key('↓'), ' move, ', key('Enter'), ' opens, ', key('Esc'), ' closes');
}

/**
 * Opens a palette; returns the chosen entry, or undefined.
 *
 * @param {string} title
 * @param {string} label
 * @param {PaletteSearch} search
 * @param {?string} problem Why the last choice failed.
 * @returns {Promise<PaletteEntry | undefined>}
 */
function openPalette(title, label, search, problem) {
    return openDialog(title, (close) => ({
        body: [problem && message('error', problem), new PaletteView(search, label, close).node],
        actions: keysView(),
    }), {isForm: false});
}

/**
 * Opens the palette, and does what is chosen in it.
 *
 * @param {{user: string, project: string}} owner Whose recent choices come first.
 * @param {() => PaletteEntry[]} entries
 */
export async function usePalette(owner, entries) {
    // Another dialog is open.
    if (isPageLocked()) return;
    /** @type {?string} */
    let problem = null;
    do {
        const search = new PaletteSearch(entries(), recentChoices(owner));
        const chosen = await openPalette('Search and commands',
            'Find a setting, condition, page or action', search, problem);
        if (!chosen) return;
        noteChoice(owner, chosen.id);
        problem = null;
        try {
            const next = await chosen.run();
            // A second choice, as of the section of a new setting.
            if (Array.isArray(next)) {
                const second = await openPalette(chosen.title, 'Find a section',
                    new PaletteSearch(next), null);
                await second?.run();
            }
        } catch (error) {
            problem = error.message;
            announce(error.message);
        }
    } while (problem !== null);
}
