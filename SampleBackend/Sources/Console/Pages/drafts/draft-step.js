/**
 * One step of a draft, from a user's edit, in a form that can be undone and redone after others
 * have changed the draft: a three-way merge applies it to the draft as it is then.
 *
 * A step keeps what it changed and no more, so that it is small for a large template.
 */

import {isObject, member, names, objectOf} from '../json/json.js';
import {byName, isNamedList, isSame} from '../json/tree-merge.js';
import {mergeStep} from '../template/template-merge.js';

/** Stands for an unchanged member that only gives the place of its neighbour. */
const place = null;

/**
 * The names that a step needs of two lists of names: those that `isChanged`, and the neighbours of
 * added and removed ones, which give their places. All if the step moved some.
 *
 * @param {string[]} before
 * @param {string[]} after
 * @param {(name: string) => boolean} isChanged
 * @returns {Set<string>}
 */
function namesOfStep(before, after, isChanged) {
    const [inBefore, inAfter] = [new Set(before), new Set(after)];
    const common = before.filter((name) => inAfter.has(name));
    const moved = after.filter((name) => inBefore.has(name));
    if (common.some((name, index) => name !== moved[index])) return new Set([...before, ...after]);
    const kept = new Set([...before, ...after].filter(isChanged));
    for (const {list, others} of [
        {list: before, others: inAfter}, {list: after, others: inBefore}]) {
        list.forEach((name, index) => {
            if (others.has(name)) return;
            for (const neighbour of [list[index - 1], list[index + 1]]) {
                if (neighbour !== undefined) kept.add(neighbour);
            }
        });
    }
    return kept;
}

/**
 * The changed members of two objects.
 *
 * @param {Record<string, unknown>} before
 * @param {Record<string, unknown>} after
 * @returns {[Record<string, unknown>, Record<string, unknown>]}
 */
function objectsOfStep(before, after) {
    /** @type {Map<string, [unknown, unknown]>} */
    const changed = new Map();
    for (const name of new Set([...names(before), ...names(after)])) {
        const parts = treesOfStep(member(before, name), member(after, name));
        if (parts) changed.set(name, parts);
    }
    const kept = namesOfStep(names(before), names(after), (name) => changed.has(name));
    const [small, other] = [before, after].map((object, side) => objectOf(names(object)
        .filter((name) => kept.has(name))
        .map((name) => /** @type {[string, unknown]} */ (
            [name, changed.has(name) ? changed.get(name)?.[side] : place]))));
    return [small, other];
}

/**
 * The parts of two trees that differ, with the places of added and removed parts; null if nothing
 * differs. A merge with the parts has the result of one with the trees.
 *
 * @param {*} before
 * @param {*} after
 * @returns {?[*, *]}
 */
export function treesOfStep(before, after) {
    if (isSame(before, after)) return null;
    if (isObject(before) && isObject(after)) return objectsOfStep(before, after);
    if (isNamedList(before) && isNamedList(after)) {
        const [small, other] = objectsOfStep(byName(before), byName(after))
            .map((items) => names(items).map((name) => {
                const item = items[name];
                return isObject(item) ? {...item, name} : {name};
            }));
        return [small, other];
    }
    return [before, after];
}

/**
 * The step between two states of a draft; null if it changes nothing.
 *
 * @param {DraftState} before
 * @param {DraftState} after
 * @param {(before: Template, after: Template) => string} nameOf Name of a step by its parts.
 * @returns {?DraftStep}
 */
export function stepBetween(before, after, nameOf) {
    const parts = treesOfStep(before.template, after.template);
    if (!parts && before.base === after.base) return null;
    const [old, now] = parts ?? [{}, {}];
    return {name: nameOf(old, now), before: {template: old, base: before.base},
        after: {template: now, base: after.base}};
}

/**
 * Number of the version on which a draft is based after a step is undone or redone: null for a
 * draft, or none, over the version that is shown; undefined when the step no longer applies.
 *
 * @param {DraftState} from The side of the step that is left.
 * @param {DraftState} to The side that is restored.
 * @param {?string} base Base of the draft as it is; null without one.
 */
export function baseAfter(from, to, base) {
    // Restores a draft that was discarded, or that an undo has ended.
    if (base === null && from.base === null) return to.base;
    if (from.base === to.base || from.base === null || to.base === null) return base;
    // A merge with a version is undone only over that version; else it would undo others' changes.
    return base === from.base ? to.base : undefined;
}

/**
 * A template after a step is undone or redone; what others changed since, stays.
 *
 * @param {DraftState} from The side of the step that is left.
 * @param {DraftState} to The side that is restored.
 * @param {Template} template
 * @returns {{template: Template, kept: TreePath[]}} `kept` are the places of the step that were
 *     changed since.
 */
export function templateAfter(from, to, template) {
    /** @type {TreePath[]} */
    const kept = [];
    return {template: mergeStep(from.template, template, to.template, kept), kept};
}
