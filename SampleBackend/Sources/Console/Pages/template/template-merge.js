/**
 * Three-way merge of templates. Beyond that of trees, it keeps conditional values and conditions
 * together: values follow a renamed condition, a condition with new values stays, and no value
 * stays for a condition that is gone.
 */

import {isEqual, member, withMember, withRenamed} from '../json/json.js';
import {isNamedList, mergeTrees, treeAt} from '../json/tree-merge.js';
import {conditionOrder} from './condition-order.js';
import {conditionNames, conditionsOf, editingValues, valuesOf, withoutValues}
    from './condition-values.js';

/** @typedef {{base: Template, mine: Template, theirs: Template}} Sides */

/**
 * A merged template with its conditions in the merged order.
 *
 * @param {Template} merged
 * @param {Sides} sides
 * @param {Template[]} results Templates that the merge can have as result.
 * @param {TreePath[]} conflicts
 */
function inOrder(merged, {base, mine, theirs}, results, conflicts) {
    if (!isNamedList(merged.conditions)) return merged;
    /** @type {Map<string, Set<string>>} */
    const meetings = new Map();
    for (const result of results) {
        const present = conditionNames(result);
        for (const {path, condition} of valuesOf(result)) {
            if (!present.has(condition)) continue;
            const setting = path.slice(0, -1).join('\n');
            meetings.set(setting, (meetings.get(setting) ?? new Set()).add(condition));
        }
    }
    const [before, own, other] = [base, mine, theirs].map((side) => [...conditionNames(side)]);
    const order = conditionOrder(before, own, other, [...meetings.values()].map((all) => [...all]));
    const isKnown = conflicts.some(({length, 0: name}) => length === 1 && name === 'conditions');
    if (order.isConflict && !isKnown) conflicts.push(['conditions']);
    const items = new Map(conditionsOf(merged).map((condition) => [condition.name, condition]));
    const conditions = order.names.flatMap((name) => items.get(name) ?? []);
    return conditions.every((condition, place) => condition === merged.conditions?.[place])
        ? merged : withMember(merged, 'conditions', conditions);
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
 * The base without the conditions that `theirs` deleted, and that `mine` changed or has new values
 * for: `mine`, which wins the conflict, counts as adding such a condition with all its values.
 *
 * @param {Sides} sides
 * @param {TreePath[]} conflicts
 */
function withoutDisputed({base, mine, theirs}, conflicts) {
    const before = new Map(conditionsOf(base).map((condition) => [condition.name, condition]));
    const left = conditionNames(theirs);
    const deleted = conditionsOf(mine).filter(({name}) => before.has(name) && !left.has(name));
    if (!deleted.length) return base;
    const used = new Set(valuesOf(mine).filter(({path, value}) => (
        !isEqual(value, treeAt(base, path)))).map(({condition}) => condition));
    const disputed = new Set(deleted.filter((condition) => used.has(condition.name)
        || !isEqual(condition, before.get(condition.name))).map(({name}) => name));
    conflicts.push(...[...disputed].map((name) => ['conditions', name]));
    if (!disputed.size) return base;
    return withoutValues(withMember(base, 'conditions',
        conditionsOf(base).filter(({name}) => !disputed.has(name))), disputed);
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
    const base = withoutDisputed(same, conflicts);
    const {length} = conflicts;
    const merged = mergeTrees(base, mine, theirs, [], conflicts);
    // Values of conflicts can come from either side.
    const results = conflicts.length > length
        ? [merged, mergeTrees(base, theirs, mine)] : [merged];
    const ordered = inOrder(merged, same, results, conflicts);
    const present = conditionNames(ordered);
    const gone = new Set([...others,
        ...[same.base, mine, theirs].flatMap((template) => [...conditionNames(template)])]
        .filter((name) => !present.has(name)));
    if (!gone.size || !isNamedList(ordered.conditions ?? [])) return ordered;
    const known = new Set(conflicts.map((path) => path.join('\n')));
    conflicts.push(...valuesOf(ordered).filter(({condition}) => gone.has(condition))
        .map(({path}) => path).filter((path) => !known.has(path.join('\n'))));
    return withoutValues(ordered, gone);
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
