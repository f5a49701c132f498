/**
 * Controls for the filter of settings. The address contains the filter, so that links keep it.
 */

import {Combobox} from '../controls/combobox.js';
import {choice, field} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {setQuery} from '../routing/router.js';
import {archivedCount, knownNotes} from '../template/setting-notes.js';
import {conditions, sections} from '../template/template.js';
import {valueTypes} from '../template/value-types.js';
import {count} from '../text/formats.js';
import {filterOf, filterParameters, noFilter, sectionToken} from './setting-index.js';

/**
 * Milliseconds from the last keystroke until the address changes: browsers limit how often it may.
 */
const addressDelay = 300;

/**
 * True if the element takes text, or moves its selection by keys.
 *
 * @param {Element} element
 */
function takesText(element) {
    return Boolean(element.closest('input:not([type=checkbox]), textarea, select, dialog,'
        + ' [role=menu], [contenteditable]'));
}

/** Filter of the list of settings. */
export class SettingFilters {
    #timer = 0;
    #listening = new AbortController();
    #changed;
    /** @type {?Template} */
    #template = null;

    /**
     * @param {URLSearchParams} query Query of the address.
     * @param {function(): void} changed Called after the filter has changed.
     */
    constructor(query, changed) {
        this.#changed = changed;
        this.filter = filterOf(query);
        this.search = h('input', {type: 'search', value: this.filter.find,
            'aria-keyshortcuts': '/', placeholder: 'Words in any order',
            oninput: () => this.#set('find', this.search.value)});
        this.type = this.#choice('type');
        this.condition = new Combobox({value: this.filter.condition,
            options: () => [['', 'All'],
                ...conditions(this.#template ?? {}).map(
                    ({name}) => /** @type {Choice} */ ([name, name]))],
            chosen: (name) => this.#set('condition', name)});
        this.section = this.#choice('section');
        this.tag = this.#choice('tag');
        this.owner = this.#choice('owner');
        this.tagField = field('Tag', this.tag);
        this.ownerField = field('Owner', this.owner);
        this.archived = h('input', {type: 'checkbox', checked: this.filter.archived !== '',
            onchange: () => this.#set('archived', this.archived.checked ? 'shown' : '')});
        this.archivedText = h('span', {});
        this.archivedField = h('label', {class: 'check'}, this.archived, ' ', this.archivedText);
        this.changes = h('input', {type: 'checkbox', checked: this.filter.changed !== '',
            onchange: () => this.#set('changed', this.changes.checked ? 'draft' : '')});
        this.found = h('p', {class: 'muted', role: 'status'});
        this.clearButton = h('button', {type: 'button', class: 'quiet', onclick: () => {
            this.clear();
            this.search.focus();
        }}, 'Clear');
        this.node = h('div', {class: 'filters', role: 'search'},
            field('Find', this.search), field('Type', this.type),
            field('Condition', this.condition), field('Section', this.section),
            this.tagField, this.ownerField,
            h('label', {class: 'check'}, this.changes, ' Only what the draft changes'),
            this.archivedField,
            this.clearButton, this.found);
        document.addEventListener('keydown', (event) => {
            if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey
                || (event.target instanceof Element && takesText(event.target))
                || document.querySelector('dialog[open]')) return;
            event.preventDefault();
            this.search.focus();
            this.search.select();
        }, {signal: this.#listening.signal});
    }

    /** @param {keyof SettingFilter} name */
    #choice(name) {
        const select = choice([], '', {onchange: () => this.#set(name, select.value)});
        return select;
    }

    /**
     * Shows the options of a template; keeps a choice that the template lacks.
     *
     * @param {Template} template
     */
    update(template) {
        if (template === this.#template) return;
        this.#template = template;
        /**
         * @param {HTMLSelectElement} select
         * @param {keyof SettingFilter} name
         * @param {string} all
         * @param {Choice[]} options
         */
        const show = (select, name, all, options) => {
            const value = this.filter[name];
            const known = options.some(([option]) => option === value);
            fill(select, [['', all], ...options, ...(value && !known ? [[value, value]] : [])]
                .map(([option, text]) => h('option', {value: option}, text)));
            select.value = value;
        };
        show(this.type, 'type', 'All types', valueTypes);
        this.condition.update();
        show(this.section, 'section', 'All sections',
            sections(template).map(({group, name}) => [sectionToken(group), name]));
        const {owners, tags} = knownNotes(template);
        /** @param {string} name @returns {Choice} */
        const same = (name) => [name, name];
        show(this.tag, 'tag', 'All tags', tags.map(same));
        show(this.owner, 'owner', 'All owners', owners.map(same));
        this.tagField.hidden = !tags.length && !this.filter.tag;
        this.ownerField.hidden = !owners.length && !this.filter.owner;
        const archived = archivedCount(template);
        this.archivedField.hidden = !archived && !this.filter.archived;
        this.archivedText.textContent = `Show ${count(archived, 'archived setting')}`;
    }

    /** Shows the archived settings, too. */
    showArchived() {
        this.archived.checked = true;
        this.#set('archived', 'shown');
    }

    /** Removes all filters. */
    clear() {
        this.filter = {...noFilter};
        this.search.value = '';
        for (const select of [this.type, this.condition, this.section, this.tag, this.owner]) {
            select.value = '';
        }
        this.archived.checked = false;
        this.changes.checked = false;
        this.#follow();
    }

    /** Stops listening, and leaves the address unchanged. */
    end() {
        clearTimeout(this.#timer);
        this.#listening.abort();
    }

    /**
     * @param {keyof SettingFilter} name
     * @param {string} value
     */
    #set(name, value) {
        this.filter = {...this.filter, [name]: value};
        this.#follow();
    }

    #follow() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => setQuery(filterParameters(this.filter)), addressDelay);
        this.#changed();
    }
}
