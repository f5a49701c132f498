/**
 * A choice of a draft's changes: the base with the chosen ones, and what each cannot do without.
 */

import {member, names, objectOf, withMember} from '../json/json.js';
import {isNamedList, orderLedBy} from '../json/tree-merge.js';
import {conditionNames, conditionsOf, withoutValues} from './condition-values.js';
import {defaultSection, settingAt} from './template.js';

/**
 * Key of a change in a choice.
 *
 * @param {DifferenceKind} kind
 * @param {Pick<Difference, 'name' | 'section' | 'key'>} difference
 */
export function changeKey(kind, {name, section, key}) {
    return JSON.stringify(kind === 'setting' ? [kind, section, key] : [kind, name]);
}

/**
 * Names of the conditions that a draft moved among the others.
 *
 * @param {Difference[]} conditions
 */
export function movedConditions(conditions) {
    return new Set(conditions.filter(({parts}) => parts.some((part) => part.name === 'position'))
        .map(({name}) => name));
}

/**
 * A list of conditions with others as they are in the base: a moved or removed one behind the
 * nearest one before it there that stays, since a chosen move must not take others along.
 *
 * @param {Condition[]} list
 * @param {Condition[]} before Conditions of the base.
 * @param {(name: string) => boolean} isRestored
 * @param {Set<string>} moved
 */
export function restoringConditions(list, before, isRestored, moved) {
    const old = new Map(before.map((condition) => [condition.name, condition]));
    const result = list.flatMap((condition) => {
        if (!isRestored(condition.name)) return condition;
        return moved.has(condition.name) ? [] : old.get(condition.name) ?? [];
    });
    const present = new Set(result.map(({name}) => name));
    /** @type {?string} */
    let anchor = null;
    for (const condition of before) {
        const {name} = condition;
        if (isRestored(name) && !present.has(name)) {
            const last = anchor;
            result.splice(last === null ? 0
                : result.findIndex((other) => other.name === last) + 1, 0, condition);
        }
        if (isRestored(name) || (present.has(name) && !moved.has(name))) anchor = name;
    }
    return result;
}

/**
 * Settings of a section: those that are left out as in the base, the others as in the draft.
 *
 * @param {Record<string, Parameter> | undefined} before
 * @param {Record<string, Parameter> | undefined} now
 * @param {(key: string) => boolean} isLeft
 */
function chosenSettings(before, now, isLeft) {
    const keys = orderLedBy(names(now ?? {}), names(before ?? {}));
    const pairs = keys.map((key) => /** @type {[string, Parameter]} */ (
        [key, member(isLeft(key) ? before : now, key)])).filter(([, value]) => value !== undefined);
    return pairs.length || now ? objectOf(pairs) : undefined;
}

/**
 * The base with a draft's changes, except for those that are left out.
 *
 * @param {Template} base
 * @param {Template} draft
 * @param {Set<string>} left Keys of the changes that are left out, of `changeKey`.
 * @param {Differences} differences
 * @returns {Template} The draft itself if all are chosen.
 */
export function chosenChanges(base, draft, left, differences) {
    if (!left.size) return draft;
    /** @param {...string} parts */
    const isLeft = (...parts) => left.has(JSON.stringify(parts));
    /** @param {string} section */
    const isLeftIn = (section) => (/** @type {string} */ key) => isLeft('setting', section, key);
    const [oldGroups, newGroups] = [base.parameterGroups, draft.parameterGroups];
    const groups = orderLedBy(names(newGroups ?? {}), names(oldGroups ?? {})).map((name) => {
        const [old, now] = [member(oldGroups, name), member(newGroups, name)];
        const content = isLeft('group', name) ? old : now;
        const parameters = chosenSettings(old?.parameters, now?.parameters, isLeftIn(name));
        const isPresent = content || names(parameters ?? {}).length > 0;
        return /** @type {[string, ParameterGroup | undefined]} */ (
            [name, isPresent ? withMember(content ?? {}, 'parameters', parameters) : undefined]);
    }).filter(([, group]) => group);
    let result = withMember(draft, 'parameters',
        chosenSettings(base.parameters, draft.parameters, isLeftIn(defaultSection)));
    result = withMember(result, 'parameterGroups',
        groups.length || newGroups ? objectOf(groups) : undefined);
    // The server refuses conditions without distinct names: they cannot be told apart.
    if (!isNamedList(draft.conditions ?? [])) return result;
    const conditions = restoringConditions(conditionsOf(draft), conditionsOf(base),
        (name) => isLeft('condition', name), movedConditions(differences.conditions));
    result = withMember(result, 'conditions',
        conditions.length || draft.conditions ? conditions : undefined);
    const present = conditionNames(result);
    return withoutValues(result, new Set([...conditionNames(base), ...conditionNames(draft)]
        .filter((name) => !present.has(name))));
}

/**
 * The changes without which each one would leave a value without its condition or for another rule,
 * or a setting without its section, or remove a moved one, by key.
 *
 * @param {Template} base
 * @param {Template} draft
 * @param {Differences} differences
 * @returns {Map<string, Set<string>>}
 */
export function neededChanges(base, draft, {conditions, groups, parameters}) {
    /** @param {Difference[]} list @param {Difference['change']} change */
    const namesOf = (list, change) => new Set(list
        .filter((found) => found.change === change).map(({name}) => name));
    /** @type {Map<string, Set<string>>} */
    const needs = new Map();
    /** @param {string} key @param {string} needed */
    const add = (key, needed) => needs.set(key, (needs.get(key) ?? new Set()).add(needed));
    const [newConditions, oldConditions] = [
        namesOf(conditions, 'ADDED'), namesOf(conditions, 'REMOVED')];
    const newRules = new Set(conditions.filter(({change, parts}) => change === 'CHANGED'
        && parts.some((part) => ['expression', 'condition'].includes(part.name)))
        .map(({name}) => name));
    const [newGroups, oldGroups] = [namesOf(groups, 'ADDED'), namesOf(groups, 'REMOVED')];
    /**
     * Where a removed setting was moved, by its key; null if several sections have got such a key.
     *
     * @type {Map<string, ?string>}
     */
    const targets = new Map();
    for (const found of parameters.filter(({change}) => change === 'ADDED')) {
        targets.set(found.key, targets.has(found.key) ? null : changeKey('setting', found));
    }
    for (const found of parameters) {
        const {section, key} = found;
        const own = changeKey('setting', found);
        const [before, now] = [base, draft].map((template) => settingAt(template, section, key));
        /** @param {string} name */
        const condition = (name) => JSON.stringify(['condition', name]);
        for (const name of names(now?.parameter.conditionalValues ?? {})) {
            if (newConditions.has(name)) add(own, condition(name));
        }
        for (const name of names(before?.parameter.conditionalValues ?? {})) {
            const isGone = now && !member(now.parameter.conditionalValues, name);
            if (oldConditions.has(name) || (newRules.has(name) && isGone)) {
                add(condition(name), own);
            }
        }
        const target = targets.get(key);
        if (found.change === 'REMOVED' && target) add(own, target);
        const group = JSON.stringify(['group', section]);
        if (now?.group === section && newGroups.has(section)) add(own, group);
        if (before?.group === section && oldGroups.has(section)) add(group, own);
    }
    return needs;
}

/**
 * The changes that need each one, by key.
 *
 * @param {Map<string, Set<string>>} needs
 */
function reversed(needs) {
    /** @type {Map<string, Set<string>>} */
    const result = new Map();
    for (const [key, needed] of needs) {
        for (const other of needed) result.set(other, (result.get(other) ?? new Set()).add(key));
    }
    return result;
}

/**
 * What is left out after one change is chosen with all that it needs, or left out with all that
 * need it.
 *
 * @param {Set<string>} left
 * @param {Map<string, Set<string>>} needs
 * @param {string} key
 * @param {boolean} isChosen
 */
export function choosing(left, needs, key, isChosen) {
    const result = new Set(left);
    const pending = [key];
    const along = isChosen ? needs : reversed(needs);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        if (isChosen) result.delete(next);
        else result.add(next);
        pending.push(...[...along.get(next) ?? []].filter((other) => (
            result.has(other) === isChosen)));
    }
    return result;
}

/**
 * Changed conditions that are left out, although chosen settings have values for them: these count
 * for the users of the condition as it is published.
 *
 * @param {Template} draft
 * @param {Differences} differences
 * @param {Set<string>} left
 */
export function leftConditions(draft, {conditions, parameters}, left) {
    const changed = new Set(conditions.filter((found) => (
        found.change === 'CHANGED' && left.has(changeKey('condition', found))))
        .map(({name}) => name));
    if (!changed.size) return [];
    const used = new Set(parameters.filter((found) => !left.has(changeKey('setting', found)))
        .flatMap(({section, key}) => names(
            settingAt(draft, section, key)?.parameter.conditionalValues ?? {})));
    return [...changed].filter((name) => used.has(name));
}
