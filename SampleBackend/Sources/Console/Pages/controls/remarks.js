/**
 * Remarks below a control, on what was entered and may not be what was meant.
 */

import {message} from './controls.js';
import {fill, h} from './dom.js';

/** Maximum number of shown remarks. */
const shown = 3;

/**
 * Shows remarks in a place, which has none without any.
 *
 * @param {HTMLElement} place
 * @param {string[]} list
 */
export function showRemarks(place, list) {
    const rest = list.length - shown;
    fill(place, list.length > 0 && message('warning', list.slice(0, shown)
        .map((remark) => h('p', {}, remark)), rest > 0 && h('p', {}, `and ${rest} more`)));
}
