/**
 * Suggestions of a form's fields, which are filled again when more signals are known.
 */

import {fill, h, newID} from '../controls/dom.js';

export class Suggestions {
    /** @type {?KnownSignals} */
    known = null;
    /** Element with the lists; add it to the form. */
    node = h('div', {hidden: true});
    /** @type {Map<HTMLElement, () => Choice[]>} */
    #lists = new Map();

    /** @param {?Promise<KnownSignals>} [known] Signals of conditions and apps. */
    constructor(known = null) {
        known?.then((result) => {
            this.known = result;
            this.update();
        });
    }

    /**
     * Adds a list, and returns its ID.
     *
     * @param {() => Choice[]} pairs Returns `[value, name]` pairs; called again by `update`.
     */
    add(pairs) {
        const list = h('datalist', {id: newID('suggestions')});
        this.#lists.set(list, pairs);
        this.node.append(list);
        this.#fill(list, pairs);
        return list.id;
    }

    /** Fills all lists again. */
    update() {
        this.#lists.forEach((pairs, list) => this.#fill(list, pairs));
    }

    /** Removes all lists. */
    clear() {
        this.#lists.clear();
        fill(this.node);
    }

    /**
     * @param {HTMLElement} list
     * @param {() => Choice[]} pairs
     */
    #fill(list, pairs) {
        fill(list, pairs().map(([value, name]) => h('option', {value}, name)));
    }
}
