/**
 * What of a comparison of two projects can be copied or removed, with boxes that choose.
 */

import {h, newID} from '../controls/dom.js';
import {differenceSummary, diffView} from '../differences/diff-view.js';
import {differenceCount} from '../server/server-draft.js';

/** @typedef {import('./promotion-choice.js').PromotionChoice} PromotionChoice */

/**
 * What is shown of marks at a difference, as `diffView` takes it.
 *
 * @typedef {{noteOf: (kind: DifferenceKind, found: Difference) => unknown,
 *     act?: (kind: DifferenceKind, found: Difference) => ?DifferenceAct}} Marks
 */

/**
 * Box that offers to remove what the other project does not have.
 *
 * @param {PromotionChoice} choice
 * @param {string} from
 * @param {() => void} changed
 */
export function deletionsBox(choice, from, changed) {
    const hint = newID('deletions');
    const box = h('input', {type: 'checkbox', 'aria-describedby': hint,
        checked: choice.deletions, onchange: () => {
        choice.deletions = box.checked;
        changed();
    }});
    return h('div', {},
        h('label', {class: 'check'}, box, ' Also remove what only this project has'),
        h('p', {class: 'hint', id: hint}, 'Chosen settings lose what '
            + `${from} does not have: values, descriptions, owners, tags, and the restriction to `
            + 'the master key. '
            + 'Settings that only this project has can be chosen for removal. Conditions stay.'));
}

/**
 * What can be chosen, and what else differs.
 *
 * @param {PromotionChoice} choice
 * @param {Workspace} workspace
 * @param {{opened: Set<string>, search: {text: string}}} kept What is unfolded and searched.
 * @param {(() => void) | undefined} changed Called after each choice; undefined for users who may
 *     not choose.
 * @param {Marks} marks
 */
export function offeredView(choice, workspace, kept, changed, marks) {
    const {offered, others} = choice;
    const choose = changed && {
        /** @param {DifferenceKind} kind @param {Difference} found */
        verbOf: (kind, {change}) => (change === 'REMOVED' ? 'Remove' : 'Copy')
            + (kind === 'group' ? ' the section' : ''),
        /** @param {DifferenceKind} kind @param {Difference} found */
        isChosen: (kind, found) => choice.isChosen(kind, found),
        /** @param {DifferenceKind} kind @param {Difference} found @param {boolean} isChosen */
        set: (kind, found, isChosen) => {
            choice.choose(kind, found, isChosen);
            changed();
        },
        /** @param {string} title */
        ofSection: (title) => ({state: () => choice.stateOf(title),
            /** @param {boolean} isChosen */
            set: (isChosen) => {
                choice.chooseSection(title, isChosen);
                changed();
            }})};
    return [
        differenceCount(offered) > 0 && diffView(offered,
            {template: workspace.published, choose, ...kept, ...marks}),
        offered.groups.length > 0 && h('p', {class: 'hint'},
            'A section is copied, or removed, with all of its settings.'),
        differenceCount(others) > 0 && h('details', {},
            h('summary', {}, `What else differs: ${differenceSummary(others)}`),
            diffView(others, marks))];
}
