/**
 * Three-way merge of templates. Beyond that of trees, it keeps conditional values and conditions
 * together: values follow a renamed condition, a condition with new values stays, and no value
 * stays for a condition that is gone.
 */

import {entries, isEqual, isObject, member, names, objectOf, withMember, withRenamed}
    from '../json/json.js';
import {isNamedList, mergeTrees, treeAt} from '../json/tree-merge.js';

/** @typedef {{base: Template, mine: Template, theirs: Template}} Sides */

/**
 * Conditions of a template, or of parts of one; none if their names are not distinct.
 *
 * @param {Template} template
 * @returns {Condition[]}
 */
function conditionsOf({conditions}) {
    return isNamedList(conditions) ? conditions : [];
}

/** @param {Template} template */
const conditionNames = (template) => new Set(conditionsOf(template).map(({name}) => name));

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
function editingValues(template, edit) {
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
function valuesOf(template) {
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

/** @param {Condition} condition */
const ruleOf = ({expression, condition}) => expression ?? condition;

/**
 * New names of conditions by the old ones. A template does not record that a condition was renamed:
 * one that is gone has the name of a new one with the same rule, or of one to which all of its
 * values went.
 *
 * @param {Template} before
 * @param {Template} after
 * @returns {Map<string, string>}
 */
function renames(before, after) {
    /** @type {Map<string, string>} */
    const found = new Map();
    if (before.conditions === after.conditions) return found;
    const [old, now] = [conditionNames(before), conditionNames(after)];
    const added = new Set(conditionsOf(after).filter(({name}) => !old.has(name)));
    for (const gone of conditionsOf(before).filter(({name}) => !now.has(name))) {
        if (!added.size) break;
        const rule = ruleOf(gone);
        const values = valuesOf(before).filter(({condition}) => condition === gone.name);
        const renamed = [...added].find((other) => (
            rule !== undefined && isEqual(rule, ruleOf(other))))
            ?? [...added].find((other) => values.length > 0 && values.every(({path, value}) => (
                isEqual(value, treeAt(after, [...path.slice(0, -1), other.name])))));
        if (renamed) {
            found.set(gone.name, renamed.name);
            added.delete(renamed);
        }
    }
    return found;
}

/**
 * Copy of a template, or of parts of one, with another name of a condition.
 *
 * @param {Template} template
 * @param {string} oldName
 * @param {string} name
 */
function renaming(template, oldName, name) {
    const present = conditionNames(template);
    if (present.has(name)) return template;
    const result = present.has(oldName) ? withMember(template, 'conditions',
        conditionsOf(template).map((condition) => (
            condition.name === oldName ? withMember(condition, 'name', name) : condition)))
        : template;
    return editingValues(result, (values) => {
        const value = member(values, oldName);
        return value === undefined || member(values, name) !== undefined ? values
            : withRenamed(values, oldName, name, value);
    });
}

/**
 * The templates with the same names of renamed conditions, so that what the others changed of these
 * follows.
 *
 * @param {Sides} sides
 * @param {{mine: Map<string, string>, theirs: Map<string, string>}} found
 * @param {TreePath[]} conflicts
 * @returns {Sides}
 */
function withSameNames({base, mine, theirs}, found, conflicts) {
    for (const [oldName, name] of found.mine) {
        const other = found.theirs.get(oldName);
        if (conditionNames(theirs).has(name) && other !== name) continue;
        if (other !== undefined && other !== name) conflicts.push(['conditions', name, 'name']);
        base = renaming(base, oldName, name);
        theirs = renaming(theirs, other ?? oldName, name);
    }
    for (const [oldName, name] of found.theirs) {
        if (found.mine.has(oldName) || conditionNames(mine).has(name)) continue;
        base = renaming(base, oldName, name);
        mine = renaming(mine, oldName, name);
    }
    return {base, mine, theirs};
}

/**
 * The base without the conditions that `theirs` deleted and for which `mine` has new values: these
 * conditions count as added by `mine`, which wins conflicts.
 *
 * @param {Sides} sides
 * @param {TreePath[]} conflicts
 */
function withoutUsed({base, mine, theirs}, conflicts) {
    const [kept, left] = [conditionNames(mine), conditionNames(theirs)];
    const deleted = new Set(conditionsOf(base).map(({name}) => name)
        .filter((name) => kept.has(name) && !left.has(name)));
    if (!deleted.size) return base;
    const used = new Set(valuesOf(mine).filter(({path, condition, value}) => (
        deleted.has(condition) && !isEqual(value, treeAt(base, path))))
        .map(({condition}) => condition));
    conflicts.push(...[...used].map((name) => ['conditions', name]));
    return used.size === 0 ? base : withMember(base, 'conditions',
        conditionsOf(base).filter(({name}) => !used.has(name)));
}

/**
 * @param {Sides} sides
 * @param {{mine: Map<string, string>, theirs: Map<string, string>}} found Renamed conditions.
 * @param {Set<string>} others Conditions of values that the merge may add, besides those that the
 *     templates have.
 * @param {TreePath[]} conflicts
 */
function merge(sides, found, others, conflicts) {
    const same = withSameNames(sides, found, conflicts);
    const {mine, theirs} = same;
    const merged = mergeTrees(withoutUsed(same, conflicts), mine, theirs, [], conflicts);
    const present = conditionNames(merged);
    const gone = new Set([...others,
        ...[same.base, mine, theirs].flatMap((template) => [...conditionNames(template)])]
        .filter((name) => !present.has(name)));
    if (!gone.size || !isNamedList(merged.conditions ?? [])) return merged;
    const known = new Set(conflicts.map((path) => path.join('\n')));
    conflicts.push(...valuesOf(merged).filter(({condition}) => gone.has(condition))
        .map(({path}) => path).filter((path) => !known.has(path.join('\n'))));
    return editingValues(merged, (values) => {
        const kept = entries(values).filter(([name]) => !gone.has(name));
        return kept.length === names(values).length ? values
            : kept.length ? objectOf(kept) : undefined;
    });
}

/**
 * Merges two edits of a template.
 *
 * @param {Template} base The template before both edits.
 * @param {Template} mine One edit; it wins where both changed the same.
 * @param {Template} theirs The other edit.
 * @param {TreePath[]} [conflicts] Receives the paths that both changed differently, and those of
 *     values that are removed with their condition.
 * @returns {Template}
 */
export function mergeTemplates(base, mine, theirs, conflicts = []) {
    return merge({base, mine, theirs},
        {mine: renames(base, mine), theirs: renames(base, theirs)}, new Set(), conflicts);
}

/**
 * Applies a step to a template that others may have changed since. A step has the changed parts of
 * a template only, and a value can be for a condition that the step does not contain.
 *
 * @param {Template} from Parts before the step.
 * @param {Template} template It wins where it was changed since.
 * @param {Template} to The same parts after the step.
 * @param {TreePath[]} [conflicts]
 * @returns {Template}
 */
export function mergeStep(from, template, to, conflicts = []) {
    return merge({base: from, mine: template, theirs: to},
        {mine: new Map(), theirs: renames(from, to)},
        new Set(valuesOf(to).map(({condition}) => condition)), conflicts);
}
