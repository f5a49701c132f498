/**
 * How a rollout is described: how far it is, what comes next, and what acts on it do.
 */

import {count, quoted, withLocalTimes} from '../text/formats.js';
import {readerZone, zonedText} from '../text/time-zones.js';
import {intervalText} from './rollout-input.js';

/**
 * A line of the table of steps.
 *
 * @typedef {{percent: number, time: string, state: string, kind: string,
 *     versionNumber?: string}} StepLine `time` is empty for a step that has no time yet.
 */

/** @type {Record<string, [text: string, kind: string]>} */
const states = {
    waiting: ['Waits for its start', ''],
    running: ['Rolling out', 'good'],
    held: ['Held', 'bad'],
    completed: ['Rolled out', ''],
    stopped: ['Stopped', ''],
};

/** @type {Record<string, [text: string, kind: string]>} */
const results = {
    good: ['Good', 'good'],
    waiting: ['Waits for reports', ''],
    worse: ['Worse', 'bad'],
};

/**
 * Text and kind of the badge of a rollout; a state that this console does not know is shown as it
 * is.
 *
 * @param {Pick<Rollout, 'state'>} rollout
 * @returns {[text: string, kind: string]}
 */
export function rolloutBadge({state}) {
    return states[state] ?? [state, ''];
}

/**
 * Text and kind of the badge for what apps report.
 *
 * @param {Pick<RolloutCheck, 'result'>} check
 * @returns {[text: string, kind: string]}
 */
export function checkBadge({result}) {
    return results[result] ?? [result, ''];
}

/**
 * True while a further step can come.
 *
 * @param {Schedule} [schedule]
 */
export function isRollingOut(schedule) {
    return ['running', 'held'].includes(schedule?.rollout?.state ?? '');
}

/**
 * A time of a rollout, in the zone of its schedule or that of the reader.
 *
 * @param {string} time
 * @param {string} [zone]
 */
export function stepTime(time, zone) {
    return zonedText(time, zone ?? readerZone());
}

/**
 * What is planned, as a sentence.
 *
 * @param {RolloutPlan} plan
 */
export function planText({condition, percents, intervalMinutes}) {
    return `${quoted([condition])} goes to ${percents.map((percent) => `${percent}%`).join(', ')}, `
        + `${intervalText(intervalMinutes)} after each other.`;
}

/**
 * What is asked before each step, as a sentence.
 *
 * @param {RolloutPlan} plan
 */
export function boundText(plan) {
    const {maximumProblemPercent: problems, maximumLostStreamPercent: streams, minimumClients = 0,
        onProblems} = plan;
    // Numbers that the server writes as 1.0 are not read as JavaScript's.
    const bounds = [
        problems !== undefined
            && `more than ${Number(problems)}% of the apps that it reaches report new problems`,
        streams !== undefined && `more than ${Number(streams)}% of the connections break`,
    ].filter(Boolean).join(', or ');
    const response = onProblems === 'takeBack' ? 'the last step is taken back, and it is held'
        : 'it is held';
    return (bounds ? `If ${bounds}, ${response}.` : 'Problems that apps report do not hold it.')
        + (minimumClients ? ` Each step waits up to an hour for reports of ${
            count(minimumClients, 'app')}.` : '');
}

/** @param {string} [reason] */
const because = (reason) => (reason ? ` ${withLocalTimes(reason)}` : '');

/**
 * How far a rollout is that has started, and what comes next, as sentences.
 *
 * @param {Rollout} rollout
 * @param {string} [zone] Zone of its schedule.
 * @returns {string[]}
 */
export function rolloutTexts(rollout, zone) {
    const {condition, percents, state, percent, nextPercent, nextTime, reason,
        takenBackVersionNumber: takenBack} = rollout;
    const name = quoted([condition]);
    const place = `step ${percents.indexOf(percent ?? -1) + 1} of ${percents.length}`;
    const time = nextTime ? `: ${stepTime(nextTime, zone)}` : '';
    switch (state) {
    case 'running':
        return [`${name} is at ${percent}%, ${place}.`, nextPercent === undefined
            ? `This is the last step. The rollout ends when apps report no problems${time}.`
            : `Next step to ${nextPercent}%${time}.`];
    case 'held':
        return [`${name} is held at ${percent}%, ${place}.${because(reason)}`,
            nextPercent === undefined ? 'It ends when somebody resumes it.'
                : `It goes on to ${nextPercent}% when somebody resumes it.`];
    case 'completed':
        return [`${name} is at ${percent ?? percents.at(-1)}%: the rollout is complete.`];
    case 'stopped':
        return [`The rollout of ${name} was stopped${
            takenBack ? `, and taken back as version ${takenBack}`
                : percent === undefined ? '' : ` at ${percent}%`}.${because(reason)}`];
    default:
        return [];
    }
}

/**
 * What is new in a rollout, as sentences.
 *
 * @param {Rollout} [before]
 * @param {Rollout} [now]
 * @param {string} [zone]
 */
export function rolloutNews(before, now, zone) {
    if (!now) return [];
    /** @param {Rollout} [rollout] */
    const shown = (rollout) => rollout && JSON.stringify([rollout.state, rollout.percent,
        rollout.reason, rollout.nextPercent]);
    return shown(before) === shown(now) ? [] : rolloutTexts(now, zone);
}

/**
 * The steps as the table has them: those that were published, then the others, which have times
 * while it waits or runs.
 *
 * @param {Rollout} rollout
 * @returns {StepLine[]}
 */
export function stepLines({steps, state, percent, percents, takenBackVersionNumber}) {
    const done = steps.filter(({versionNumber}) => versionNumber !== undefined);
    const planned = steps.slice(done.length);
    const rest = planned.length ? [] : percents.slice(percents.indexOf(percent ?? -1) + 1);
    return [
        ...done.map(({percent: own, time, versionNumber, isTakenBack}, index) => {
            const isLive = index === done.length - 1 && takenBackVersionNumber === undefined;
            const text = isTakenBack ? `Taken back to this${isLive ? ', live' : ''}`
                : isLive ? 'Live' : 'Published';
            return {percent: own, time, versionNumber, state: text,
                kind: isTakenBack ? 'changed' : isLive ? 'good' : ''};
        }),
        ...planned.map(({percent: own, time}, index) => ({percent: own, time, kind: '',
            state: index === 0 && state === 'running' ? 'Next' : 'Planned'})),
        ...rest.map((own) => ({percent: own, time: '', kind: '',
            state: state === 'held' ? 'When resumed' : 'Not published'})),
    ];
}

/**
 * The percentage before the one that is live; undefined for the first one.
 *
 * @param {Pick<Rollout, 'percents' | 'percent'>} rollout
 */
export function earlierPercent({percents, percent = 0}) {
    return percents[percents.indexOf(percent) - 1];
}

/**
 * What an act does, as a sentence of its dialog.
 *
 * @param {'hold' | 'resume' | 'takeBack' | 'stop'} act
 * @param {Rollout} rollout
 */
export function actText(act, rollout) {
    const {condition, percent, nextPercent} = rollout;
    const name = quoted([condition]);
    const earlier = earlierPercent(rollout);
    switch (act) {
    case 'hold':
        return `${name} stays at ${percent}%, and no further step is published until somebody `
            + 'resumes it.';
    case 'resume':
        return nextPercent === undefined
            ? 'The server ends the rollout when that was planned, if what apps report is good.'
            : `The server publishes ${nextPercent}% when that was planned, or now if that time is `
                + 'over, if what apps report is good. The steps after it follow. When people '
                + 'approved the plan, the choices below need the permission to bypass approvals.';
    case 'takeBack':
        return earlier === undefined
            ? 'This is the first step: what the rollout published is taken back, except what was '
                + 'changed since, and the rollout is stopped.'
            : `${name} goes from ${percent}% back to ${earlier}%, and the rollout is held: those `
                + `above ${earlier}% get what they had before.`;
    default:
        return `${name} stays at ${percent}%. No further step is published, and a stopped rollout `
            + 'cannot be resumed.';
    }
}
