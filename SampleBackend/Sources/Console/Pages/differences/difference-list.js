/**
 * Renders thousands of differences: sections with their numbers, one line for each difference, and
 * its parts once it is opened. Only the rows near the window are in the document.
 */

import {badge} from '../controls/controls.js';
import {h, newID} from '../controls/dom.js';
import {RowWindow} from '../controls/row-window.js';
import {count} from '../text/formats.js';
import {searchWords} from '../text/search.js';
import {actButton, choiceBox, partName, partsView, revertButton, sectionBox}
    from './difference-parts.js';
import {changeNames, countsText, isFound, lineOf, sectionsOf} from './difference-sections.js';

/** @param {Difference} difference */
function valuesView(difference) {
    const {name, old, now, others} = lineOf(difference);
    return h('div', {class: 'difference-values'},
        name !== null && name !== 'defaultValue' && h('span', {class: 'muted'}, partName(name)),
        old !== null && h('code', {class: 'before'}, old),
        old !== null && now !== null && h('span', {class: 'muted', 'aria-hidden': 'true'}, '→'),
        now !== null && h('code', {class: 'after'}, now),
        others > 0 && h('span', {class: 'muted'}, `+${others}`,
            h('span', {class: 'visually-hidden'}, ` ${count(others, 'more part')}`)));
}

/** A diff of many differences. */
export class DifferenceList {
    #optionsOf;
    #ofSection;
    #opened;
    /** @type {RowWindow<ListedDifference>} */
    #rows;
    #sections;
    /** @type {string[]} */
    #words = [];

    /**
     * @param {Differences} differences
     * @param {(listed: ListedDifference) => DifferenceOptions} optionsOf
     * @param {Set<string>} opened Keys of the open sections and rows, which the list updates.
     * @param {{text: string}} [search] The searched words, which the list updates.
     * @param {(title: string) => SectionChoice} [ofSection] Adds boxes that choose all settings of
     *     a section.
     */
    constructor(differences, optionsOf, opened, search = {text: ''}, ofSection = undefined) {
        this.#optionsOf = optionsOf;
        this.#ofSection = ofSection;
        this.#opened = opened;
        this.#rows = new RowWindow((listed, kept) => kept ?? this.#row(listed), rowKey,
            (listed) => opened.has(rowKey(listed)));
        const sections = sectionsOf(differences);
        if (sections.length === 1) opened.add(sectionKey(sections[0]));
        this.#sections = sections.map((section) => this.#section(section));
        this.#rows.arrange(this.#sections.map(({list}) => list));
        this.search = h('input', {type: 'search', autocomplete: 'off', 'data-focus': 'find-change',
            'aria-label': 'Find a change', placeholder: 'Find a change', value: search.text,
            oninput: () => {
                search.text = this.search.value;
                this.#words = searchWords(search.text);
                this.#draw();
            }});
        this.#words = searchWords(search.text);
        this.foldAll = h('button', {type: 'button', class: 'quiet',
            'data-focus': 'fold-all', onclick: () => this.#foldAll()});
        this.noMatch = h('p', {class: 'nothing'}, 'No change matches.');
        this.node = h('div', {class: 'difference-sections'},
            h('div', {class: 'difference-tools'}, this.search, this.foldAll),
            this.#sections.map(({node}) => node), this.noMatch);
        this.#draw();
        this.#follow();
    }

    /** Updates the rows when the list gets its size; ends when it has left the page. */
    #follow() {
        let isShown = false;
        const observer = new ResizeObserver(() => {
            if (this.node.isConnected) {
                isShown = true;
                this.#rows.update();
            } else if (isShown) {
                observer.disconnect();
                this.#rows.end();
            }
        });
        observer.observe(this.node);
    }

    /** @param {DifferenceSection} section */
    #section(section) {
        const key = sectionKey(section);
        const list = this.#rows.list({class: 'difference-rows', 'aria-label': section.title});
        const fold = h('button', {type: 'button', class: 'fold', 'data-focus': key,
            onclick: () => {
                this.#toggle(key);
                this.#draw();
            }}, section.title, ' ',
        h('span', {class: 'muted'}, countsText(section.counts)));
        const choice = section.kind === 'setting' && this.#ofSection?.(section.title);
        const heading = h('h3', {}, fold);
        const node = h('div', {class: 'difference-section'}, choice
            ? h('div', {class: 'chosen-section'}, sectionBox(section.title, choice, false), heading)
            : heading, list.node);
        return {key, section, list, fold, node};
    }

    /** @param {string} key */
    #toggle(key) {
        if (!this.#opened.delete(key)) this.#opened.add(key);
    }

    #foldAll() {
        const isOpen = this.#isAnyOpen();
        for (const {key} of this.#sections) this.#opened[isOpen ? 'delete' : 'add'](key);
        this.#draw();
    }

    #isAnyOpen() {
        return this.#sections.some(({key}) => this.#opened.has(key));
    }

    /** Shows the open sections and what the search finds. */
    #draw() {
        const isFinding = this.#words.length > 0;
        let found = 0;
        for (const {key, section, list, fold, node} of this.#sections) {
            const items = isFinding
                ? section.items.filter((listed) => isFound(listed, this.#words)) : section.items;
            const isOpen = isFinding || this.#opened.has(key);
            found += items.length;
            node.hidden = items.length === 0;
            fold.setAttribute('aria-expanded', String(isOpen));
            list.node.hidden = !isOpen;
            list.set(items);
        }
        this.noMatch.hidden = found > 0;
        this.foldAll.hidden = isFinding || this.#sections.length < 2;
        this.foldAll.textContent = this.#isAnyOpen() ? 'Fold all sections' : 'Unfold all sections';
        this.#rows.update();
    }

    /**
     * Line of a difference, with its parts if it is open.
     *
     * @param {ListedDifference} listed
     */
    #row(listed) {
        const {difference, label, name} = listed;
        const key = rowKey(listed);
        const options = this.#optionsOf(listed);
        const id = newID('parts');
        const parts = h('div', {id, class: 'difference-body'});
        const show = () => {
            const isOpen = this.#opened.has(key);
            fold.setAttribute('aria-expanded', String(isOpen));
            parts.hidden = !isOpen;
            if (isOpen && !parts.childElementCount) {
                parts.append(...partsView(difference.parts, options.valueType));
                const note = options.note?.();
                if (note instanceof Node) parts.append(note);
            }
        };
        const fold = h('button', {type: 'button', class: 'fold', 'aria-controls': id,
            'data-focus': key, title: label, onclick: () => {
                this.#toggle(key);
                show();
                this.#rows.fit(row);
            }}, badge(changeNames[difference.change], difference.change.toLowerCase()), ' ',
        h('span', {class: 'difference-name'}, name));
        const row = h('div', {class: 'difference-row'},
            h('div', {class: 'difference-line'}, choiceBox(label, options), fold,
                valuesView(difference), revertButton(label, options), actButton(label, options)),
            parts);
        show();
        return row;
    }
}

/** @param {ListedDifference} listed */
function rowKey({kind, label}) {
    return `${kind}: ${label}`;
}

/** @param {DifferenceSection} section */
function sectionKey({kind, title}) {
    return `section of ${kind}: ${title}`;
}
