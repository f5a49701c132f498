/**
 * Rolling out a condition as it is published: the dialogs, and what comes before and after them.
 */

import {message} from '../controls/controls.js';
import {ask} from '../controls/dialog.js';
import {announce, fill, h} from '../controls/dom.js';
import {PageInput} from '../controls/page-input.js';
import {planAndStart} from '../rollouts/rollout-dialog.js';
import {rolloutConditions} from '../rollouts/rollout-input.js';
import {go} from '../routing/router.js';
import {unsettledText} from '../server/publishing.js';
import {startRollout} from '../server/rollouts.js';
import {refusal} from '../server/session.js';
import {usesByCondition} from '../template/condition-uses.js';
import {rolloutBound} from '../template/percent.js';

/**
 * True if a user may roll out a condition of the draft, and it has a percentage to raise.
 *
 * @param {Pick<PageContext, 'session'>} context
 * @param {Condition} condition
 */
export function mayRollOut({session}, {expression = ''}) {
    return !refusal(session, 'publisher') && rolloutBound(expression) !== null;
}

/**
 * Opens the dialogs, then the page of the request that was made. For a condition that is only in
 * the draft, offers the review.
 *
 * @param {PageContext} context
 * @param {string} name
 */
export async function openRollout({workspace, project, details}, name) {
    const {published, draft, user} = workspace;
    const conditions = rolloutConditions(published).filter((each) => each.name === name);
    if (!conditions.length) {
        if (await ask({title: `${name} is not published`, action: 'Review the draft',
            text: 'A rollout begins with what is published, where this condition is missing, or '
                + 'has no percentage below 100. Request a review of your draft, then roll out the '
                + 'change request.'})) go('review');
        return;
    }
    const input = new PageInput('rollout', workspace);
    const doubtful = h('div', {'aria-live': 'polite'});
    const left = new AbortController();
    let isInDoubt = false;
    const isUsed = usesByCondition(published).has(name);
    const started = await planAndStart({project, details, conditions, request: null,
        lead: [
            h('p', {}, 'The server publishes the condition at the first percentage, then raises it '
                + 'step by step, in your name.'),
            draft && h('p', {}, 'Your draft is not a part of it.'),
            !isUsed && message('warning', 'No published setting has a value for this condition, so '
                + 'nobody gets anything else.')],
        kept: input.content, keep: (entered) => input.keep(entered), doubtful,
        start: async (rollout) => {
            try {
                return await startRollout(project, rollout, user, {signal: left.signal,
                    onDoubt: (attempt) => {
                        isInDoubt = true;
                        if (attempt === 1) {
                            fill(doubtful, message('warning', unsettledText('The rollout')));
                        }
                    }});
            } finally {
                isInDoubt = false;
                fill(doubtful);
            }
        },
        mayLeave: () => isInDoubt});
    left.abort();
    const {id} = /** @type {{id?: string}} */ (started?.result ?? {});
    if (!id) return;
    input.forget();
    announce(started?.rollout.at ? 'The rollout is scheduled.' : 'The rollout starts.');
    go('change-request', {id});
}
