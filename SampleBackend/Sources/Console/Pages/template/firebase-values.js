/**
 * Values that Firebase evaluates and the server only keeps: rollouts, personalizations and
 * experiments. They can be default and conditional values of any setting.
 */

import {entries} from '../json/json.js';

/**
 * Kinds of such values by the name of their member.
 *
 * @type {Record<string, string>}
 */
const kinds = {rolloutValue: 'rollout', personalizationValue: 'personalization',
    experimentValue: 'experiment'};

/**
 * Kind of a value that only Firebase evaluates, such as "rollout"; null for other values.
 *
 * @param {ParameterValue | undefined} value
 */
export function firebaseKind(value) {
    const name = Object.keys(kinds).find((kind) => value && Object.hasOwn(value, kind));
    return name ? kinds[name] : null;
}

/**
 * True if a setting has a value that only Firebase evaluates.
 *
 * @param {Parameter} parameter
 */
export function hasFirebaseValue({defaultValue, conditionalValues}) {
    return firebaseKind(defaultValue) !== null
        || entries(conditionalValues ?? {}).some(([, value]) => firebaseKind(value) !== null);
}

/**
 * Sentence about the effect of a value that only Firebase evaluates; null for other values.
 *
 * @param {ParameterValue | undefined} value
 * @param {boolean} isDefault
 */
export function firebaseValueText(value, isDefault) {
    const kind = firebaseKind(value);
    if (!kind) return null;
    return `This ${kind} of Firebase is kept and not evaluated: `
        + (isDefault ? 'users for whom no condition is true do not get the setting.'
            : 'its condition counts as false.');
}
