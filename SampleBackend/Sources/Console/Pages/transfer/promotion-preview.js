/**
 * Preview of a promotion: its choices, what it changes, and the button that puts it into the draft.
 */

import {badge, message} from '../controls/controls.js';
import {announce, fill, h} from '../controls/dom.js';
import {showResult} from '../controls/focus.js';
import {folded} from '../controls/folded.js';
import {placed} from '../controls/problem-list.js';
import {shownAnswer} from '../controls/shown-answer.js';
import {differenceSummary, diffView} from '../differences/diff-view.js';
import {keptText} from '../drafts/draft-additions.js';
import {names} from '../json/json.js';
import {conflictView} from '../merge/conflict-view.js';
import {address, go} from '../routing/router.js';
import {newestRequest} from '../server/newest-request.js';
import {differenceCount} from '../server/server-draft.js';
import {sentence} from '../server/validation.js';
import {count} from '../text/formats.js';
import {promote, promotedDraft, promotionNotes, readiness, takePromotion, travellingConditions}
    from './promotion.js';

/** @typedef {import('../merge/conflict-choices.js').ConflictChoices} ConflictChoices */

/** Link to the review of the draft. */
export function reviewLink() {
    return h('p', {class: 'actions'},
        h('a', {class: 'button', href: address('review')}, 'Go to the review'));
}

/**
 * What a promotion does, with its choices, and the button that puts it into the draft.
 *
 * @param {Pick<PageContext, 'workspace' | 'project'>} context
 * @param {Comparison} comparison
 * @param {PromotionRequest} chosen
 * @param {{choices: ConflictChoices, place: HTMLElement, left: AbortSignal,
 *     moved: () => unknown}} visit `choices` has the decisions made so far, also of an earlier
 *     comparison; `moved` is called when one of the projects has changed since this one.
 * @returns {Promise<number>} Number of earlier decisions that were between other sides.
 * @throws Error as `promote`.
 */
export async function previewPromotion(
    {workspace, project}, comparison, chosen, {choices, place, left, moved}) {
    const first = await promote(project, comparison, chosen, {}, left);
    const items = first.conflicts.map((conflict) => ({conflict, dependents: []}));
    const reopened = choices.dropOutdated(items).length;
    // The server has decided what differs on purpose; another choice can still be made.
    for (const item of items) {
        const {resolution} = item.conflict;
        if (resolution && choices.of(item) === undefined) choices.choose(item, resolution);
    }
    const decided = () => decisions(items, choices);
    /**
     * The promotion with the decisions made so far; null until it is known.
     *
     * @type {?Promotion}
     */
    let promotion = names(decided()).length
        ? await promote(project, comparison, chosen, decided(), left) : first;
    if (left.aborted) return 0;
    const effect = h('div', {class: 'stack'}, effectView(workspace, promotion, decided()));
    const outcome = h('div', {'aria-live': 'polite'});
    const open = h('p', {class: 'muted', role: 'status'});
    const readEffect = shownAnswer(effect, left, async (signal) => {
        const answer = await promote(project, comparison, chosen, decided(), signal)
            .catch((error) => {
                if (error.status === 412 && !signal.aborted) moved();
                throw error;
            });
        signal.throwIfAborted();
        promotion = answer;
        update();
        return effectView(workspace, answer, decided());
    });
    const nextTaking = newestRequest(left);
    const button = h('button', {type: 'button', class: 'primary', onclick: async () => {
        const signal = nextTaking();
        button.disabled = true;
        fill(outcome);
        try {
            const answer = await promote(project, comparison, chosen, decided(), signal);
            if (answer.problems.length) fill(outcome, problemsView(answer.problems));
            else await putIntoDraft(workspace, answer, place, signal);
        } catch (error) {
            if (signal.aborted) return;
            if (error.status === 412) moved();
            else fill(outcome, message('error', error.message));
        } finally {
            update();
        }
    }}, 'Put into the draft');
    const update = () => {
        const {isReady, text} = readiness(
            first.conflicts, decided(), promotion, workspace.draft);
        button.disabled = !isReady;
        open.textContent = text;
    };
    update();
    fill(place,
        items.map((item) => conflictView(item, 'This project', choices.of(item), (side) => {
            choices.choose(item, side);
            promotion = null;
            nextTaking();
            update();
            readEffect();
        }, {theirs: 'As in this project', mine: `As in ${first.from}`})),
        effect, h('div', {class: 'actions'}, button, open), outcome);
    return reopened;
}

/**
 * The chosen sides of conflicts, as the server takes them.
 *
 * @param {MergeItem[]} items
 * @param {ConflictChoices} choices
 * @returns {Record<string, string>}
 */
function decisions(items, choices) {
    return Object.fromEntries(items.flatMap((item) => {
        const side = choices.of(item);
        return side === undefined ? [] : [[item.conflict.path, side]];
    }));
}

/**
 * Puts a promotion into the draft, and goes to its review, or says where the draft wins.
 *
 * @param {Workspace} workspace
 * @param {Promotion} promotion
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
async function putIntoDraft(workspace, promotion, place, signal) {
    const kept = await takePromotion(workspace, promotion, signal);
    announce(`Copied into the draft: ${differenceSummary(promotion.changes)}.`);
    if (!kept.length) {
        go('review');
        return;
    }
    fill(place, message('success', h('p', {}, 'The copy is in the draft. ' + keptText(kept)),
        reviewLink()));
    showResult(place);
}

/**
 * What a promotion changes in the project, and where the draft wins.
 *
 * @param {Workspace} workspace
 * @param {Promotion} promotion
 * @param {Record<string, string>} resolutions
 */
function effectView(workspace, promotion, resolutions) {
    const {changes} = promotion;
    const {kept} = promotedDraft(workspace.draft, promotion);
    const notes = promotionNotes(promotion);
    // A screen reader reads the summary of a new effect, not all of its values.
    return [kept.length > 0 && message('warning', keptText(kept)),
        conditionsView(travellingConditions(promotion, resolutions)),
        notes.length > 0 && h('ul', {class: 'remarks'}, notes.map((text) => h('li', {}, text))),
        differenceCount(changes) > 0 && [
            h('p', {}, `Changes in this project: ${differenceSummary(changes)}.`),
            h('div', {'aria-live': 'off'}, diffView(changes, {template: workspace.published}))]];
}

/**
 * The conditions that come along with the settings.
 *
 * @param {ReturnType<typeof travellingConditions>} conditions
 */
function conditionsView(conditions) {
    return conditions.length > 0 && h('div', {class: 'stack tight', 'aria-live': 'off'},
        h('p', {}, `The copied values use ${count(conditions.length, 'condition')}:`),
        folded(conditions, (some) => h('ul', {class: 'plain travelling'}, some.map((
            {name, badge: label, kind, text}) => h('li', {}, badge(label, kind), ' ',
            h('strong', {}, name), ' ', h('span', {class: 'muted'}, text))))));
}

/** @param {Problem[]} problems */
function problemsView(problems) {
    return message('error', h('p', {}, 'The result cannot be published:'),
        h('ul', {}, problems.map((problem) => h('li', {}, placed(problem), sentence(problem)))));
}
