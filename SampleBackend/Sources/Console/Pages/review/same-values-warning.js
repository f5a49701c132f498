/**
 * Warning, before publishing, of conditional values that equal the default value.
 */

import {message} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {folded} from '../controls/folded.js';
import {draftSameValues} from '../template/same-values.js';
import {count} from '../text/formats.js';

/**
 * Warning about the settings that a draft adds or changes; null without such values.
 *
 * @param {Template} template
 * @param {Template} base Template with which the draft began.
 */
export function sameValuesWarning(template, base) {
    const found = draftSameValues(template, base);
    if (!found.length) return null;
    return message('warning',
        h('p', {}, found.length === 1
            ? '1 conditional value is the same as the default value, and changes nothing:'
            : `${count(found.length, 'conditional value')} are the same as the default value, `
                + 'and change nothing:'),
        folded(found, (some) => h('ul', {class: 'remarks'}, some.map(({setting, condition}) => (
            h('li', {}, h('code', {}, setting), `, value for “${condition}”`))))));
}
