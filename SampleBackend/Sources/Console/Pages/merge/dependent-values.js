/**
 * Values that a merge loses with a condition: one side deleted it, the other one set values for it.
 */

import {valueText} from '../controls/value-view.js';
import {isEqual, member} from '../json/json.js';
import {sections, settingAt} from '../template/template.js';
import {count} from '../text/formats.js';

/** Values that a sentence names, and the length of each. */
const [shownValues, shownLength] = [5, 60];

/**
 * Side that deleted the condition of a conflict; null for other conflicts.
 *
 * @param {Conflict} conflict
 * @returns {'mine' | 'theirs' | null}
 */
export function deletingSide({kind, base, mine, theirs}) {
    if (kind !== 'CONDITION' || base === undefined) return null;
    if ((mine === undefined) === (theirs === undefined)) return null;
    return mine === undefined ? 'mine' : 'theirs';
}

/**
 * Values for the condition of a conflict that the side which keeps it has added or changed; empty
 * if neither side deleted it.
 *
 * @param {Conflict} conflict
 * @param {{base: Template, mine: Template, theirs: Template}} templates
 * @returns {DependentValue[]}
 */
export function dependentValues(conflict, templates) {
    const deleting = deletingSide(conflict);
    const {name} = conflict;
    if (!deleting || name === undefined) return [];
    const keeping = templates[deleting === 'mine' ? 'theirs' : 'mine'];
    return sections(keeping).flatMap(({name: section, settings}) => (
        settings.flatMap(({key, parameter}) => {
            const value = member(parameter.conditionalValues, name);
            const before = member(
                settingAt(templates.base, section, key)?.parameter.conditionalValues, name);
            if (value === undefined || isEqual(value, before)) return [];
            return [{setting: `${section}.${key}`, condition: name, value}];
        })));
}

/** @param {DependentValue} value */
function shownText({value}) {
    const text = valueText(value) || 'empty text';
    return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}

/**
 * Sentence that says who deleted the condition of a conflict and who uses it; null for a conflict
 * of other changes.
 *
 * @param {Conflict} conflict
 * @param {string} theirName
 */
export function deletionText(conflict, theirName) {
    const deleting = deletingSide(conflict);
    if (!deleting) return null;
    const [by, other] = deleting === 'mine' ? ['You', theirName] : [theirName, 'you'];
    const kept = deleting === 'mine' ? conflict.theirs : conflict.mine;
    return `${by} deleted this condition; ${other} ${isEqual(kept, conflict.base)
        ? `${deleting === 'mine' ? 'has' : 'have'} a new value for it` : 'changed it'}.`;
}

/**
 * Sentence about what the choice of the side that deleted the condition removes.
 *
 * @param {Conflict} conflict
 * @param {DependentValue[]} values
 * @param {string} theirName
 */
export function lossText(conflict, values, theirName) {
    const owner = deletingSide(conflict) === 'mine' ? `${theirName}’s` : 'your';
    const rest = values.length - shownValues;
    const named = values.slice(0, shownValues)
        .map((value) => `${shownText(value)} for ${value.setting}`).join(', ');
    return `Not present: ${owner} ${values.length === 1 ? 'value' : 'values'} ${named}${
        rest > 0 ? ` and ${rest} more` : ''} ${
        values.length === 1 ? 'is' : 'are'} removed too.`;
}

/**
 * The values that the merge leaves out by the choices made so far, each in a phrase.
 *
 * @param {MergeItem[]} items
 * @param {(item: MergeItem) => string | undefined} choiceOf
 * @param {string} theirName
 */
export function leftOut(items, choiceOf, theirName) {
    return items.flatMap((item) => {
        const {conflict, dependents} = item;
        const deleting = deletingSide(conflict);
        if (!deleting || choiceOf(item) !== deleting) return [];
        const owner = deleting === 'mine' ? `${theirName}’s value` : 'your value';
        return dependents.map((value) => (
            `${owner} ${shownText(value)} for “${value.condition}” of ${value.setting}`));
    });
}

/**
 * Sentence that counts conflicts: things that both sides changed, and conditions that one side
 * deleted and the other one uses.
 *
 * @param {Conflict[]} conflicts
 */
export function conflictSummary(conflicts) {
    if (!conflicts.length) return 'You changed different things, so there is nothing to choose.';
    const deleted = conflicts.filter(deletingSide).length;
    const changed = conflicts.length - deleted;
    const parts = [changed && `${count(changed, 'thing')} you both changed`,
        deleted && `${count(deleted, 'condition')} that one of you deleted and the other one uses`];
    return `${parts.filter(Boolean).join(', ')}: choose below.`;
}
