/**
 * The schedule of a change request: what will come of it, and the buttons that set, move and cancel
 * it.
 */

import {badge, message} from '../controls/controls.js';
import {dialogForm} from '../controls/dialog-form.js';
import {ask, openDialog} from '../controls/dialog.js';
import {h} from '../controls/dom.js';
import {productionNotice} from '../projects/project-details.js';
import {address} from '../routing/router.js';
import {stepsTable} from '../rollouts/rollout-steps.js';
import {timesText} from '../schedules/chosen-times.js';
import {EndField, ScheduleFields} from '../schedules/schedule-fields.js';
import {hasFailedEnd, waitingPart} from '../schedules/schedule-state.js';
import {approvalProblem} from '../server/protection.js';
import {zonedText} from '../text/time-zones.js';
import {actButton} from './request-forms.js';
import {participantName} from './request-texts.js';
import {card} from './request-view.js';
import {rolloutViews} from './rollout-view.js';
import {isInDoubt, scheduleBadge, scheduleTexts} from './schedule-texts.js';

/** @typedef {import('./request-visit.js').RequestVisit} RequestVisit */
/** @typedef {import('./request-rights.js').RequestRights} RequestRights */

/**
 * Asks for the times of a request, then schedules or moves it. The tab keeps what was entered, also
 * if the server refuses it.
 *
 * @param {RequestVisit} visit
 * @param {ChangeRequest} request
 * @param {boolean} isMove
 */
async function schedule(visit, request, isMove) {
    const {details} = visit.context;
    const isRollout = isMove && request.schedule?.rollout !== undefined;
    const fields = new ScheduleFields(visit.input.content.times ?? null,
        (times) => visit.input.keep({times}),
        {schedule: isMove ? request.schedule : undefined, hasEnds: !isRollout});
    const missing = approvalProblem(request);
    const action = isMove ? 'Move' : 'Schedule';
    /** @type {ScheduleTimes | undefined} */
    const times = await openDialog(isMove ? 'Move the publish?' : 'Schedule the publish?',
        (close) => dialogForm({
            fields: [
                productionNotice(details, 'This publishes to', 'its users get it at that time'),
                h('p', {}, 'At this time, the server merges the changes into what is live then, '
                    + 'and publishes them in your name. If they conflict, or approvals are '
                    + 'missing, it publishes nothing.'),
                missing && message('warning', h('p', {}, `${missing} The time alone does not `
                    + 'publish it.')),
                isMove && h('p', {}, 'Votes given for another time no longer count.'),
                fields.node],
            action, submit: async () => fields.times()}, close), {isForm: false});
    if (!times) return;
    await visit.act((acts) => (isMove ? acts.moveSchedule(times) : acts.schedule(times)),
        `Scheduled for ${timesText(times)}.`, () => visit.input.forget('times'));
}

/**
 * Button that schedules a request.
 *
 * @param {RequestVisit} visit
 * @param {ChangeRequest} request
 * @param {RequestRights} rights
 */
export function scheduleButton(visit, request, rights) {
    return actButton('schedule', 'Schedule …', rights.schedule,
        () => schedule(visit, request, false));
}

/**
 * Cancels what waits, after a question.
 *
 * @param {RequestVisit} visit
 * @param {Schedule} waiting
 */
async function cancel(visit, waiting) {
    const {at, until, zone} = waiting;
    const isEnd = waitingPart(waiting) === 'end';
    const isSure = await ask(isEnd ? {
        title: 'Cancel the end?', action: 'Cancel the end', cancel: 'Keep it',
        text: `What was published stays, and is not taken back ${zonedText(until ?? at, zone)}.`,
    } : {
        title: 'Cancel the schedule?', action: 'Cancel the schedule', cancel: 'Keep it',
        text: `Nothing is published ${zonedText(at, zone)}. The request stays open.`,
    });
    if (!isSure) return;
    await visit.act((acts) => acts.cancelSchedule(),
        isEnd ? 'The end is cancelled.' : 'The schedule is cancelled.');
}

/**
 * Gives an end that was missed or refused another time.
 *
 * @param {RequestVisit} visit
 * @param {Schedule} failed
 */
async function endAnew(visit, failed) {
    const field = new EndField(failed);
    /** @type {string | undefined} */
    const until = await openDialog('Take it back at another time?', (close) => dialogForm({
        fields: [h('p', {}, 'At this time, the server takes back in your name what the publish has '
            + 'changed and nobody has changed since.'), field.node],
        action: 'Set the end', submit: async () => field.until()}, close), {isForm: false});
    if (!until) return;
    await visit.act((acts) => acts.endAnew(until),
        `It is taken back ${zonedText(until, failed.zone)}.`);
}

/**
 * Card with what will come, or came, of the schedule of a request; null if it has none.
 *
 * @param {RequestVisit} visit
 * @param {ChangeRequest} request
 * @param {RequestRights} rights
 */
export function scheduleCard(visit, request, rights) {
    const {schedule: shown} = request;
    if (!shown) return null;
    const part = waitingPart(shown);
    const texts = scheduleTexts(shown, approvalProblem(request) ?? undefined)
        .map((text) => h('p', {}, text));
    const {rollout, state, zone} = shown;
    return card('schedule', rollout ? 'Rollout' : 'Scheduled publish',
        badge(...scheduleBadge(shown)),
        rollout && state === 'published' ? rolloutViews(visit, shown, rights)
            : isInDoubt(shown) ? message('warning', texts) : texts,
        rollout && state === 'waiting' && [
            rollout.reportsBefore && h('p', {}, rollout.reportsBefore.text),
            stepsTable(rollout, zone)],
        h('p', {class: 'muted'}, shown.scheduler
            && `Scheduled by ${participantName(shown.scheduler)}. `,
        shown.after && h('a', {href: address('change-request', {id: shown.after})},
            'The request before it')),
        hasFailedEnd(shown) && h('div', {class: 'actions'}, actButton('end-anew',
            'Take it back at another time …', rights.endAnew, () => endAnew(visit, shown))),
        part && part !== 'step' && h('div', {class: 'actions'},
            part === 'start' && actButton('move-schedule', 'Move …', rights.moveSchedule,
                () => schedule(visit, request, true)),
            actButton('cancel-schedule', part === 'start' ? 'Cancel the schedule …'
                : 'Cancel the end …', rights.moveSchedule, () => cancel(visit, shown))));
}
