/**
 * The choice of a draft's changes that a publish sends; the others stay in the draft. The tab keeps
 * what is left out, also after the publish, so that a second press publishes nothing else.
 */

import {sectionsOf} from '../differences/difference-sections.js';
import {noChanges} from '../server/server-draft.js';
import {changeKey, choosing, chosenChanges, leftConditions, neededChanges}
    from '../template/chosen-changes.js';
import {count, numberText} from '../text/formats.js';

/** @typedef {import('../controls/page-input.js').PageInput} PageInput */

/**
 * Notes that one change is to be chosen with all that it needs, when the changes are known.
 *
 * @param {PageInput} input
 * @param {string} only Its key.
 */
export function keepOnly(input, only) {
    const {content} = input;
    input.keep({only, left: Array.isArray(content) ? content : content?.left ?? []});
}

/** The choice of the changes of one draft. */
export class ChangeChoice {
    #draft;
    #changes;
    #needs;
    #input;
    /**
     * Labels of the changes by key.
     *
     * @type {Map<string, string>}
     */
    #labels;
    /**
     * Keys of the changes that are left out.
     *
     * @type {Set<string>}
     */
    #left = new Set();

    /**
     * @param {Draft} draft
     * @param {PageInput} input What the tab keeps.
     */
    constructor(draft, input) {
        this.#draft = draft;
        this.#input = input;
        this.#changes = draft.changes ?? noChanges;
        this.#labels = new Map(sectionsOf(this.#changes).flatMap(({items}) => items.map((
            {kind, label, difference}) => [changeKey(kind, difference), kind === 'setting'
            ? label : `the ${kind === 'group' ? 'section' : kind} ${label}`])));
        this.#needs = neededChanges(draft.baseTemplate, draft.template, this.#changes);
        // What was left out stays so until the server has compared the draft.
        if (!draft.changes || draft.isBaseGone) return;
        const kept = this.#input.content;
        /** @type {{only?: string, left: string[]}} */
        const {only, left} = Array.isArray(kept) ? {left: kept} : kept ?? {left: []};
        this.#set(new Set(left.filter((key) => this.#labels.has(key))));
        if (only !== undefined) this.chooseOnly(only);
        // What was changed since the choice brings along what it needs.
        for (const [key, needed] of this.#needs) {
            if (this.isChosen(key) && [...needed].some((each) => !this.isChosen(each))) {
                this.choose(key, true);
            }
        }
    }

    /** Number of changes. */
    get total() {
        return this.#labels.size;
    }

    /** Number of chosen changes. */
    get count() {
        return this.total - this.#left.size;
    }

    /** True if all changes are chosen. */
    get isWhole() {
        return this.#left.size === 0;
    }

    /** False for a draft of one change, and for one whose changes are not all listed. */
    get isOffered() {
        return (this.total > 1 || !this.isWhole) && !this.#draft.changes?.omitted;
    }

    /** The draft with the chosen changes only. */
    get draft() {
        if (this.isWhole) return this.#draft;
        const {template, baseTemplate} = this.#draft;
        /** @param {DifferenceKind} kind @param {Difference[]} list */
        const chosen = (kind, list) => list
            .filter((found) => this.isChosen(changeKey(kind, found)));
        const {conditions, groups, parameters} = this.#changes;
        return {...this.#draft,
            template: chosenChanges(baseTemplate, template, this.#left, this.#changes),
            changes: {conditions: chosen('condition', conditions), groups: chosen('group', groups),
                parameters: chosen('setting', parameters)}};
    }

    /** Changed conditions that are left out, although chosen settings have values for them. */
    get leftConditions() {
        return leftConditions(this.#draft.template, this.#changes, this.#left);
    }

    /**
     * Sentence about the choice, such as "3 of 5 changes are chosen. The others stay in your
     * draft."
     */
    get text() {
        if (this.isWhole) return `All ${count(this.total, 'change')} are chosen.`;
        const isOne = this.count === 1 || this.total === 1;
        return `${this.shortText} ${isOne ? 'is' : 'are'} chosen. The others stay in your draft.`;
    }

    /** The choice in short, such as "3 of 5 changes". */
    get shortText() {
        return `${numberText(this.count)} of ${count(this.total, 'change')}`;
    }

    /** @param {string} key */
    isChosen(key) {
        return !this.#left.has(key);
    }

    /**
     * Chooses a change with all that it needs, or leaves it out with all that need it.
     *
     * @param {string} key
     * @param {boolean} isChosen
     * @returns {string[]} Labels of the others that this has chosen or left out.
     */
    choose(key, isChosen) {
        const before = this.#left;
        this.#set(choosing(before, this.#needs, key, isChosen));
        const others = [...this.#labels].filter(([other]) => (
            other !== key && before.has(other) !== this.#left.has(other)));
        return others.map(([, label]) => label);
    }

    /**
     * Chooses all changes, or none.
     *
     * @param {boolean} isChosen
     */
    chooseAll(isChosen) {
        this.#set(new Set(isChosen ? [] : this.#labels.keys()));
    }

    /**
     * Chooses one change with all that it needs, and leaves out the others; nothing if the draft
     * lacks it.
     *
     * @param {string} key
     */
    chooseOnly(key) {
        if (!this.#labels.has(key)) return;
        this.chooseAll(false);
        this.choose(key, true);
    }

    /** @param {Set<string>} left */
    #set(left) {
        this.#left = left;
        if (left.size) this.#input.keep([...left]);
        else this.#input.forget();
    }
}
