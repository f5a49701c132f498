/**
 * Offers the signals that the connected apps of a user send, or that the user sent last.
 */

import {h} from '../controls/dom.js';
import {entries, isEqual} from '../json/json.js';
import {signalsOf} from './signal-fields.js';

/**
 * Signals as text: `app.version = 2.0, plan = gold`.
 *
 * @param {SignalValues} signals
 */
function signalsText(signals) {
    return entries(signals).map((pair) => pair.join(' = ')).join(', ');
}

/**
 * List of the connected apps' signals, or of those sent last, with a button for each set that is
 * not in use.
 *
 * @param {PreviewedUser} user A user of the answer of `:preview`.
 * @param {SignalValues} used Signals of the preview.
 * @param {function(SignalValues): void} take Called with the chosen signals.
 * @returns {?HTMLElement} Null when no app of the user is connected, and none was recently.
 */
export function connectedOffer({userID, connectedSignals, recentSignals}, used, take) {
    const sets = (connectedSignals ?? (recentSignals ? [recentSignals] : []))
        .map((signals) => signalsOf(entries(signals)));
    if (!sets.length) return null;
    const [sends, rest] = connectedSignals ? ['A connected app of this user sends', '']
        : ['Within the last day, an app of this user sent',
            ' Values that fewer than five users sent are left out.'];
    return h('ul', {class: 'plain stack tight'}, sets.map((signals, index) => {
        const text = signalsText(signals) || 'no signals';
        return h('li', {class: 'hint'}, isEqual(signals, used)
            ? `${sends} these: ${text}.${rest}`
            : [`${sends}: ${text}.${rest} `, h('button', {
                type: 'button', class: 'small', 'data-focus': `take ${index} ${userID}`,
                'aria-label': `Take these signals for ${userID}: ${text}`,
                onclick: () => take(signals)}, 'Take these')]);
    }));
}
