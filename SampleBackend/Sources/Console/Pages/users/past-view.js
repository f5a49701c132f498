/**
 * A preview of an earlier time: the field of the time, and the version of then.
 */

import {field, message, publisherName, timeText} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {address} from '../routing/router.js';
import {withLocalTimes} from '../text/formats.js';
import {fieldText, stepOf, timeNote, timeOf, utcText, zoneName} from './past-time.js';

/**
 * Creates the field.
 *
 * @param {?string} given The time of the address, in UTC.
 * @param {string} [text] What was entered before instead.
 * @returns {PastTimeField}
 */
export function pastTimeField(given, text = fieldText(given)) {
    const note = h('p', {class: 'hint', 'aria-live': 'polite'});
    const time = () => timeOf(input.value, given);
    const update = () => {
        note.textContent = timeNote(time());
        input.step = stepOf(input.value);
        clear.hidden = !input.value;
    };
    const input = h('input', {type: 'datetime-local', step: stepOf(text), value: text,
        oninput: update});
    const clear = h('button', {type: 'button', class: 'quiet small', onclick: () => {
        input.value = '';
        input.dispatchEvent(new Event('input', {bubbles: true}));
        input.focus();
    }}, 'Now');
    update();
    return {
        time,
        text: () => input.value,
        node: field('As it was at',
            {input, node: h('div', {class: 'line past-time'}, input, clear)},
            {hint: `In your time zone, ${zoneName()}. Empty means now.`, problems: note}),
    };
}

/**
 * The version of an earlier time, and whether the values that were pinned then are known.
 *
 * @param {Preview} past Answer of `:preview` for one user, with `at`.
 */
export function pastHead({at = '', version, users: [user]}) {
    return [
        h('p', {}, 'As it was at ', timeText(at), ` (${utcText(at)}): `,
            h('a', {href: address('history', {to: version?.versionNumber})},
                `version ${version?.versionNumber}`),
            ', published ', timeText(version?.updateTime), ` by ${publisherName(version)}.`),
        user?.pins === 'unknown' && message('warning', 'The values that were pinned then are not '
            + `known, and are left out here. ${withLocalTimes(user.pinsReason ?? '')}`),
    ];
}
