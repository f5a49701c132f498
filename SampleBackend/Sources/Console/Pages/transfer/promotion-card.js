/**
 * Card that compares the project with another one, and copies settings from it into the draft.
 */

import {choice, field, guarded, message} from '../controls/controls.js';
import {announce, fill, h} from '../controls/dom.js';
import {showResult} from '../controls/focus.js';
import {placed} from '../controls/problem-list.js';
import {failedReading, shownAnswer} from '../controls/shown-answer.js';
import {differenceSummary, diffView} from '../differences/diff-view.js';
import {choiceTools, showChoices} from '../differences/difference-parts.js';
import {additionRefusal, keptText} from '../drafts/draft-additions.js';
import {conflictView} from '../merge/conflict-view.js';
import {projectText} from '../projects/project-details.js';
import {readProjects} from '../projects/projects.js';
import {address, go} from '../routing/router.js';
import {newestRequest} from '../server/newest-request.js';
import {differenceCount} from '../server/server-draft.js';
import {refusal} from '../server/session.js';
import {sentence} from '../server/validation.js';
import {count, numberText} from '../text/formats.js';
import {compareWith, concerned, copyable, promote, promotedDraft, promotionNotes, readiness,
    takePromotion} from './promotion.js';

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
    const other = choice([], null, {onchange: clear});
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

/** Link to the review of the draft. */
function reviewLink() {
    return h('p', {class: 'actions'},
        h('a', {class: 'button', href: address('review')}, 'Go to the review'));
}

/**
 * The differences, with boxes that choose settings to copy.
 *
 * @param {Pick<PageContext, 'session' | 'workspace' | 'project'>} context
 * @param {Comparison} comparison
 * @param {AbortSignal} left
 */
function comparisonView({session, workspace, project}, comparison, left) {
    const {with: from, withVersionNumber, versionNumber} = comparison;
    const refused = refusal(session, 'editor');
    const differing = copyable(comparison);
    const affected = concerned(comparison, workspace.published);
    const settings = [...differing, ...affected];
    const kept = comparison.parameters.length - differing.length;
    // Settings with the same values are copied for the sake of a condition only.
    const chosen = new Set(differing);
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
            await previewPromotion({workspace, project}, comparison, [...chosen], preview, signal);
        } catch (error) {
            if (!signal.aborted) fill(preview, message('error', error.message));
        }
        if (signal.aborted) return;
        update();
        showResult(preview);
    }}, 'Continue');
    const status = h('p', {role: 'status'});
    const update = () => {
        button.disabled = !chosen.size;
        button.textContent = `Continue with ${count(chosen.size, 'setting')}`;
        status.textContent = `Chosen: ${numberText(chosen.size)} of ${
            count(settings.length, 'setting')}.`;
    };
    /** Removes the preview of an earlier choice. */
    const changed = () => {
        nextPreview();
        fill(preview);
        update();
    };
    if (!refused) update();
    const tools = choiceTools(status, (isChosen) => {
        chosen.clear();
        if (isChosen) settings.forEach((found) => chosen.add(found));
        showChoices();
        changed();
    });
    const choose = {verb: 'Copy',
        /** @param {DifferenceKind} kind @param {Difference} found */
        isChosen: (kind, found) => chosen.has(found),
        /** @param {DifferenceKind} kind @param {Difference} found @param {boolean} isChosen */
        set: (kind, found, isChosen) => {
            if (isChosen) chosen.add(found);
            else chosen.delete(found);
            changed();
        }};
    const rest = {...comparison, parameters: []};
    return h('div', {class: 'stack'},
        h('p', {}, `Version ${withVersionNumber} of ${from} and version ${versionNumber} of this `
            + `project differ in: ${differenceSummary(comparison)}.`),
        kept > 0 && h('p', {class: 'muted'},
            `${count(kept, 'setting')} of this project, which ${from} does not have, will stay.`),
        affected.length > 0 && h('p', {class: 'muted'},
            `${count(affected.length, 'setting')} with the same values ${
                affected.length === 1 ? 'depends' : 'depend'} on a condition that differs: choose `
                + 'it to copy the condition.'),
        settings.length > 0 && [
            !refused && tools,
            diffView({conditions: [], groups: [], parameters: settings}, {
                template: workspace.published, ...!refused && {choose}}),
            h('div', {class: 'actions'}, guarded(refused, button)), preview],
        rest.conditions.length + rest.groups.length > 0 && h('details', {},
            h('summary', {}, `What else differs: ${differenceSummary(rest)}`), diffView(rest)));
}

/**
 * What a promotion does, with its choices, and the button that puts it into the draft.
 *
 * @param {Pick<PageContext, 'workspace' | 'project'>} context
 * @param {Comparison} comparison
 * @param {Difference[]} chosen
 * @param {HTMLElement} place
 * @param {AbortSignal} left
 */
async function previewPromotion({workspace, project}, comparison, chosen, place, left) {
    /** @type {Record<string, string>} */
    const resolutions = {};
    const first = await promote(project, comparison, chosen, resolutions, left);
    if (left.aborted) return;
    /**
     * The promotion with the choices made so far; null until it is known.
     *
     * @type {?Promotion}
     */
    let promotion = first;
    const effect = h('div', {class: 'stack'}, effectView(workspace, first));
    const outcome = h('div', {'aria-live': 'polite'});
    const open = h('p', {class: 'muted', role: 'status'});
    const readEffect = shownAnswer(effect, left, async (signal) => {
        const answer = await promote(project, comparison, chosen, resolutions, signal);
        signal.throwIfAborted();
        promotion = answer;
        update();
        return effectView(workspace, answer);
    });
    const nextTaking = newestRequest(left);
    const button = h('button', {type: 'button', class: 'primary', onclick: async () => {
        const signal = nextTaking();
        button.disabled = true;
        fill(outcome);
        try {
            const answer = await promote(project, comparison, chosen, resolutions, signal);
            if (answer.problems.length) {
                fill(outcome, problemsView(answer.problems));
                return;
            }
            const kept = await takePromotion(workspace, answer, signal);
            announce(`Copied into the draft: ${differenceSummary(answer.changes)}.`);
            if (kept.length) {
                fill(place, message('success', h('p', {}, 'The copy is in the draft. '
                    + keptText(kept)), reviewLink()));
                showResult(place);
            } else go('review');
        } catch (error) {
            if (!signal.aborted) fill(outcome, message('error', error.message));
        } finally {
            update();
        }
    }}, 'Put into the draft');
    const update = () => {
        const {isReady, text} = readiness(
            first.conflicts, resolutions, promotion, workspace.draft);
        button.disabled = !isReady;
        open.textContent = text;
    };
    update();
    fill(place,
        first.conflicts.map((conflict) => conflictView(
            {conflict, dependents: []}, 'This project', undefined, (side) => {
                resolutions[conflict.path] = side;
                promotion = null;
                nextTaking();
                update();
                readEffect();
            }, {theirs: 'As in this project', mine: `As in ${first.from}`})),
        effect, h('div', {class: 'actions'}, button, open), outcome);
}

/**
 * What a promotion changes in the project, and where the draft wins.
 *
 * @param {Workspace} workspace
 * @param {Promotion} promotion
 */
function effectView(workspace, promotion) {
    const {changes} = promotion;
    const {kept} = promotedDraft(workspace.draft, promotion);
    const notes = promotionNotes(promotion);
    // A screen reader reads the summary of a new effect, not all of its values.
    return [kept.length > 0 && message('warning', keptText(kept)),
        notes.length > 0 && h('ul', {class: 'remarks'}, notes.map((text) => h('li', {}, text))),
        differenceCount(changes) > 0 && [
            h('p', {}, `Changes in this project: ${differenceSummary(changes)}.`),
            h('div', {'aria-live': 'off'}, diffView(changes, {template: workspace.published}))]];
}

/** @param {Problem[]} problems */
function problemsView(problems) {
    return message('error', h('p', {}, 'The result cannot be published:'),
        h('ul', {}, problems.map((problem) => h('li', {}, placed(problem), sentence(problem)))));
}
