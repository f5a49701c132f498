/**
 * How the schedule of a change request is described: what will come of it, and what has.
 */

import {boundText, planText, rolloutBadge, rolloutNews, rolloutTexts}
    from '../rollouts/rollout-texts.js';
import {dueTime, hasFailedEnd, waitingPart} from '../schedules/schedule-state.js';
import {timesText} from '../schedules/chosen-times.js';
import {zonedText} from '../text/time-zones.js';
import {commentPlace} from './request-places.js';

/**
 * Why nothing is published, by the state or the outlook of a schedule.
 *
 * @type {Record<string, string>}
 */
const causes = {
    conflict: 'it conflicts with what was published since',
    invalid: 'together with what was published since, it has problems',
    needsApproval: 'approvals are missing',
    notApproved: 'approvals were missing',
    notPermitted: 'the one who scheduled it may no longer publish here',
    missed: 'the time passed while no server could publish it',
};

/** @type {Record<string, [text: string, kind: string]>} */
const outlooks = {
    willPublish: ['Will be published', 'good'],
    waitsForPredecessor: ['Waits for another request', ''],
    needsApproval: ['Needs approval', 'changed'],
    conflict: ['Conflict', 'bad'],
    invalid: ['Has problems', 'bad'],
    notPermitted: ['Not permitted', 'bad'],
};

/** @type {Record<string, [text: string, kind: string]>} */
const states = {
    waiting: ['Scheduled', ''],
    published: ['Published', ''],
    cancelled: ['Cancelled', ''],
    missed: ['Missed', 'bad'],
    conflict: ['Not published: conflict', 'bad'],
    invalid: ['Not published: problems', 'bad'],
    notApproved: ['Not published: not approved', 'bad'],
    notPermitted: ['Not published: not permitted', 'bad'],
};

/**
 * Text and kind of the badge of a schedule; a state that this console does not know is shown as it
 * is.
 *
 * @param {Schedule} schedule
 * @returns {[text: string, kind: string]}
 */
export function scheduleBadge(schedule) {
    const {state, outlook = '', rollout} = schedule;
    if (rollout && state === 'published') return rolloutBadge(rollout);
    if (waitingPart(schedule) === 'end') return ['Published, its end waits', 'good'];
    if (hasFailedEnd(schedule)) return ['Published, not taken back', 'bad'];
    return (state === 'waiting' && outlooks[outlook]) || (states[state] ?? [state, '']);
}

/**
 * True if what waits will not be published as it is now.
 *
 * @param {Schedule} schedule
 */
export function isInDoubt({state, outlook = 'willPublish'}) {
    return state === 'waiting' && !['willPublish', 'waitsForPredecessor'].includes(outlook);
}

/**
 * What did not happen, with the sentence of the server if there is one, else with the cause.
 *
 * @param {string} start
 * @param {ScheduleOutcome} outcome
 */
function failure(start, {state, reason}) {
    if (reason) return `${start}. ${reason}`;
    return causes[state] ? `${start}: ${causes[state]}.` : `${start}.`;
}

/**
 * What will come of a start that waits.
 *
 * @param {Schedule} schedule
 * @param {string} [missing] Sentence about the approvals that are missing.
 */
function outlookText({at, zone, outlook = 'willPublish', outlookReason}, missing) {
    const time = zonedText(at, zone);
    switch (outlook) {
    case 'willPublish':
        return `Will be published ${time}.`;
    case 'waitsForPredecessor':
        return `Will be published ${time} if the request before it is published until then.`;
    case 'needsApproval':
        return `Will not be published ${time}: ${missing ?? `${causes.needsApproval}.`}`;
    default:
        if (outlookReason) return `Will not be published ${time}. ${outlookReason}`;
        return `Will not be published ${time}${
            causes[outlook] ? `: ${causes[outlook]}` : ''}.`;
    }
}

/**
 * What came of a start.
 *
 * @param {Schedule} schedule
 */
function startText(schedule) {
    const {at, zone, state, versionNumber, late, reason} = schedule;
    const time = zonedText(at, zone);
    switch (state) {
    case 'published':
        return `Published as version ${versionNumber}, ${late ? 'later than scheduled' : 'as '
            + 'scheduled'}: ${time}.`;
    case 'cancelled':
        return `The schedule for ${time} was cancelled.${reason ? ` ${reason}` : ''}`;
    default:
        return failure(`Was not published ${time}`, schedule);
    }
}

/** @param {string[]} paths */
const places = (paths) => paths.map(commentPlace).join(', ');

/**
 * What will come, or came, of the end; null without one.
 *
 * @param {Schedule} schedule
 */
function endText(schedule) {
    const {state, until, zone, end} = schedule;
    if (!until || !end) return null;
    const time = zonedText(until, zone);
    const kept = end.kept?.length ? ` Changed since, and kept: ${places(end.kept)}.` : '';
    switch (end.state) {
    case 'waiting':
        if (isInDoubt(schedule)) return `If it is published, it is taken back ${time}.`;
        return state === 'waiting' ? `After that, it is taken back ${time}.`
            : `Will be taken back ${time}.`;
    case 'published':
        return `${end.versionNumber ? `Taken back as version ${end.versionNumber}: ${time}.`
            : `Ended ${time}. ${end.reason ?? ''}`}${kept}`;
    case 'cancelled':
        return `The end ${time} was cancelled.${end.reason ? ` ${end.reason}` : ''}`;
    case 'dropped':
        return null;
    default:
        return `${failure(`Was not taken back ${time}`, end)}${kept}`;
    }
}

/**
 * What will come, or came, of a schedule, as sentences.
 *
 * @param {Schedule} schedule
 * @param {string} [missing] Sentence about the approvals that are missing.
 * @returns {string[]}
 */
export function scheduleTexts(schedule, missing) {
    const {state, rollout, zone} = schedule;
    if (rollout && state === 'published') return rolloutTexts(rollout, zone);
    const start = state === 'waiting' ? outlookText(schedule, missing) : startText(schedule);
    if (rollout && state === 'waiting') {
        return [start, `${planText(rollout)} ${boundText(rollout)}`];
    }
    const end = endText(schedule);
    return end === null ? [start] : [start, end];
}

/**
 * What is new in a schedule, as sentences.
 *
 * @param {Schedule} [before]
 * @param {Schedule} [now]
 */
export function scheduleNews(before, now) {
    if (!now) return [];
    if (dueTime(before) !== dueTime(now) && now.state === 'waiting') {
        return [`It is scheduled for ${timesText(now)}.`];
    }
    if (now.rollout && now.state === 'published') {
        return rolloutNews(before?.rollout, now.rollout, now.zone);
    }
    const isSame = before?.state === now.state && before.end?.state === now.end?.state
        && before.outlook === now.outlook && before.until === now.until;
    return isSame ? [] : scheduleTexts(now);
}
