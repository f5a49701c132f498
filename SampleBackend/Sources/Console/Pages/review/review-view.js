/**
 * The review of a draft: publishing, the affected users, and the changes.
 */

import {message} from '../controls/controls.js';
import {announce, h, redraw} from '../controls/dom.js';
import {differenceSummary, diffView} from '../differences/diff-view.js';
import {address} from '../routing/router.js';
import {noChanges} from '../server/server-draft.js';
import {refusal} from '../server/session.js';
import {usesByCondition} from '../template/condition-uses.js';
import {conditions} from '../template/template.js';
import {digitsWarning} from './digits-warning.js';
import {checkDraft, checkValues} from './draft-check.js';
import {impactView} from './impact.js';
import {publishForm} from './publish-form.js';
import {revertingCondition, revertingGroup, revertingSetting} from './revert.js';
import {sameValuesWarning} from './same-values-warning.js';
import {versionText} from '../text/formats.js';

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
 * Shows the publish form, the effect and the differences of a draft.
 *
 * @param {PageContext} context
 * @param {ReviewState} state
 * @param {Draft} draft
 * @param {Review} review
 */
export function showReview(context, state, draft, review) {
    const {workspace} = context;
    const {signal} = state.shown;
    const check = h('div', {}, h('p', {class: 'muted', role: 'status'}, 'Checking …'));
    const values = h('div', {'aria-live': 'polite'});
    const difference = draft.changes ?? noChanges;
    const uses = usesByCondition(workspace.template);
    const changes = diffView(difference, {
        template: workspace.template, opened: state.opened, search: state.search,
        usesOf: (name) => uses.get(name) ?? [],
        placeOf: (name) => placeOf(name, workspace.template),
        revert: refusal(context.session, 'editor') ? undefined : async (kind, found) => {
            // Rows that appear during a publish have enabled buttons.
            if (state.isPublishing) return;
            state.hasReverted = true;
            workspace.edit(reverts[kind](workspace.template, workspace.baseTemplate, found));
            await workspace.saved();
            announce('Change reverted.');
            // The button is gone with its row.
            if (document.activeElement === document.body) {
                document.getElementById('changes')?.focus({preventScroll: true});
            }
        }});
    // The result of the check is below the form, so that it does not move the button.
    redraw(state.body,
        state.notice,
        workspace.isOutdated && !workspace.isReadOnly && message('warning', h('p', {},
            `Version ${workspace.newestVersion?.versionNumber} was published since this draft `
            + `began at ${versionText(draft.base)}.`),
        h('a', {class: 'button primary', href: address('merge')}, 'Merge')),
        h('div', {class: 'review'},
            h('div', {class: 'stack'},
                h('section', {class: 'card publish-card', 'aria-labelledby': 'publish'},
                    h('div', {class: 'card-head'}, h('h2', {id: 'publish'}, 'Publish')),
                    h('div', {class: 'card-body'}, publishForm(context, state, review), check,
                        values, digitsWarning(workspace.template, draft.baseTemplate),
                        sameValuesWarning(workspace.template, draft.baseTemplate))),
                impactView(context, signal)),
            h('section', {class: 'card', 'aria-labelledby': 'changes'},
                h('div', {class: 'card-head'},
                    h('h2', {id: 'changes', tabindex: '-1'}, 'What changes'),
                    h('p', {class: 'muted'}, `${differenceSummary(difference)} since `
                        + versionText(draft.base))),
                h('div', {class: 'card-body'}, changes))));
    review.checking = checkDraft(context, review, check, signal);
    checkValues(context, draft, values, signal);
}
