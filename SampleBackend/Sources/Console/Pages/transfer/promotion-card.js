/**
 * Card that compares the project with another one, and copies settings from it into the draft.
 */

import {choice as select, field, guarded, message} from '../controls/controls.js';
import {fill, h, newID} from '../controls/dom.js';
import {showResult} from '../controls/focus.js';
import {failedReading, shownAnswer} from '../controls/shown-answer.js';
import {differenceSummary, diffView} from '../differences/diff-view.js';
import {choiceTools, showChoices} from '../differences/difference-parts.js';
import {additionRefusal} from '../drafts/draft-additions.js';
import {projectText} from '../projects/project-details.js';
import {readProjects} from '../projects/projects.js';
import {newestRequest} from '../server/newest-request.js';
import {differenceCount} from '../server/server-draft.js';
import {refusal} from '../server/session.js';
import {count} from '../text/formats.js';
import {compareWith, concerned} from './promotion.js';
import {PromotionChoice} from './promotion-choice.js';
import {previewPromotion, reviewLink} from './promotion-preview.js';

/**
 * @param {Pick<PageContext, 'session' | 'workspace' | 'project'>} context
 * @param {AbortSignal} left
 */
export function promotionCard({session, workspace, project}, left) {
    const outcome = h('div', {class: 'outcome', 'aria-live': 'polite'});
    const nextComparison = newestRequest(left);
    /** Removes the comparison with another choice; returns the signal for the next one. */
    const clear = () => {
        fill(outcome);
        return nextComparison();
    };
    const other = select([], null, {onchange: clear});
    const form = h('form', {class: 'form', hidden: true, onsubmit: async (
        /** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const ended = nextComparison();
        await shownAnswer(outcome, ended, async (signal) => {
            const comparison = await compareWith(project, other.value, signal);
            return comparisonView({session, workspace, project}, comparison, signal);
        })();
        if (!ended.aborted) showResult(outcome);
    }}, field('Other project', other), h('div', {class: 'actions'},
        h('button', {type: 'submit'}, 'Compare')));
    const state = h('p', {class: 'muted', role: 'status'}, 'Reading the projects …');
    const read = async () => {
        try {
            const others = (await readProjects()).filter(({name}) => name !== project);
            if (left.aborted) return;
            fill(other, others.map((found) => (
                h('option', {value: found.name}, projectText(found)))));
            form.hidden = !others.length;
            fill(state, others.length ? 'Shows what differs, and copies settings with the '
                + 'conditions that they need. What only this project has stays. A percentage with '
                + 'the same seed chooses the same users in both projects.'
                : 'There is no other project that you may open.');
        } catch (error) {
            if (!left.aborted) fill(state, failedReading(error, left, read));
        }
    };
    read();
    return h('section', {class: 'card', 'aria-labelledby': 'promotion'},
        h('div', {class: 'card-head'}, h('h2', {
            id: 'promotion', tabindex: '-1', 'data-focus': 'promotion'},
        'Copy from another project')),
        h('div', {class: 'card-body'}, state, form, outcome));
}

/**
 * The differences, with boxes that choose settings and sections to copy.
 *
 * @param {Pick<PageContext, 'session' | 'workspace' | 'project'>} context
 * @param {Comparison} comparison
 * @param {AbortSignal} left
 */
function comparisonView({session, workspace, project}, comparison, left) {
    const {with: from, withVersionNumber, versionNumber} = comparison;
    const refused = refusal(session, 'editor');
    const affected = concerned(comparison, workspace.published);
    const choice = new PromotionChoice(comparison, affected);
    // Whoever may not copy sees all that differs.
    if (refused) choice.deletions = true;
    const preview = h('div', {class: 'stack', 'aria-live': 'polite'});
    const nextPreview = newestRequest(left);
    const button = h('button', {type: 'button', class: 'primary', onclick: async () => {
        const signal = nextPreview();
        const outdated = additionRefusal(workspace.draft, versionNumber);
        if (outdated) {
            fill(preview, message('warning', h('p', {}, outdated), reviewLink()));
            showResult(preview);
            return;
        }
        button.disabled = true;
        try {
            await previewPromotion(
                {workspace, project}, comparison, choice.request, preview, signal);
        } catch (error) {
            if (!signal.aborted) fill(preview, message('error', error.message));
        }
        if (signal.aborted) return;
        update();
        showResult(preview);
    }}, 'Continue');
    const status = h('p', {role: 'status'});
    const update = () => {
        button.disabled = choice.isEmpty;
        button.textContent = `Continue with ${choice.text}`;
        status.textContent = choice.status && `Chosen: ${choice.status}.`;
    };
    /** Removes the preview of an earlier choice. */
    const changed = () => {
        showChoices();
        nextPreview();
        fill(preview);
        update();
    };
    if (!refused) update();
    const tools = choiceTools(status, (isChosen) => {
        choice.chooseAll(isChosen);
        changed();
    });
    const list = h('div', {class: 'stack'});
    const kept = {opened: new Set(), search: {text: ''}};
    const draw = () => fill(list,
        offeredView(choice, workspace, kept, refused ? undefined : changed));
    draw();
    const isOffered = differenceCount(choice.offered) > 0 || choice.canDelete;
    const removable = choice.removableCount;
    return h('div', {class: 'stack'},
        h('p', {}, `Version ${withVersionNumber} of ${from} and version ${versionNumber} of this `
            + `project differ in: ${differenceSummary(comparison)}.`),
        removable > 0 && h('p', {class: 'muted'},
            `Of ${count(removable, 'setting')}, only this project has what differs${
                refused ? '' : ': it stays unless you choose to remove it'}.`),
        affected.length > 0 && h('p', {class: 'muted'},
            `${count(affected.length, 'setting')} with the same values ${
                affected.length === 1 ? 'depends' : 'depend'} on a condition that differs: choose `
                + 'it to copy the condition.'),
        !refused && choice.canDelete && deletionsBox(choice, from, () => {
            draw();
            changed();
        }),
        isOffered && !refused && tools, list,
        isOffered && [h('div', {class: 'actions'}, guarded(refused, button)), preview]);
}

/**
 * Box that offers to remove what the other project does not have.
 *
 * @param {PromotionChoice} choice
 * @param {string} from
 * @param {() => void} changed
 */
function deletionsBox(choice, from, changed) {
    const hint = newID('deletions');
    const box = h('input', {type: 'checkbox', 'aria-describedby': hint, onchange: () => {
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
 * @param {() => void} [changed] Called after each choice; undefined for users who may not choose.
 */
function offeredView(choice, workspace, kept, changed) {
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
            {template: workspace.published, choose, ...kept}),
        offered.groups.length > 0 && h('p', {class: 'hint'},
            'A section is copied, or removed, with all of its settings.'),
        differenceCount(others) > 0 && h('details', {},
            h('summary', {}, `What else differs: ${differenceSummary(others)}`), diffView(others))];
}
