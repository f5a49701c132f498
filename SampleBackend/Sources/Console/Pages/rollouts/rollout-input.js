/**
 * What was entered for a rollout, and what it means.
 */

import {timesToSend} from '../schedules/chosen-times.js';
import {percentProblem, rolloutBound} from '../template/percent.js';
import {conditions} from '../template/template.js';
import {count, numberText, quoted} from '../text/formats.js';

/** @typedef {import('../schedules/chosen-times.js').EnteredTimes} EnteredTimes */

/**
 * What was entered for a rollout, mostly the texts of fields; `times` are those of the start.
 *
 * @typedef {{condition: string, percents: string, interval: string, unit: string,
 *     isNow: boolean, times: ?EnteredTimes, maximum: string, minimum: string,
 *     onProblems: 'hold' | 'takeBack'}} EnteredRollout
 *
 * A condition that can be rolled out, with its percentage in the template.
 *
 * @typedef {{name: string, percent: number}} RolloutCondition
 *
 * The condition that is rolled out, or those of a request, one of which is.
 *
 * @typedef {{conditions: RolloutCondition[], isInRequest: boolean}} RolloutTarget
 */

/** Percentages of a rollout, unless others are entered. */
const usualPercents = [1, 5, 25, 50, 100];

const [fewestPercents, mostPercents] = [2, 20];

/**
 * Minutes of the units of an interval, the longest first.
 *
 * @type {[unit: string, minutes: number][]}
 */
const units = [['days', 1440], ['hours', 60], ['minutes', 1]];

/** Minutes between two steps at most, and of all steps. */
const [longestInterval, longestRollout] = [30 * 1440, 60 * 1440];

/** Clients that can be required to report. */
const mostClients = 1_000_000;

/**
 * The conditions of a template that can be rolled out.
 *
 * @param {Template} template
 * @returns {RolloutCondition[]}
 */
export function rolloutConditions(template) {
    return conditions(template).flatMap(({name, expression = ''}) => {
        const percent = rolloutBound(expression);
        return percent === null || percent >= 100 ? [] : [{name, percent}];
    });
}

/**
 * The percentages in a text, separated by commas or spaces.
 *
 * @param {string} text
 * @returns {{percents: number[], problem: string}}
 */
export function percentsIn(text) {
    const parts = text.replaceAll('%', ' ').split(/[\s,;]+/).filter(Boolean);
    const percents = parts.map(Number);
    const wrong = parts.find(percentProblem);
    const rises = percents.every((percent, index) => percent > (percents[index - 1] ?? 0));
    const problem = !parts.length ? 'Enter percentages, such as 1, 5, 25, 50, 100.'
        : wrong !== undefined ? `${quoted([wrong])} is not a number from 0 to 100.`
            : !rises ? 'Each percentage must be above the one before, and the first one above 0.'
                : parts.length < fewestPercents ? 'Enter at least two percentages.'
                    : parts.length > mostPercents ? `Enter at most ${mostPercents} percentages.`
                        : '';
    return {percents: problem ? [] : percents, problem};
}

/**
 * Minutes as a text in the longest unit that has a whole number of them, such as "2 hours".
 *
 * @param {number} minutes
 */
export function intervalText(minutes) {
    const [unit, length] = units.find(([, each]) => minutes % each === 0) ?? ['minutes', 1];
    return count(minutes / length, unit.slice(0, -1));
}

/**
 * The minutes of an interval.
 *
 * @param {Pick<EnteredRollout, 'interval' | 'unit'>} entered
 * @param {number} steps Number of the percentages; 0 if they have a problem.
 * @returns {{minutes: number, problem: string}}
 */
function intervalOf({interval, unit}, steps) {
    const [, length] = units.find(([name]) => name === unit) ?? ['minutes', 1];
    const text = interval.trim();
    const minutes = /^\d{1,9}(\.\d+)?$/.test(text) ? Number(text) * length : 0;
    const problem = minutes < 1 || !Number.isInteger(minutes)
        ? 'Enter a number with at least one minute, and whole minutes.'
        : minutes > longestInterval ? 'At most 30 days are between two steps.'
            : minutes * steps > longestRollout
                ? `All steps take ${intervalText(minutes * steps)}; at most 60 days are possible.`
                : '';
    return {minutes, problem};
}

/**
 * What is wrong with the first percentage, which has to be that of the request, or above the one
 * that is live; empty if nothing is.
 *
 * @param {number | undefined} first
 * @param {RolloutCondition} condition
 * @param {boolean} isInRequest
 */
function firstProblem(first, {name, percent}, isInRequest) {
    if (first === undefined || (isInRequest ? first === percent : first > percent)) return '';
    return isInRequest
        ? `${quoted([name])} is at ${percent}% in this request: begin with ${percent}.`
        : `${quoted([name])} is at ${percent}% now: begin above ${percent}.`;
}

/**
 * What is wrong with the texts that were entered; empty for those that are right.
 *
 * @param {EnteredRollout} entered
 * @param {RolloutTarget} target
 * @returns {Record<'percents' | 'interval' | 'maximum' | 'minimum', string>}
 */
export function rolloutProblems(entered, {conditions: all, isInRequest}) {
    const {percents, problem} = percentsIn(entered.percents);
    const {maximum, minimum} = entered;
    const condition = all.find(({name}) => name === entered.condition);
    return {
        percents: problem || (condition
            ? firstProblem(percents[0], condition, isInRequest) : ''),
        interval: intervalOf(entered, percents.length).problem,
        maximum: maximum.trim() && percentProblem(maximum) ? percentProblem(maximum) ?? '' : '',
        minimum: /^\d{1,7}$/.test(minimum.trim()) && Number(minimum) <= mostClients ? ''
            : `Enter a whole number up to ${numberText(mostClients)}.`,
    };
}

/**
 * What was entered, as a sentence; empty while something is wrong.
 *
 * @param {EnteredRollout} entered
 */
export function rolloutMeaning(entered) {
    const {percents} = percentsIn(entered.percents);
    const {minutes, problem} = intervalOf(entered, percents.length);
    if (!percents.length || problem) return '';
    return `${percents.map((percent) => `${percent}%`).join(', then ')}: ${
        count(percents.length, 'step')}, each ${intervalText(minutes)} after the one before, the `
        + `last one ${intervalText(minutes * (percents.length - 1))} after the first.`;
}

/**
 * What a form begins with.
 *
 * @param {RolloutCondition} condition
 * @param {boolean} isInRequest
 * @returns {EnteredRollout}
 */
export function firstRollout({name, percent}, isInRequest) {
    const later = usualPercents.filter((each) => each > percent);
    const percents = isInRequest ? [percent, ...later]
        : later.length < fewestPercents ? [Math.round(percent + 100) / 2, 100] : later;
    return {condition: name, interval: '1', unit: 'days', isNow: true, times: null, maximum: '1',
        percents: percents.join(', '), minimum: '10', onProblems: 'hold'};
}

/**
 * A rollout as the server takes it; throws an error with the first problem.
 *
 * @param {EnteredRollout} entered
 * @param {RolloutTarget} target
 * @param {number} [now]
 * @returns {SentRollout}
 */
export function rolloutToSend(entered, target, now) {
    const {condition, isNow, times, maximum, minimum, onProblems} = entered;
    const problem = Object.values(rolloutProblems(entered, target)).find(Boolean);
    if (problem) throw new Error(`Nothing was planned. ${problem}`);
    const {percents} = percentsIn(entered.percents);
    const {minutes} = intervalOf(entered, percents.length);
    const start = isNow || !times ? null : timesToSend({...times, hasEnd: false}, now);
    return {condition, percents, intervalMinutes: minutes,
        ...maximum.trim() && {maximumProblemPercent: Number(maximum)},
        minimumClients: Number(minimum), onProblems,
        ...start && {at: start.at, zone: start.zone}};
}
