/**
 * The rollout of a change request: how far it is, and the buttons that start, hold, resume, take
 * back and stop it.
 */

import {badge, field, message} from '../controls/controls.js';
import {dialogForm} from '../controls/dialog-form.js';
import {openDialog} from '../controls/dialog.js';
import {h} from '../controls/dom.js';
import {showResult} from '../controls/focus.js';
import {productionNotice} from '../projects/project-details.js';
import {planAndStart} from '../rollouts/rollout-dialog.js';
import {rolloutConditions} from '../rollouts/rollout-input.js';
import {rolloutBar, stepsTable} from '../rollouts/rollout-steps.js';
import {actText, boundText, checkBadge, earlierPercent, isRollingOut, rolloutTexts}
    from '../rollouts/rollout-texts.js';
import {readRequestedTemplate} from '../server/change-requests.js';
import {withLocalTimes} from '../text/formats.js';
import {actButton} from './request-forms.js';

/** @typedef {import('./request-visit.js').RequestVisit} RequestVisit */
/** @typedef {import('./request-rights.js').RequestRights} RequestRights */

/**
 * The conditions of a request that can be rolled out, those that it changes first.
 *
 * @param {ChangeRequest} request
 * @param {Template} template Its content.
 */
function conditionsOf({changes}, template) {
    const changed = new Set((changes?.conditions ?? []).map(({name}) => name));
    const all = rolloutConditions(template);
    return [...all.filter(({name}) => changed.has(name)),
        ...all.filter(({name}) => !changed.has(name))];
}

/**
 * Plans the rollout of a request, and starts or schedules it.
 *
 * @param {RequestVisit} visit
 * @param {ChangeRequest} request
 */
async function rollOut(visit, request) {
    const {context: {project, details}, input} = visit;
    try {
        const conditions = conditionsOf(request, await readRequestedTemplate(project, request.id));
        if (visit.left.aborted) return;
        if (!conditions.length) {
            throw new Error('This request has no condition to roll out: it needs one with exactly '
                + 'one rule on the share of users, such as “up to 5 percent”.');
        }
        const votes = request.votes.length > 0 && h('p', {},
            'Votes that were given without this plan no longer count.');
        const started = await planAndStart({project, details, conditions, request,
            lead: [h('p', {}, 'The server publishes the request with the condition at the first '
                + 'percentage, then raises it step by step, in your name.'), votes],
            kept: input.content.rollout ?? null, keep: (rollout) => input.keep({rollout})});
        if (!started) return;
        await visit.act((acts) => acts.rollOut(started.rollout), started.rollout.at
            ? 'The rollout is scheduled.' : 'The rollout starts.', () => input.forget('rollout'));
    } catch (error) {
        if (visit.left.aborted) return;
        visit.say('error', error.message);
        showResult(visit.notice);
    }
}

/**
 * Button that rolls out a request.
 *
 * @param {RequestVisit} visit
 * @param {ChangeRequest} request
 * @param {RequestRights} rights
 */
export function rolloutButton(visit, request, rights) {
    return actButton('roll-out', 'Roll out …', rights.schedule, () => rollOut(visit, request));
}

/** @type {Record<'hold' | 'takeBack' | 'stop', [title: string, action: string, done: string]>} */
const words = {
    hold: ['Hold the rollout?', 'Hold', 'The rollout is held.'],
    takeBack: ['Take back the last step?', 'Take back', 'The last step is taken back.'],
    stop: ['Stop the rollout?', 'Stop the rollout', 'The rollout is stopped.'],
};

/**
 * Asks whether to do an act; undefined when it was cancelled.
 *
 * @param {RequestVisit} visit
 * @param {string} title
 * @param {{fields: unknown, action: string, isDangerous?: boolean, submit: () => Promise<any>}}
 *     form
 * @param {boolean} changesLive True for an act that publishes.
 * @returns {Promise<any>}
 */
function askAct({context: {details}}, title, {fields, ...form}, changesLive) {
    return openDialog(title, (close) => dialogForm({...form, fields: [
        changesLive && productionNotice(details, 'This changes what is live in'), fields]}, close),
    {isForm: false});
}

/**
 * Holds, takes back or stops a rollout after a question.
 *
 * @param {RequestVisit} visit
 * @param {Rollout} rollout
 * @param {'hold' | 'takeBack' | 'stop'} act
 */
async function end(visit, rollout, act) {
    const [title, action, done] = words[act];
    const reason = h('input', {type: 'text', autocomplete: 'off'});
    const isAll = act === 'takeBack' && earlierPercent(rollout) === undefined;
    const answer = await askAct(visit, isAll ? 'Take all of the rollout back?' : title, {
        fields: [h('p', {}, actText(act, rollout)), act !== 'stop'
            && field('Reason', reason, {hint: 'Optional: it is shown with the rollout.'})],
        action, isDangerous: act !== 'hold', submit: async () => ({reason: reason.value.trim()})},
    act === 'takeBack');
    if (!answer) return;
    await visit.act((acts) => (act === 'stop' ? acts.stopRollout() : acts[act](answer.reason)),
        isAll ? 'The rollout is taken back, and stopped.' : done);
}

/**
 * Resumes a rollout after a question.
 *
 * @param {RequestVisit} visit
 * @param {Rollout} rollout
 */
async function resume(visit, rollout) {
    const ignores = h('input', {type: 'checkbox'});
    const isNow = h('input', {type: 'checkbox'});
    const answer = await askAct(visit, 'Resume the rollout?', {
        fields: [h('p', {}, actText('resume', rollout)),
            rollout.reason && h('p', {}, `It was held: ${withLocalTimes(rollout.reason)}`),
            h('label', {class: 'check'}, isNow, ' Take the next step now'),
            h('label', {class: 'check'}, ignores, ' Whatever apps report')],
        action: 'Resume',
        submit: async () => ({ignoresReports: ignores.checked, isNow: isNow.checked})}, true);
    if (!answer) return;
    await visit.act((acts) => acts.resume(answer.ignoresReports, answer.isNow),
        'The rollout is resumed.');
}

/**
 * What apps report about a rollout.
 *
 * @param {Rollout} rollout
 */
function checkView({check}) {
    return check && h('p', {}, badge(...checkBadge(check)), ' ', withLocalTimes(check.text));
}

/**
 * What a rollout does and did, and what can be done with it; for one that has started.
 *
 * @param {RequestVisit} visit
 * @param {Schedule} schedule
 * @param {RequestRights} rights
 */
export function rolloutViews(visit, schedule, rights) {
    const {rollout, zone} = schedule;
    if (!rollout) return null;
    const texts = rolloutTexts(rollout, zone).map((text) => h('p', {}, text));
    const {moveSchedule: refused} = rights;
    return [
        rollout.state === 'held' ? message('warning', texts) : texts,
        rolloutBar(rollout), checkView(rollout),
        isRollingOut(schedule) && h('p', {class: 'muted'}, boundText(rollout)),
        stepsTable(rollout, zone),
        isRollingOut(schedule) && h('div', {class: 'actions'},
            rollout.state === 'held'
                ? actButton('resume-rollout', 'Resume …', refused, () => resume(visit, rollout),
                    'primary')
                : actButton('hold-rollout', 'Hold …', refused, () => end(visit, rollout, 'hold')),
            actButton('take-back-rollout', 'Take back …', refused,
                () => end(visit, rollout, 'takeBack')),
            actButton('stop-rollout', 'Stop …', refused, () => end(visit, rollout, 'stop')))];
}
