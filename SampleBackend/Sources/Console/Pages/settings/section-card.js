/**
 * Card of a section in the list of settings; created once, then updated with the template and the
 * filter.
 */

import {ask} from '../controls/dialog.js';
import {announce, fill, h} from '../controls/dom.js';
import {menuButton} from '../controls/menu.js';
import {isArchived} from '../template/setting-notes.js';
import {removingGroup} from '../template/template.js';
import {count} from '../text/formats.js';
import {openSectionDialog} from './section-dialog.js';
import {openSettingDialog} from './setting-dialog.js';
import {sectionToken} from './setting-index.js';

/** Card with the name of a section, its actions and its rows. */
export class SectionCard {
    #section;

    /**
     * @param {Section} section Entry of `sections`; the card stays with its group.
     * @param {PageContext} context Page context.
     * @param {{mayEdit: boolean, folds: import('./folds.js').Folds,
     *     rows: import('../controls/row-window.js').RowWindow<Setting>}} parts `Folds`, and the
     *     `RowWindow` that shows the rows.
     */
    constructor(section, context, {mayEdit, folds, rows}) {
        const {group, name} = section;
        this.#section = section;
        this.context = context;
        this.token = sectionToken(group);
        this.list = rows.list({class: 'settings', 'aria-label': name});
        this.folds = folds;
        this.number = h('span', {class: 'muted'});
        this.description = h('p', {class: 'muted'});
        this.empty = h('p', {class: 'nothing'});
        this.body = h('div', {}, this.empty, this.list.node);
        this.fold = h('button', {type: 'button', class: 'fold', 'data-focus': `fold ${this.token}`,
            title: name,
            onclick: () => {
                const isFolded = this.fold.getAttribute('aria-expanded') === 'true';
                folds.set([this.token], isFolded);
                this.#setFolded(isFolded);
                rows.update();
            }}, name);
        this.node = h('section', {class: 'card section', 'aria-label': name,
            'data-section': this.token},
        h('div', {class: 'card-head'},
            h('div', {class: 'section-name'}, h('h2', {}, this.fold), this.number,
                this.description),
            mayEdit && this.#actions()),
        this.body);
    }

    /**
     * Updates the card to the section's current state.
     *
     * @param {Section} section Entry of `sections`, of the same group.
     * @param {Setting[]} settings Its entries of `settingsOf` that pass the filter.
     * @param {boolean} isFiltered True if there is a filter; then it is unfolded, and hidden when
     *     no setting passes.
     * @param {boolean} showsArchived
     */
    update(section, settings, isFiltered, showsArchived) {
        this.#section = section;
        const {description} = section;
        const all = section.settings.filter(({parameter}) => (
            showsArchived || !isArchived(parameter)));
        this.node.hidden = isFiltered && !settings.length;
        if (this.description.title !== description) {
            fill(this.description, description);
            this.description.title = description;
        }
        this.description.hidden = !description;
        const number = isFiltered ? `${settings.length} of ${all.length}` : String(all.length);
        if (this.number.textContent !== number) this.number.textContent = number;
        this.empty.textContent = section.settings.length
            ? 'All settings of this section are archived.' : 'This section has no settings yet.';
        this.empty.hidden = settings.length > 0;
        this.list.node.hidden = !settings.length;
        this.#setFolded(!isFiltered && this.folds.has(this.token));
        this.list.set(settings);
    }

    /** @param {boolean} isFolded */
    #setFolded(isFolded) {
        this.fold.setAttribute('aria-expanded', String(!isFolded));
        this.body.hidden = isFolded;
    }

    /** Asks for confirmation, then deletes the section from the draft. */
    async #remove() {
        const {workspace} = this.context;
        const {group, name, settings} = this.#section;
        const isSure = await ask({
            title: `Delete the section ${name}?`, isDangerous: true, action: 'Delete the section',
            text: `Its ${count(settings.length, 'setting')} will be deleted with it.`});
        if (!isSure) return;
        workspace.edit(removingGroup(workspace.template, group ?? ''));
        announce(`Section ${name} deleted from the draft.`);
    }

    #actions() {
        const {context} = this;
        const {group, name} = this.#section;
        const edit = () => openSectionDialog(context, group ?? '');
        return h('div', {class: 'actions'},
            group !== null && [
                h('button', {type: 'button', class: 'quiet wide-action',
                    'aria-label': `Edit the section ${name}`, 'data-focus': `section ${name}`,
                    onclick: edit}, 'Edit section'),
                h('button', {type: 'button', class: 'quiet wide-action',
                    'aria-label': `Delete the section ${name}`, onclick: () => this.#remove()},
                'Delete section')],
            h('button', {type: 'button', 'aria-label': `Add a setting to ${name}`,
                'data-focus': `add ${name}`,
                onclick: () => openSettingDialog(context, group, null)}, 'Add setting'),
            // In place of the first two in narrow windows.
            group !== null && menuButton(`More for the section ${name}`, () => [
                ['Edit section', edit], ['Delete section …', () => this.#remove(), 'dangerous'],
            ], {'data-focus': `more of section ${name}`}));
    }
}
