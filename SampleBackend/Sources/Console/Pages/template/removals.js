/**
 * What a template has and its replacement lacks.
 */

import {entries, member, names, objectOf} from '../json/json.js';
import {isArchived} from './setting-notes.js';
import {conditions, sections, settingAt} from './template.js';

/**
 * A template without its archived settings, as apps get it.
 *
 * @param {Template} template
 * @returns {Template}
 */
export function withoutArchived(template) {
    /** @param {Record<string, Parameter> | undefined} parameters */
    const rest = (parameters) => objectOf(
        entries(parameters ?? {}).filter(([, parameter]) => !isArchived(parameter)));
    return {...template, parameters: rest(template.parameters),
        parameterGroups: objectOf(entries(template.parameterGroups ?? {}).map(
            ([name, group]) => [name, {...group, parameters: rest(group.parameters)}]))};
}

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
 * Settings that a template has and its replacement lacks.
 *
 * @param {Template} template
 * @param {Template} replacement
 */
function removedSettings(template, replacement) {
    return sections(template).flatMap(({name, settings}) => settings.filter(({key}) => (
        settingAt(replacement, name, key) === undefined)));
}

/**
 * Number of settings that a template has and its replacement lacks in every section; removed
 * settings whose keys are added to other sections are moved.
 *
 * @param {Template} template
 * @param {Template} replacement
 */
export function lostSettings(template, replacement) {
    /** @type {Map<string, number>} */
    const moved = new Map();
    for (const {key} of removedSettings(replacement, template)) {
        moved.set(key, (moved.get(key) ?? 0) + 1);
    }
    return removedSettings(template, replacement).filter(({key}) => {
        const rest = moved.get(key) ?? 0;
        moved.set(key, rest - 1);
        return rest <= 0;
    }).length;
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
        settings: removedSettings(template, replacement).length,
        sections: names(template.parameterGroups ?? {}).filter((group) => (
            member(replacement.parameterGroups, group) === undefined)).length,
        conditions: conditions(template).filter(({name}) => !kept.has(name)).length,
    };
}
