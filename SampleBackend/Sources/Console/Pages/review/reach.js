/**
 * Sentences about the users that a draft's values reach.
 */

import {entries} from '../json/json.js';
import {count, numberText} from '../text/formats.js';

/**
 * Name of a value: the setting, and its condition.
 *
 * @param {Pick<ReachValue, 'section' | 'key' | 'condition'>} value
 */
export function valueName({section, key, condition}) {
    return `${section}.${key}, ${condition === undefined ? 'default value' : `for “${condition}”`}`;
}

/**
 * True if the server knows users or apps whom a template would reach.
 *
 * @param {Pick<Preview, 'connected' | 'estimate'>} preview
 */
export function isReachKnown({connected, estimate}) {
    return Boolean(connected) || Number(estimate?.evaluated ?? 0) > 0;
}

/** Names of the higher conditions that take users, with the numbers of users. */
function takers({takenBy = {}}) {
    return entries(takenBy).map(([name, users]) => `“${name}” takes ${numberText(users)}`)
        .join(', ');
}

/**
 * True if a value reaches no user although it should.
 *
 * @param {Pick<ReachValue, 'shadow' | 'reached'>} value
 * @param {number | string} users
 */
export function isUnreached({shadow, reached}, users) {
    return shadow !== undefined || (Number(users) > 0 && Number(reached) === 0);
}

/**
 * The number of users that get a value, and why others do not.
 *
 * @param {ReachValue} value
 * @param {number | string} users
 */
export function sentence(value, users) {
    const {matching, reached, shadow, condition} = value;
    if (shadow !== undefined) {
        return `No user gets it: “${shadow}” is above it with the same expression.`;
    }
    const taken = takers(value);
    if (Number(reached) === 0 && Number(matching) > 0) {
        return `No user gets it: of ${count(matching, 'user')} for whom it is true, ${taken}. `
            + 'Move the condition up to reach them.';
    }
    if (Number(matching) === 0 && condition !== undefined) {
        return `No user gets it: “${condition}” is true for none of ${count(users, 'user')}.`;
    }
    return `${count(reached, 'user')} of ${numberText(users)} get it`
        + (taken ? `; ${taken}.` : '.');
}
