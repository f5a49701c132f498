/**
 * The change requests that are scheduled: those that are rolled out, those that wait in the order
 * of their times, then those whose time has passed.
 */

import {badge, table} from '../controls/controls.js';
import {h, newID} from '../controls/dom.js';
import {address} from '../routing/router.js';
import {rolloutBar} from '../rollouts/rollout-steps.js';
import {isRollingOut, rolloutTexts} from '../rollouts/rollout-texts.js';
import {inTimeOrder, waitingPart} from '../schedules/schedule-state.js';
import {approvalProblem} from '../server/protection.js';
import {zonedText} from '../text/time-zones.js';
import {participantName, votesText} from './request-texts.js';
import {scheduleBadge} from './schedule-texts.js';

/** @param {ChangeRequest} request */
function row(request) {
    const {id, title, schedule, votes, requiredApprovals} = request;
    if (!schedule) return h('tr', {});
    const {at, until, zone, scheduler, reason, outlook, rollout} = schedule;
    const hasStarted = rollout && schedule.state === 'published';
    const hasVotes = votes.length > 0 || Boolean(requiredApprovals);
    const why = outlook === 'needsApproval' ? approvalProblem(request) : reason;
    return h('tr', {},
        h('th', {scope: 'row', class: 'wide'},
            h('a', {href: address('change-request', {id}), 'data-focus': `request ${id}`}, title)),
        h('td', {}, h('p', {}, zonedText(at, zone)),
            until && h('p', {class: 'hint'}, `Until ${zonedText(until, zone)}`)),
        h('td', {}, badge(...scheduleBadge(schedule)),
            hasStarted ? [rolloutBar(rollout), rolloutTexts(rollout, zone).map((text) => (
                h('p', {class: 'hint'}, text)))] : why && h('p', {class: 'hint'}, why)),
        h('td', {class: 'name'}, scheduler ? participantName(scheduler) : '–'),
        h('td', {class: 'number'}, hasVotes ? votesText(request)
            : h('span', {class: 'muted'}, '–')));
}

/**
 * @param {string} title
 * @param {string} caption
 * @param {ChangeRequest[]} requests
 */
function part(title, caption, requests) {
    if (!requests.length) return null;
    const id = newID('scheduled');
    return h('section', {class: 'stack tight', 'aria-labelledby': id}, h('h2', {id}, title),
        table(caption, ['Title', 'Time', 'State', 'By', 'Approvals'], requests.map(row)));
}

/**
 * @param {ChangeRequest[]} requests The last changed one first.
 */
export function scheduledViews(requests) {
    return h('div', {class: 'stack'},
        part('Rolling out', 'Rollouts that have started, the last changed one first',
            requests.filter(({schedule}) => isRollingOut(schedule))),
        part('Waiting', 'Scheduled publishes that wait, the next one first',
            inTimeOrder(requests).filter(({schedule}) => !isRollingOut(schedule))),
        part('Past', 'Scheduled publishes of the past, the last one first', requests.filter(
            ({schedule}) => !waitingPart(schedule) && !isRollingOut(schedule))));
}
