/**
 * Card that compares the project with another one, and copies settings from it into the draft.
 */

import {choice, field, guarded, message} from '../controls/controls.js';
import {announce, fill, h} from '../controls/dom.js';
import {showResult} from '../controls/focus.js';
import {placed} from '../controls/problem-list.js';
import {failedReading, shownAnswer} from '../controls/shown-answer.js';
import {differenceSummary, diffView} from '../differences/diff-view.js';
import {additionRefusal, keptText} from '../drafts/draft-additions.js';
import {conflictView} from '../merge/conflict-view.js';
import {projectText} from '../projects/project-details.js';
import {readProjects} from '../projects/projects.js';
import {address, go} from '../routing/router.js';
import {refusal} from '../server/session.js';
import {sentence} from '../server/validation.js';
import {count} from '../text/formats.js';
import {compareWith, copyable, promote, promotedDraft, promotionNotes, takePromotion}
    from './promotion.js';

/**
 * @param {Pick<PageContext, 'session' | 'workspace' | 'project'>} context
 * @param {AbortSignal} left
 */
export function promotionCard({session, workspace, project}, left) {
    const refused = refusal(session, 'editor');
    const outcome = h('div', {class: 'outcome', 'aria-live': 'polite'});
    const other = choice([], null, {onchange: () => fill(outcome)});
    const compare = shownAnswer(outcome, left, async (signal) => {
        const comparison = await compareWith(project, other.value, signal);
        return comparisonView({workspace, project}, comparison, signal);
    });
    const form = h('form', {class: 'form', hidden: true, onsubmit: async (
        /** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        await compare();
        showResult(outcome);
    }}, field('Other project', other), h('div', {class: 'actions'}, guarded(refused,
        h('button', {type: 'submit'}, 'Compare'))));
    const state = h('p', {class: 'muted', role: 'status'}, 'Reading the projects …');
    const read = async () => {
        try {
            const others = (await readProjects()).filter(({name}) => name !== project);
            if (left.aborted) return;
            fill(other, others.map((found) => (
                h('option', {value: found.name}, projectText(found)))));
            form.hidden = !others.length;
            fill(state, others.length ? 'Shows what differs, and copies settings with the '
                + 'conditions that they need. What only this project has stays.'
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
 * @param {Pick<PageContext, 'workspace' | 'project'>} context
 * @param {Comparison} comparison
 * @param {AbortSignal} left
 */
function comparisonView({workspace, project}, comparison, left) {
    const {with: from, withVersionNumber, versionNumber} = comparison;
    const settings = copyable(comparison);
    const kept = comparison.parameters.length - settings.length;
    const chosen = new Set(settings);
    const preview = h('div', {class: 'stack', 'aria-live': 'polite'});
    const button = h('button', {type: 'button', class: 'primary', onclick: async () => {
        const refused = additionRefusal(workspace.draft, versionNumber);
        if (refused) {
            fill(preview, message('warning', h('p', {}, refused), reviewLink()));
            showResult(preview);
            return;
        }
        button.disabled = true;
        try {
            await previewPromotion({workspace, project}, comparison, [...chosen], preview, left);
        } catch (error) {
            if (!left.aborted) fill(preview, message('error', error.message));
        }
        update();
        if (!left.aborted) showResult(preview);
    }}, 'Continue');
    const update = () => {
        button.disabled = !chosen.size;
        button.textContent = `Continue with ${count(chosen.size, 'setting')}`;
    };
    update();
    const rest = {...comparison, parameters: []};
    return h('div', {class: 'stack'},
        h('p', {}, `Version ${withVersionNumber} of ${from} and version ${versionNumber} of this `
            + `project differ in: ${differenceSummary(comparison)}.`),
        kept > 0 && h('p', {class: 'muted'},
            `${count(kept, 'setting')} of this project, which ${from} does not have, will stay.`),
        settings.length > 0 && [
            diffView({conditions: [], groups: [], parameters: settings}, {
                template: workspace.published, choose: {verb: 'Copy',
                    isChosen: (kind, found) => chosen.has(found),
                    set: (kind, found, isChosen) => {
                        if (isChosen) chosen.add(found);
                        else chosen.delete(found);
                        fill(preview);
                        update();
                    }}}),
            h('div', {class: 'actions'}, button), preview],
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
    const notes = h('div', {});
    const outcome = h('div', {'aria-live': 'polite'});
    /** @param {Promotion} promotion */
    const showNotes = (promotion) => {
        const {kept} = promotedDraft(workspace.draft, promotion);
        fill(notes, kept.length > 0 && message('warning', keptText(kept)),
            h('ul', {class: 'remarks'},
                promotionNotes(promotion).map((text) => h('li', {}, text))));
    };
    const open = h('p', {class: 'muted', role: 'status'});
    const button = h('button', {type: 'button', class: 'primary', onclick: async () => {
        button.disabled = true;
        try {
            const promotion = await promote(project, comparison, chosen, resolutions, left);
            if (left.aborted) return;
            if (promotion.problems.length) {
                fill(outcome, message('error', h('p', {}, 'The result cannot be published:'),
                    h('ul', {}, promotion.problems.map((problem) => (
                        h('li', {}, placed(problem), sentence(problem)))))));
                return;
            }
            const kept = await takePromotion(workspace, promotion, left);
            announce(`Copied ${count(chosen.length, 'setting')} into the draft.`);
            if (kept.length) {
                fill(place, message('success', h('p', {}, 'The copy is in the draft. '
                    + keptText(kept)), reviewLink()));
                showResult(place);
            } else go('review');
        } catch (error) {
            if (!left.aborted) fill(outcome, message('error', error.message));
        }
        update();
    }}, 'Put into the draft');
    const update = () => {
        const number = first.conflicts.filter(({path}) => !resolutions[path]).length;
        button.disabled = number > 0;
        open.textContent = number ? `${count(number, 'choice')} left`
            : 'Nothing is published yet: you review it once more.';
    };
    update();
    showNotes(first);
    fill(place,
        first.conflicts.map((conflict) => conflictView(
            {conflict, dependents: []}, 'This project', undefined, async (side) => {
                resolutions[conflict.path] = side;
                update();
                const again = await promote(project, comparison, chosen, resolutions, left)
                    .catch(() => null);
                if (again && !left.aborted) showNotes(again);
            }, {theirs: 'As in this project', mine: `As in ${first.from}`})),
        notes, h('div', {class: 'actions'}, button, open), outcome);
}
