/**
 * Warning, before publishing, of numbers that apps receive or conditions compare with other digits.
 */

import {message} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {draftRemarks} from '../template/number-digits.js';
import {count} from '../text/formats.js';

/** Maximum number of listed numbers. */
const shown = 20;

/**
 * Warning about the values that a draft adds or changes; null if apps receive all as they are.
 *
 * @param {Template} template
 * @param {Template} base Template with which the draft began.
 */
export function digitsWarning(template, base) {
    const remarks = draftRemarks(template, base);
    if (!remarks.length) return null;
    const rest = remarks.length - shown;
    return message('warning',
        h('p', {}, `${count(remarks.length, 'number')} in the draft may not be used as written:`),
        h('ul', {class: 'remarks'}, remarks.slice(0, shown).map(({setting, condition, remark}) => (
            h('li', {}, setting
                ? [h('code', {}, setting), condition && `, value for “${condition}”`]
                : `condition “${condition}”`, ': ', remark))),
        rest > 0 && h('li', {}, `and ${count(rest, 'more', 'more')}`)));
}
