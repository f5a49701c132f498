/**
 * Conditions of a template, and the values that settings have for them.
 */

import {entries, isObject, member, names, objectOf, withMember} from '../json/json.js';
import {isNamedList} from '../json/tree-merge.js';

/**
 * Conditions of a template, or of parts of one; none if their names are not distinct.
 *
 * @param {Template} template
 * @returns {Condition[]}
 */
export function conditionsOf({conditions}) {
    return isNamedList(conditions) ? conditions : [];
}

/** @param {Template} template */
export const conditionNames = (template) => new Set(conditionsOf(template).map(({name}) => name));

/**
 * Applies `edit` to each member of an object, which stays identical if no member changes.
 *
 * @param {unknown} object
 * @param {(value: unknown) => unknown} edit
 */
function editingAll(object, edit) {
    if (!isObject(object)) return object;
    const pairs = entries(object)
        .map(([name, value]) => /** @type {[string, unknown]} */ ([name, edit(value)]));
    return pairs.some(([name, value]) => value !== object[name]) ? objectOf(pairs) : object;
}

/**
 * Applies `edit` to a member of an object; undefined removes it.
 *
 * @template Tree
 * @param {Tree} object
 * @param {string} name
 * @param {(value: unknown) => unknown} edit
 * @returns {Tree}
 */
function editingMember(object, name, edit) {
    const value = isObject(object) ? member(object, name) : undefined;
    const edited = value === undefined ? undefined : edit(value);
    return edited === value ? object
        : /** @type {Tree} */ (withMember(/** @type {any} */ (object), name, edited));
}

/**
 * Copy of a template, or of parts of one, in which `edit` is applied to the conditional values of
 * each setting; shares unchanged settings.
 *
 * @param {Template} template
 * @param {(values: Record<string, unknown>) => unknown} edit
 */
export function editingValues(template, edit) {
    /** @param {unknown} parameters */
    const inSettings = (parameters) => editingAll(parameters, (setting) => editingMember(
        setting, 'conditionalValues', (values) => (isObject(values) ? edit(values) : values)));
    return editingMember(editingMember(template, 'parameters', inSettings), 'parameterGroups',
        (groups) => editingAll(groups, (group) => editingMember(group, 'parameters', inSettings)));
}

/**
 * The conditional values of a template, or of parts of one.
 *
 * @param {Template} template
 * @returns {{path: TreePath, condition: string, value: unknown}[]}
 */
export function valuesOf(template) {
    /** @param {unknown} tree */
    const within = (tree) => (isObject(tree) ? entries(tree) : []);
    /** @param {TreePath} path @param {unknown} parameters */
    const inSettings = (path, parameters) => within(parameters).flatMap(([key, setting]) => (
        within(isObject(setting) && member(setting, 'conditionalValues'))
            .map(([condition, value]) => (
                {path: [...path, key, 'conditionalValues', condition], condition, value}))));
    return [...inSettings(['parameters'], template.parameters),
        ...within(template.parameterGroups).flatMap(([name, group]) => inSettings(
            ['parameterGroups', name, 'parameters'],
            isObject(group) && member(group, 'parameters')))];
}

/**
 * Copy of a template, or of parts of one, without the values for some conditions.
 *
 * @param {Template} template
 * @param {Set<string>} gone
 */
export function withoutValues(template, gone) {
    return editingValues(template, (values) => {
        const kept = entries(values).filter(([name]) => !gone.has(name));
        return kept.length === names(values).length ? values
            : kept.length ? objectOf(kept) : undefined;
    });
}
