/**
 * Selection in the list of settings, and the bar with its actions.
 */

import {fill, h} from '../controls/dom.js';
import {count, numberText} from '../text/formats.js';
import {move, remove, setConditionalValue, settingsAt} from './setting-actions.js';

/** The selected settings, by their paths. */
export class SettingSelection {
    /** @type {Set<string>} */
    #selected = new Set();
    /** @type {?string} */
    #lastPicked = null;
    #shown;
    #changed;
    #leave;

    /**
     * @param {PageContext} context
     * @param {{shown: () => Setting[], changed: () => void, leave: () => void}} list `shown`
     *     returns the settings in the list; `changed` draws the list; `leave` focuses it when the
     *     bar ends.
     */
    constructor(context, {shown, changed, leave}) {
        this.context = context;
        this.#shown = shown;
        this.#changed = changed;
        this.#leave = leave;
        this.pickAll = h('input', {type: 'checkbox', onclick: () => this.#select(
            this.pickAll.checked ? shown().map(({path}) => path) : [])});
        this.bar = h('div', {class: 'bulk-bar', role: 'region',
            'aria-label': 'Selected settings', hidden: true});
    }

    /** @param {string} path */
    has(path) {
        return this.#selected.has(path);
    }

    /**
     * Selects or deselects a row; with `isRange`, also the rows since the last one.
     *
     * @param {Setting} setting
     * @param {boolean} isOn
     * @param {boolean} isRange
     */
    pick(setting, isOn, isRange) {
        const paths = this.#shown().map(({path}) => path);
        const [here, last] = [paths.indexOf(setting.path), paths.indexOf(this.#lastPicked ?? '')];
        const picked = isRange && last >= 0
            ? paths.slice(Math.min(here, last), Math.max(here, last) + 1) : [setting.path];
        this.#lastPicked = setting.path;
        const selected = new Set(this.#selected);
        for (const path of picked) selected[isOn ? 'add' : 'delete'](path);
        this.#select(selected);
    }

    /** @param {Iterable<string>} paths */
    #select(paths) {
        this.#selected = new Set(paths);
        this.#changed();
    }

    /** Number of selected settings, and of those that the filters show if they hide some. */
    #text() {
        const {size} = this.#selected;
        const text = `${count(size, 'setting')} selected`;
        const shown = this.#shown().filter(({path}) => this.#selected.has(path)).length;
        if (shown === size) return text;
        if (size === 1) return `${text}, not shown here`;
        return `${text}, ${shown ? numberText(shown) : 'none'} of them shown here`;
    }

    /** Drops settings that the template lacks, and shows the actions. */
    update() {
        if (this.#selected.size) {
            this.#selected = new Set(settingsAt(
                this.context.workspace.template, this.#selected).map(({path}) => path));
        }
        const {size} = this.#selected;
        const isAll = size > 0 && this.#shown().every(({path}) => this.#selected.has(path));
        this.pickAll.checked = isAll;
        this.pickAll.indeterminate = size > 0 && !isAll;
        this.bar.hidden = size === 0;
        if (size === 0) {
            fill(this.bar);
            return;
        }
        fill(this.bar, h('p', {role: 'status'}, this.#text()),
            h('div', {class: 'actions'},
                this.#button('Set for a condition …', setConditionalValue),
                this.#button('Move …', move), this.#button('Delete …', remove, 'danger'),
                h('button', {type: 'button', class: 'quiet', onclick: () => {
                    this.#select([]);
                    this.#leave();
                }}, 'Unselect')));
    }

    /**
     * @param {string} text
     * @param {(context: PageContext, settings: Setting[]) => Promise<boolean>} action
     * @param {string} [kind]
     */
    #button(text, action, kind = '') {
        return h('button', {type: 'button', class: kind,
            'data-focus': `bulk ${text}`, onclick: async () => {
                await action(this.context, settingsAt(
                    this.context.workspace.template, this.#selected));
                if (document.activeElement === document.body) this.#leave();
            }}, text);
    }
}
