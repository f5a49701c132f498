/**
 * Question before a change request is published: in a production project, and before its time.
 */

import {ask} from '../controls/dialog.js';
import {h} from '../controls/dom.js';
import {productionNotice} from '../projects/project-details.js';
import {waitingPart} from '../schedules/schedule-state.js';
import {zonedText} from '../text/time-zones.js';

/**
 * What a publish now changes in the times for which a request is scheduled; null for a request that
 * does not wait for its start.
 *
 * @param {Pick<ChangeRequest, 'schedule' | 'requiredApprovals'>} request
 */
export function earlyText({schedule: waiting, requiredApprovals}) {
    if (!waiting || waitingPart(waiting) !== 'start') return null;
    const {at, until, zone, rollout} = waiting;
    return `The request is scheduled for ${zonedText(at, zone)}. Publishing it now cancels `
        + `that${until ? `; it is not taken back ${zonedText(until, zone)} either` : ''}.`
        + (rollout ? ' It stays as it is then: no step of the rollout follows.' : '')
        + (requiredApprovals ? ' Approvals for that time do not count now.' : '');
}

/**
 * Asks whether to publish a request; true at once where nothing is to be asked.
 *
 * @param {Project} details
 * @param {ChangeRequest} request
 * @param {{action: string, isProductionAsked: boolean}} options Label of the button; true if
 *     another question has named the production project.
 */
export async function confirmPublish(details, request, {action, isProductionAsked}) {
    const early = earlyText(request);
    const notice = isProductionAsked ? null
        : productionNotice(details, `This publishes “${request.title}” to`);
    if (early === null && !notice) return true;
    return ask({
        title: early === null ? `${action} “${request.title}”?` : 'Publish before its time?',
        action: early === null ? action : `${action} now`,
        cancel: early === null ? 'Do not publish' : 'Let it wait',
        text: [notice, early !== null && h('p', {}, early)]});
}
