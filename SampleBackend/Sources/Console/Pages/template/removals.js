/**
 * What a template has and its replacement lacks.
 */

import {member, names} from '../json/json.js';
import {conditions, sections, settingAt} from './template.js';

/**
 * Number of settings in a template.
 *
 * @param {Template} template
 */
export function settingCount(template) {
    return sections(template).reduce((sum, {settings}) => sum + settings.length, 0);
}

/**
 * True for a template without settings, sections and conditions.
 *
 * @param {Template} template
 */
export function isEmptyTemplate(template) {
    return sections(template).length === 0 && conditions(template).length === 0;
}

/**
 * Numbers of settings, sections and conditions that a template has and its replacement lacks.
 *
 * @param {Template} template
 * @param {Template} replacement
 */
export function removals(template, replacement) {
    const kept = new Set(conditions(replacement).map(({name}) => name));
    return {
        settings: sections(template).flatMap(({name, settings}) => settings.filter(({key}) => (
            settingAt(replacement, name, key) === undefined))).length,
        sections: names(template.parameterGroups ?? {}).filter((group) => (
            member(replacement.parameterGroups, group) === undefined)).length,
        conditions: conditions(template).filter(({name}) => !kept.has(name)).length,
    };
}
