/**
 * The review of a draft: publishing, the affected users, and the changes.
 */

import {message} from '../controls/controls.js';
import {announce, fill, h, redraw} from '../controls/dom.js';
import {differenceSummary, diffView} from '../differences/diff-view.js';
import {choiceTools, showChoices} from '../differences/difference-parts.js';
import {address} from '../routing/router.js';
import {noChanges} from '../server/server-draft.js';
import {refusal} from '../server/session.js';
import {changeKey} from '../template/chosen-changes.js';
import {usesByCondition} from '../template/condition-uses.js';
import {conditions} from '../template/template.js';
import {previewDraft} from '../users/proposal.js';
import {digitsWarning} from './digits-warning.js';
import {checkDraft, checkValues} from './draft-check.js';
import {impactView} from './impact.js';
import {publishForm} from './publish-form.js';
import {revertingCondition, revertingGroup, revertingSetting} from './revert.js';
import {sameValuesWarning} from './same-values-warning.js';
import {count, versionText} from '../text/formats.js';

/** @typedef {import('./review-session.js').ReviewSession} ReviewSession */

const reverts = {
    setting: revertingSetting, condition: revertingCondition, group: revertingGroup};

/**
 * Position of a condition among all, such as "1 of 3".
 *
 * @param {string} name
 * @param {Template} template
 */
function placeOf(name, template) {
    const names = conditions(template).map((condition) => condition.name);
    return `${names.indexOf(name) + 1} of ${names.length}`;
}

/**
 * Shows the publish form, the effect and the differences of a draft, of which some can be chosen.
 *
 * @param {ReviewSession} page
 * @param {Draft} draft
 * @param {Review} review
 * @param {?HTMLElement} notice
 */
export function showReview(page, draft, review, notice) {
    const {workspace} = page;
    const {choice} = review;
    const chosen = h('div', {class: 'stack'});
    const drawChosen = () => showChosen(page, review, chosen);
    const {tools, choose} = changeTools(choice, drawChosen);
    const isChoosing = choice.isOffered && !refusal(page.session, 'editor');
    const mayPublish = !refusal(page.session, 'publisher');
    const difference = draft.changes ?? noChanges;
    const uses = usesByCondition(workspace.template);
    const changes = diffView(difference, {
        template: workspace.template, opened: page.opened, search: page.search,
        usesOf: (name) => uses.get(name) ?? [],
        placeOf: (name) => placeOf(name, workspace.template),
        choose: isChoosing
            ? {...choose, ...!mayPublish && {verbOf: () => 'Request'}} : undefined,
        revert: refusal(page.session, 'editor') ? undefined : async (kind, found) => {
            // Rows that appear during a publish have enabled buttons.
            if (page.isPublishing) return;
            page.hasReverted = true;
            workspace.edit(reverts[kind](
                workspace.template, workspace.baseTemplate, found, difference));
            await workspace.saved();
            announce('Change reverted.');
            // The button is gone with its row.
            if (document.activeElement === document.body) {
                document.getElementById('changes')?.focus({preventScroll: true});
            }
        }});
    redraw(page.body,
        notice,
        workspace.isOutdated && !workspace.isReadOnly && message('warning', h('p', {},
            `Version ${workspace.newestVersion?.versionNumber} was published since this draft `
            + `began at ${versionText(draft.base)}.`),
        h('a', {class: 'button primary', href: address('merge')}, 'Merge')),
        h('div', {class: 'review'},
            chosen, h('section', {class: 'card', 'aria-labelledby': 'changes'},
                h('div', {class: 'card-head'},
                    h('h2', {id: 'changes', tabindex: '-1'}, 'What changes'),
                    h('p', {class: 'muted'}, `${differenceSummary(difference)} since `
                        + versionText(draft.base))),
                h('div', {class: 'card-body'}, isChoosing && tools, changes))));
    drawChosen();
}

/**
 * Line above the changes with the number of the chosen ones, and what the boxes of the changes do.
 *
 * @param {import('./change-choice.js').ChangeChoice} choice
 * @param {function(): void} changed Called after each choice.
 */
function changeTools(choice, changed) {
    const status = h('p', {role: 'status'}, choice.text);
    /** @param {string[]} others Labels of the changes that came along. */
    const follow = (others = []) => {
        const shown = others.length > 3 ? [count(others.length, 'change')] : others;
        fill(status, choice.text, others.length > 0 && ` Along with it: ${shown.join(', ')}.`);
        showChoices();
        changed();
    };
    return {
        tools: choiceTools(status, (isChosen) => {
            choice.chooseAll(isChosen);
            follow();
        }),
        choose: {
            /** @param {DifferenceKind} kind @param {Difference} found */
            isChosen: (kind, found) => choice.isChosen(changeKey(kind, found)),
            /** @param {DifferenceKind} kind @param {Difference} found @param {boolean} isChosen */
            set: (kind, found, isChosen) => follow(
                choice.choose(changeKey(kind, found), isChosen))}};
}

/**
 * Shows the publish form, the problems and the effect of the chosen changes.
 *
 * @param {ReviewSession} page
 * @param {Review} review
 * @param {HTMLElement} place
 */
function showChosen(page, review, place) {
    const {choice} = review;
    const signal = page.replaceShown();
    review.chosen = choice.draft;
    review.normalized = null;
    review.checking = Promise.resolve();
    const {template, baseTemplate} = review.chosen;
    const check = h('div', {}, h('p', {class: 'muted', role: 'status'}, 'Checking …'));
    const values = h('div', {'aria-live': 'polite'});
    const hasChosen = choice.count > 0;
    // The result of the check is below the form, so that it does not move the button.
    redraw(place,
        h('section', {class: 'card publish-card', 'aria-labelledby': 'publish'},
            h('div', {class: 'card-head'}, h('h2', {id: 'publish'}, 'Publish')),
            h('div', {class: 'card-body'}, page.waitingView, publishForm(page, review),
                hasChosen && [check, values, digitsWarning(template, baseTemplate),
                    sameValuesWarning(template, baseTemplate)])),
        hasChosen && impactView(page.session, draftImpact(page.workspace,
            choice.isWhole ? null : template), signal));
    if (!hasChosen) return;
    review.checking = checkDraft(page, review, check, signal);
    checkValues(page, review.chosen, values, signal);
}

/**
 * What the preview of a draft is of.
 *
 * @param {Workspace} workspace
 * @param {?Template} chosen The draft's template with the changes that are chosen, if not all.
 * @returns {import('./impact.js').ImpactSource}
 */
function draftImpact(workspace, chosen) {
    return {owner: workspace,
        preview: (users, signal) => previewDraft(workspace, users, signal, chosen),
        merged: 'your draft is merged with it, as when you publish',
        conflicting: (number) => `For ${count(number, 'thing')} that you both changed, this uses `
            + 'yours; you choose before you publish.'};
}
