/**
 * The list of settings: foldable sections, one line for each setting, and a selection.
 */

import {nothing} from '../controls/controls.js';
import {arrange, fill, h} from '../controls/dom.js';
import {RowWindow} from '../controls/row-window.js';
import {go} from '../routing/router.js';
import {refusal} from '../server/session.js';
import {isArchived} from '../template/setting-notes.js';
import {sections} from '../template/template.js';
import {count} from '../text/formats.js';
import {emptyProjectView} from './empty-project.js';
import {Folds} from './folds.js';
import {SectionCard} from './section-card.js';
import {SectionJumps} from './section-jumps.js';
import {copyLink, duplicate, move, remove, toggleArchived} from './setting-actions.js';
import {openSettingDialog} from './setting-dialog.js';
import {SettingFilters} from './setting-filters.js';
import {SettingHistories} from './setting-history.js';
import {isChangedSince, isFiltering, matching, sectionToken, settingsOf} from './setting-index.js';
import {settingRow} from './setting-row.js';
import {SettingSelection} from './setting-selection.js';
import {openSettingView} from './setting-view.js';

/** The list of settings: its controls, sections and rows. */
export class SettingList {
    #left = new AbortController();
    /**
     * Cards by token of the section.
     *
     * @type {Map<string, SectionCard>}
     */
    #cards = new Map();
    /**
     * State of each row, which is kept while the state stays the same.
     *
     * @type {WeakMap<HTMLElement, unknown[]>}
     */
    #rowStates = new WeakMap();
    /** @type {?Template} */
    #template = null;
    /** @type {Section[]} */
    #sections = [];
    /** @type {?HTMLElement} */
    #emptyView = null;
    /**
     * Settings that pass the filter.
     *
     * @type {Setting[]}
     */
    shown = [];

    /** @param {PageContext} context */
    constructor(context) {
        this.context = context;
        this.workspace = context.workspace;
        this.mayEdit = !refusal(context.session, 'editor');
        this.folds = new Folds(context.project);
        this.histories = new SettingHistories(context);
        this.rows = new RowWindow((setting, kept) => this.#row(setting, kept), ({path}) => path);
        this.filters = new SettingFilters(context.query, () => this.draw());
        this.sections = h('div', {class: 'stack',
            onkeydown: (event) => this.rows.moveFocus(event, '.key-button')});
        this.noMatch = h('section', {class: 'card'}, nothing('No setting matches.'));
        this.jumps = new SectionJumps((token) => this.#jumpTo(token));
        this.selection = new SettingSelection(context, {
            shown: () => this.shown, changed: () => this.draw(),
            leave: () => this.filters.search.focus()});
        this.foldAll = h('button', {type: 'button', class: 'quiet', 'data-focus': 'fold-all'});
        this.tools = h('div', {class: 'list-tools'},
            this.mayEdit && h('label', {class: 'check'}, this.selection.pickAll,
                ' Select all found'),
            this.foldAll);
        this.node = h('div', {class: 'settings-columns'},
            h('div', {class: 'stack'}, this.tools, this.sections, this.selection.bar),
            this.jumps.node);
    }

    /** Renders the changed parts of the list; the focus stays on its control. */
    draw() {
        const {template, baseTemplate} = this.workspace;
        const focused = this.sections.contains(document.activeElement)
            ? /** @type {HTMLElement} */ (document.activeElement) : null;
        const {filter} = this.filters;
        if (template !== this.#template) {
            this.#template = template;
            this.#sections = sections(template);
            this.filters.update(template);
        }
        const isEmpty = !settingsOf(template).length;
        const isFiltered = !isEmpty && isFiltering(filter);
        this.filters.node.hidden = isEmpty;
        this.tools.hidden = isEmpty;
        this.filters.clearButton.hidden = !isFiltered;
        this.shown = matching(template, baseTemplate, filter);
        /** @type {Map<string | null, Setting[]>} */
        const byGroup = new Map(this.#sections.map(({group}) => [group, []]));
        for (const setting of this.shown) byGroup.get(setting.group)?.push(setting);
        const shownSections = this.#sections
            .filter(({group}) => !isFiltered || byGroup.get(group)?.length);
        this.filters.found.textContent = isFiltered ? `${count(this.shown.length, 'setting')} found`
            : `${count(this.shown.length, 'setting')} in ${count(shownSections.length, 'section')}`;
        this.selection.update();
        this.#drawCards(byGroup, isFiltered);
        this.jumps.draw(this.#sections, shownSections, byGroup);
        this.node.classList.toggle('single', shownSections.length < 2);
        this.#drawFoldAll(shownSections, isFiltered);
        this.rows.update();
        if (focused) this.#keepFocus(focused);
    }

    /**
     * Updates the cards; without settings, shows the view of an empty project.
     *
     * @param {Map<string | null, Setting[]>} byGroup
     * @param {boolean} isFiltered
     */
    #drawCards(byGroup, isFiltered) {
        const {archived, changed} = this.filters.filter;
        const showsArchived = Boolean(archived || changed);
        const cards = this.#sections.map((section) => {
            const token = sectionToken(section.group);
            const card = this.#cards.get(token) ?? new SectionCard(section, this.context, this);
            card.update(section, byGroup.get(section.group) ?? [], isFiltered, showsArchived);
            return {token, card};
        });
        this.#cards = new Map(cards.map(({token, card}) => [token, card]));
        this.rows.arrange(cards.map(({card}) => card.list));
        this.noMatch.hidden = !isFiltered || this.shown.length > 0;
        if (cards.length) {
            arrange(this.sections, [...cards.map(({card}) => card.node), this.noMatch]);
            return;
        }
        this.#emptyView ??= h('div', {class: 'stack'}, emptyProjectView(this.context));
        arrange(this.sections, [this.#emptyView]);
    }

    /**
     * Focuses a control again, or the one that replaced it.
     *
     * @param {HTMLElement} focused
     */
    #keepFocus(focused) {
        if (focused.isConnected && focused.checkVisibility()) {
            if (document.activeElement !== focused) focused.focus({preventScroll: true});
            return;
        }
        const key = focused.getAttribute('data-focus');
        /** @type {?HTMLElement} */
        const same = key === null ? null
            : this.sections.querySelector(`[data-focus="${CSS.escape(key)}"]`);
        (same ?? this.filters.search).focus({preventScroll: true});
    }

    /**
     * Scrolls to a setting and focuses it, and shows archived ones if it is one; false when no row
     * has the path.
     *
     * @param {string} path
     */
    reveal(path) {
        const find = () => this.shown.find((candidate) => candidate.path === path);
        if (!find() && settingsOf(this.workspace.template).some((candidate) => (
            candidate.path === path && isArchived(candidate.parameter)))) {
            this.filters.showArchived();
        }
        const setting = find();
        if (!setting) return false;
        const token = sectionToken(setting.group);
        if (this.folds.has(token)) {
            this.folds.set([token], false);
            this.draw();
        }
        const row = this.rows.reveal(path);
        row?.classList.add('found');
        /** @type {?HTMLElement | undefined} */
        const button = row?.querySelector('.key-button');
        button?.focus({preventScroll: true});
        return true;
    }

    /**
     * Scrolls to a section.
     *
     * @param {string} token
     */
    #jumpTo(token) {
        const card = this.#cards.get(token);
        card?.node.scrollIntoView();
        this.rows.update();
        card?.fold.focus({preventScroll: true});
    }

    end() {
        this.#left.abort();
        this.rows.end();
        this.filters.end();
    }

    /** Loads the last changes of the settings, and shows them in the rows. */
    async loadHistories() {
        const versionNumber = this.workspace.version?.versionNumber ?? '0';
        if (!await this.histories.load(versionNumber, this.#left.signal)) return;
        const shown = new Map(this.shown.map((setting) => [setting.path, setting]));
        for (const row of this.sections.querySelectorAll('.setting')) {
            const setting = shown.get(row.getAttribute('data-path') ?? '');
            const place = row.querySelector('.setting-changed');
            if (place) fill(place, setting && this.histories.lastChange(setting));
        }
    }

    /**
     * Row of a setting: `kept` if that is up to date, else a new one.
     *
     * @param {Setting} setting
     * @param {HTMLElement} [kept]
     * @returns {HTMLElement}
     */
    #row(setting, kept) {
        const {template, baseTemplate, draft} = this.workspace;
        const isSelected = this.selection.has(setting.path);
        const isDraft = Boolean(draft) && isChangedSince(baseTemplate, setting);
        const state = [setting.parameter, template.conditions, isSelected, isDraft];
        const shown = kept && this.#rowStates.get(kept);
        if (kept && shown?.every((part, index) => part === state[index])) return kept;
        const row = settingRow(setting, this.context, {
            mayEdit: this.mayEdit, isSelected, isDraft,
            open: () => this.#open(setting),
            select: (isOn, isRange) => this.selection.pick(setting, isOn, isRange),
            menu: () => this.#menu(setting), changed: this.histories.lastChange(setting),
        });
        this.#rowStates.set(row, state);
        return row;
    }

    /** @param {Setting} setting */
    #open(setting) {
        return this.mayEdit ? openSettingDialog(this.context, setting.group, setting.key)
            : openSettingView(this.context, setting);
    }

    /**
     * @param {Setting} setting
     * @returns {MenuItem[]}
     */
    #menu(setting) {
        const {context} = this;
        /** @type {MenuItem} */
        const history = ['History …', () => this.histories.open(setting)];
        /** @type {MenuItem} */
        const link = ['Copy link', () => copyLink(setting)];
        const {section, key} = setting;
        const {baseTemplate, draft} = context.workspace;
        /** @type {MenuItem[]} */
        const review = draft && isChangedSince(baseTemplate, setting)
            ? [['Review it alone', () => go('review', {section, key})]] : [];
        return this.mayEdit ? [
            ['Edit', () => this.#open(setting)],
            ...review,
            ['Duplicate', () => duplicate(context, setting)],
            ['Move to another section …', () => move(context, [setting])],
            history,
            link,
            [isArchived(setting.parameter) ? 'Restore' : 'Archive',
                () => toggleArchived(context, setting)],
            ['Delete …', () => remove(context, [setting]), 'dangerous'],
        ] : [['Show', () => this.#open(setting)], history, link];
    }

    /**
     * @param {Section[]} shownSections
     * @param {boolean} isFiltered
     */
    #drawFoldAll(shownSections, isFiltered) {
        const tokens = shownSections.map(({group}) => sectionToken(group));
        const folds = tokens.some((token) => !this.folds.has(token));
        this.foldAll.hidden = isFiltered || tokens.length < 2;
        this.foldAll.textContent = folds ? 'Fold all sections' : 'Unfold all sections';
        this.foldAll.onclick = () => {
            this.folds.set(tokens, folds);
            this.draw();
        };
    }
}
