/**
 * Conditional values that change nothing, because users for whom they count get the same without.
 */

import {isEqual, member} from '../json/json.js';
import {conditions, sections, settingAt} from './template.js';

/**
 * Names of the conditions whose value equals the default value, and so do the values for all lower
 * conditions of the setting. Above another value it has an effect: it keeps users from that one.
 *
 * @param {Pick<Parameter, 'defaultValue' | 'conditionalValues'>} parameter
 * @param {Condition[]} order Conditions, highest priority first.
 * @returns {string[]}
 */
export function sameValues({defaultValue, conditionalValues}, order) {
    const same = [];
    const used = order.map(({name}) => name)
        .filter((name) => member(conditionalValues, name) !== undefined);
    for (const name of used.reverse()) {
        if (!isEqual(member(conditionalValues, name), defaultValue)) break;
        same.unshift(name);
    }
    return same;
}

/** @param {string} name */
export function sameValueRemark(name) {
    return `“${name}” has the same value as the default: this condition changes nothing.`;
}

/**
 * Such values in the settings that a draft adds or changes, as `{setting, condition}`.
 *
 * @param {Template} template
 * @param {Template} base
 */
export function draftSameValues(template, base) {
    const order = conditions(template);
    return sections(template).flatMap(({name, settings}) => (
        settings.flatMap(({key, parameter}) => {
            if (!parameter.conditionalValues
                || isEqual(parameter, settingAt(base, name, key)?.parameter)) return [];
            return sameValues(parameter, order)
                .map((condition) => ({setting: `${name}.${key}`, condition}));
        })));
}
