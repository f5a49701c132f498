/**
 * Names of a draft's steps, such as `isOn true`, for the buttons that undo and redo them.
 */

import {valueText} from '../controls/value-view.js';
import {isObject, member, names} from '../json/json.js';
import {isSame} from '../json/tree-merge.js';

/** Maximum length of a value, and of a name, within the name of a step. */
const longest = 32;

/** @param {string} text */
function short(text) {
    const line = text.replace(/\s+/g, ' ').trim();
    return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/**
 * The members that differ, as `{name, old, now}`.
 *
 * @param {any} before
 * @param {any} after
 * @returns {{name: string, old: any, now: any}[]}
 */
function changesOf(before, after) {
    const [old, now] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
    return [...new Set([...names(old), ...names(now)])]
        .map((name) => ({name, old: member(old, name), now: member(now, name)}))
        .filter((change) => !isSame(change.old, change.now));
}

/**
 * The settings that differ, as `{group, name, old, now}`.
 *
 * @param {Template} before
 * @param {Template} after
 */
function settingChanges(before, after) {
    const inGroups = changesOf(before.parameterGroups, after.parameterGroups)
        .flatMap(({name: group, old, now}) => changesOf(old?.parameters, now?.parameters)
            .map((change) => ({group, ...change})));
    return [...changesOf(before.parameters, after.parameters)
        .map((change) => ({group: null, ...change})), ...inGroups];
}

/** @param {Condition[] | undefined} list */
const conditionsByName = (list) => Object.fromEntries((Array.isArray(list) ? list : [])
    .map((condition) => [condition.name, condition]));

/**
 * What happened to several things: added, deleted, renamed, or edited.
 *
 * @param {{name: string, old: unknown, now: unknown}[]} changes
 * @param {string} thing `setting` is omitted before a single name.
 */
function textOf(changes, thing) {
    const added = changes.filter(({old}) => old === undefined);
    const removed = changes.filter(({now}) => now === undefined);
    const [first] = changes;
    const article = thing === 'setting' ? '' : `the ${thing} `;
    if (changes.length === 2 && added.length === 1 && removed.length === 1) {
        const [from, to] = [removed[0].name, added[0].name].map(short);
        return from === to ? `move ${article}${from}` : `rename ${article}${from} to ${to}`;
    }
    const isMove = added.length > 0 && changes.length === 2 * added.length
        && added.length === removed.length
        && added.every(({name}) => removed.some((other) => other.name === name));
    const verb = added.length === changes.length ? 'add '
        : removed.length === changes.length ? 'delete ' : isMove ? 'move ' : '';
    if (changes.length === 1) return `${verb}${article}${short(first.name)}`;
    return `${verb}${isMove ? added.length : changes.length} ${thing}s`;
}

/**
 * The name of an edit of one setting: with the value if nothing else changed.
 *
 * @param {{name: string, old: any, now: any}} change
 */
function settingText(change) {
    const {name, old, now} = change;
    if (old === undefined || now === undefined) return textOf([change], 'setting');
    const [part, ...others] = changesOf(old, now);
    if (!part || others.length) return short(name);
    if (part.name === 'defaultValue' && part.now !== undefined) {
        return `${short(name)} ${short(valueText(part.now)) || 'empty'}`;
    }
    if (part.name === 'conditionalValues') {
        const [value, ...more] = changesOf(part.old, part.now);
        if (value && !more.length) {
            return value.now === undefined ? `${short(name)}, no value for ${short(value.name)}`
                : `${short(name)} ${short(valueText(value.now)) || 'empty'} for ${
                    short(value.name)}`;
        }
    }
    return short(name);
}

/**
 * True for a setting that changed only because one of the conditions was renamed or deleted.
 *
 * @param {{old: any, now: any}} change
 * @param {Set<string>} conditionNames
 */
function followsCondition({old, now}, conditionNames) {
    const parts = changesOf(old, now);
    return parts.length === 1 && parts[0].name === 'conditionalValues' && old && now
        && changesOf(parts[0].old, parts[0].now).every(({name}) => conditionNames.has(name));
}

/**
 * The name of a step, by the parts that it changed.
 *
 * @param {Template} before
 * @param {Template} after
 */
export function nameOfStep(before, after) {
    const conditions = changesOf(
        conditionsByName(before.conditions), conditionsByName(after.conditions));
    const groups = changesOf(before.parameterGroups, after.parameterGroups)
        .filter(({old, now}) => old === undefined || now === undefined
            || changesOf(old, now).some(({name}) => name !== 'parameters'));
    const groupNames = new Set(groups.filter(({old, now}) => !old || !now).map(({name}) => name));
    const conditionNames = new Set(conditions.filter(({old, now}) => !old || !now)
        .map(({name}) => name));
    const settings = settingChanges(before, after).filter((change) => (
        !(change.group !== null && groupNames.has(change.group))
        && !followsCondition(change, conditionNames)));
    const isOrder = !conditions.length && !isSame(before.conditions, after.conditions);
    const texts = [
        settings.length === 1 ? settingText(settings[0])
            : settings.length > 1 && textOf(settings, 'setting'),
        conditions.length > 0 && textOf(conditions, 'condition'),
        isOrder && 'the order of the conditions',
        groups.length > 0 && textOf(groups, 'section'),
        !isSame(before.version, after.version) && 'the description of the version',
    ].filter(Boolean);
    return texts.join(', ') || 'the draft';
}
