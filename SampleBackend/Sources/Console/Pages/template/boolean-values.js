/**
 * Values of Boolean settings: what a switch shows and sets.
 */

import {entries, names, objectOf} from '../json/json.js';

/**
 * True if a value of a setting can be shown as a switch.
 *
 * @param {string | undefined} valueType
 * @param {ParameterValue | undefined} value
 */
export function isSwitchable(valueType, value) {
    return valueType === 'BOOLEAN' && /^(true|false)$/i.test(value?.value ?? '');
}

/**
 * True if conditions have values of a setting, which count before the default value.
 *
 * @param {Pick<Parameter, 'conditionalValues'>} parameter
 */
export function isConditional({conditionalValues}) {
    return names(conditionalValues ?? {}).length > 0;
}

/**
 * A setting with one value for everybody: the default value, without conditional values.
 *
 * @param {Parameter} parameter
 * @param {string} value
 * @returns {Parameter}
 */
export function forEverybody(parameter, value) {
    return /** @type {Parameter} */ ({...objectOf(entries(
        /** @type {Record<string, unknown>} */ (parameter))
        .filter(([name]) => name !== 'conditionalValues')), defaultValue: {value}});
}

/**
 * Value with which a conditional value begins: the other one of a Boolean, since the same would
 * change nothing; else a copy of the default value.
 *
 * @param {string | undefined} valueType
 * @param {ParameterValue | undefined} like The default value.
 * @returns {ParameterValue}
 */
export function conditionalBeginning(valueType, like) {
    if (typeof like?.value !== 'string') return {value: ''};
    return isSwitchable(valueType, like)
        ? {value: String(like.value.toLowerCase() !== 'true')} : like;
}
