/**
 * The steps of a draft that can be undone and redone: an immutable value. What a publish changed is
 * undone elsewhere, by publishing the version before it again.
 */

import {jsonText} from '../json/json-text.js';
import {entries, isEqual} from '../json/json.js';
import {baseAfter, templateAfter} from './draft-step.js';

/** Maximum number of steps. */
const stepLimit = 100;

/** Budget of all steps in bytes, of which storages take two for each character. */
export const byteLimit = 1_000_000;

/** @type {DraftHistory} */
export const noHistory = {done: [], undone: []};

/**
 * Sizes in bytes. Steps are immutable, so that each is measured once.
 *
 * @type {WeakMap<DraftStep, number>}
 */
const sizes = new WeakMap();

/** @param {DraftStep} step */
function sizeOf(step) {
    const size = sizes.get(step) ?? 2 * jsonText(step).length;
    sizes.set(step, size);
    return size;
}

/**
 * A history within its budgets: the oldest steps go first. With `isStored`, a last step that alone
 * is too large goes, too.
 *
 * @param {DraftHistory} history
 * @param {{isStored?: boolean}} [options]
 * @returns {DraftHistory}
 */
export function withinBudget({done, undone}, options = {}) {
    const {isStored = false} = options;
    let rest = byteLimit;
    let steps = stepLimit;
    /** @param {DraftStep} step */
    const fits = (step) => {
        const isFirst = steps === stepLimit;
        rest -= sizeOf(step);
        steps -= 1;
        return steps >= 0 && (rest >= 0 || (isFirst && !isStored));
    };
    /**
     * The last steps that fit; an older one never stays without those that followed it.
     *
     * @param {DraftStep[]} list
     */
    const newest = (list) => {
        let start = list.length;
        while (start > 0 && fits(list[start - 1])) start -= 1;
        return start === 0 ? list : list.slice(start);
    };
    return {done: newest(done), undone: newest(undone)};
}

/**
 * True for a step that only changes the description of the version.
 *
 * @param {DraftStep | undefined} step
 */
function isDescription(step) {
    return step !== undefined && step.before.base === step.after.base
        && [step.before, step.after].every(({template}) => entries(template)
            .every(([name, part]) => name === 'version' || part === null));
}

/**
 * The description of one side of a step.
 *
 * @param {DraftState} side
 * @returns {DraftState}
 */
function descriptionOf({template: {version}, base}) {
    return {template: version ? {version} : {}, base};
}

/**
 * A history with another step, after which nothing can be redone. Edits of the description that
 * follow each other are one step.
 *
 * @param {DraftHistory} history
 * @param {?DraftStep} step
 * @returns {DraftHistory}
 */
export function recorded({done, undone}, step) {
    if (!step) return {done, undone};
    const last = done.at(-1);
    if (!last || !isDescription(step) || !isDescription(last)) {
        return withinBudget({done: [...done, step], undone: []});
    }
    return withinBudget({undone: [], done: [...done.slice(0, -1), {name: step.name,
        before: descriptionOf(last.before), after: descriptionOf(step.after)}]});
}

/**
 * The step that is undone or redone next: the last one that still changes something.
 *
 * @param {DraftHistory} history
 * @param {boolean} isUndo
 * @param {ShownDraft} shown The draft as it is.
 * @returns {?NextStep} Null if there is none.
 */
export function nextStep({done, undone}, isUndo, shown) {
    const steps = isUndo ? done : undone;
    for (let index = steps.length - 1; index >= 0; index -= 1) {
        const step = steps[index];
        const [from, to] = isUndo ? [step.after, step.before] : [step.before, step.after];
        const base = baseAfter(from, to, shown.base);
        const isOtherBase = base !== undefined && base !== shown.base
            && !(shown.base === null && base === shown.version);
        const {template, kept} = templateAfter(from, to, shown.template);
        const isSame = isEqual(template, shown.template) && !kept.length;
        // The draft that this would restore was published, with all steps that led to it.
        if (isOtherBase && shown.base === null && isSame) return null;
        const isEffective = base !== undefined
            && (isOtherBase || !isEqual(template, shown.template));
        if (isEffective) {
            const rest = steps.slice(0, index);
            return {name: step.name, from, to, base: base ?? null, isOtherBase,
                history: isUndo ? {done: rest, undone: [...undone, step]}
                    : {done: [...done, step], undone: rest}};
        }
    }
    return null;
}

/**
 * The history after a draft, or some of its changes, was published: only the steps that were made
 * since it was sent, or the steps of the other changes.
 *
 * @param {DraftHistory} history
 * @param {Template} template Template of the draft as it is.
 * @param {Template} sent Template that was published.
 * @returns {DraftHistory}
 */
export function afterPublish({done}, template, sent) {
    let earlier = template;
    for (let index = done.length; index >= 0; index -= 1) {
        if (isEqual(earlier, sent)) return {done: done.slice(index), undone: []};
        if (index === 0) break;
        const {before, after} = done[index - 1];
        earlier = templateAfter(after, before, earlier).template;
    }
    return {undone: [], done: done.filter(({before, after}) => (
        isEqual(templateAfter(after, before, sent).template, sent)))};
}
