/**
 * Long lists whose rest is built when it is unfolded.
 */

import {numberText} from '../text/formats.js';
import {h} from './dom.js';

/** Items that unfolding adds. */
const step = 100;

/**
 * Element whose content is built when it is unfolded.
 *
 * @param {string} summary
 * @param {() => HTMLElement[]} content
 */
export function unfolding(summary, content) {
    const place = h('div', {class: 'stack tight'});
    return h('details', {ontoggle: () => {
        if (!place.childElementCount) place.append(...content());
    }}, h('summary', {}, summary), place);
}

/**
 * The first items, and the number of the others, which are unfolded by hundreds.
 *
 * @template Item
 * @param {Item[]} items
 * @param {(items: Item[]) => HTMLElement} view Element of some of the items.
 * @param {number} [shown] Number of items that are not folded.
 * @returns {HTMLElement[]}
 */
export function folded(items, view, shown = 20) {
    const rest = items.slice(shown);
    if (!rest.length) return items.length ? [view(items)] : [];
    return [view(items.slice(0, shown)),
        unfolding(`${numberText(rest.length)} more`, () => folded(rest, view, step))];
}
