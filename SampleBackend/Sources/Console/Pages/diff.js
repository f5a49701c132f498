/**
 * Differences between two templates, in the format of a `remoteConfig:diff` response.
 */

import {entries, isEqual} from './json.js';
import {conditions, parameter, sections} from './template.js';

/** Union of the keys of two maps, the new map's first. */
function names(before, after) {
    return [...new Set([...after.keys(), ...before.keys()])];
}

/** Kind of change; undefined means absent. */
function changeOf(before, after) {
    if (before === undefined) return 'ADDED';
    return after === undefined ? 'REMOVED' : 'CHANGED';
}

/** Parts that differ between two lists of `[name, value]` pairs. */
function differingParts(before, after) {
    const [old, now] = [new Map(before), new Map(after)];
    return names(old, now)
        .filter((name) => !isEqual(old.get(name), now.get(name)))
        .map((name) => ({name, old: old.get(name), new: now.get(name)}));
}

/** Members of an object as pairs, except those named in `without`. */
function members(thing, ...without) {
    return entries(thing ?? {}).filter(([name]) => !without.includes(name));
}

/** Comparable parts of a parameter, one per conditional value; a missing type is STRING. */
function parameterParts(parameter) {
    if (!parameter) return [];
    const values = entries(parameter.conditionalValues ?? {})
        .map(([name, value]) => [`conditionalValues.${name}`, value]);
    return [
        ...members(parameter, 'conditionalValues', 'valueType'), ...values,
        ['valueType', parameter.valueType ?? 'STRING'],
    ];
}

/**
 * Differences between two maps by name. `parts` returns the comparable parts of a value as pairs,
 * `describe` the members that identify a name in the result.
 */
function differing(before, after, parts, describe) {
    return names(before, after).flatMap((name) => {
        const [old, now] = [before.get(name), after.get(name)];
        const change = changeOf(old, now);
        const differences = differingParts(parts(old), parts(now));
        return change === 'CHANGED' && !differences.length
            ? [] : [{...describe(name), change, parts: differences}];
    });
}

/**
 * Minimal set of moved names: all but a longest common subsequence of the lists, which contain the
 * same names.
 */
function movedNames(before, after) {
    const places = new Map(before.map((name, index) => [name, index]));
    const best = [];
    after.forEach((name, index) => {
        best[index] = {length: 1, previous: -1};
        for (let earlier = 0; earlier < index; earlier += 1) {
            if (places.get(after[earlier]) < places.get(name)
                && best[earlier].length + 1 > best[index].length) {
                best[index] = {length: best[earlier].length + 1, previous: earlier};
            }
        }
    });
    let last = best.reduce((top, item, index) => (
        top < 0 || item.length > best[top].length ? index : top), -1);
    const stayed = new Set();
    for (; last >= 0; last = best[last].previous) stayed.add(after[last]);
    return after.filter((name) => !stayed.has(name));
}

/**
 * Adds a `position` part, old and new, for each condition that moved. Positions count from 1, among
 * the conditions of both templates: adding or removing others is no move.
 */
function addMoves(differences, before, after) {
    const common = (list, other) => {
        const known = new Set(other.map((condition) => condition.name));
        return list.map((condition) => condition.name).filter((name) => known.has(name));
    };
    const [old, now] = [common(before, after), common(after, before)];
    for (const name of movedNames(old, now)) {
        const part = {
            name: 'position', old: old.indexOf(name) + 1, new: now.indexOf(name) + 1};
        const known = differences.find((difference) => difference.name === name);
        if (known) known.parts.push(part);
        else differences.push({name, change: 'CHANGED', parts: [part]});
    }
}

/**
 * Compares two templates.
 *
 * @param {object} before Old template.
 * @param {object} after New template.
 * @returns {{conditions: object[], groups: object[], parameters: object[]}} Entries have a
 *     `change` (ADDED, REMOVED or CHANGED) and the `parts` that differ.
 */
export function differences(before, after) {
    const byName = (template) => new Map(
        conditions(template).map((condition) => [condition.name, condition]));
    const ofConditions = differing(
        byName(before), byName(after), (condition) => members(condition, 'name'),
        (name) => ({name}));
    addMoves(ofConditions, conditions(before), conditions(after));

    const groups = (template) => new Map(entries(template.parameterGroups ?? {}));
    const ofGroups = differing(
        groups(before), groups(after), (group) => members(group, 'parameters'),
        (name) => ({name}));

    const settings = (template) => new Map(sections(template).map((section) => [
        section.group, {name: section.name,
            settings: new Map(section.settings.map(({key, parameter}) => [key, parameter]))},
    ]));
    const [old, now] = [settings(before), settings(after)];
    const ofParameters = names(old, now).flatMap((group) => differing(
        old.get(group)?.settings ?? new Map(), now.get(group)?.settings ?? new Map(),
        parameterParts,
        (key) => ({section: (now.get(group) ?? old.get(group)).name, group, key})));
    return {conditions: ofConditions, groups: ofGroups, parameters: ofParameters};
}

/** Number of conditions, groups and parameters that differ. */
export function differenceCount(difference) {
    return difference.conditions.length + difference.groups.length + difference.parameters.length;
}

/** True if a parameter differs, or only one template has it. */
export function isChanged(before, after, group, key) {
    return !isEqual(parameter(before, group, key), parameter(after, group, key));
}
