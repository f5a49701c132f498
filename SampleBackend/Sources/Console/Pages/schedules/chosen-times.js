/**
 * What was entered for the times of a schedule, and what it means in its time zone.
 */

import {clockTexts} from '../text/formats.js';
import {instantsOf, isZone, localTime, offsetAt, offsetText, placeOf, readerZone, textsIn,
    timestampIn, zonedText} from '../text/time-zones.js';

/**
 * A time as it was entered: the value of a field, and the offset that was chosen for a time that
 * comes twice.
 *
 * @typedef {{local: string, offset?: string}} EnteredTime
 *
 * What was entered for a schedule. `end` stays while `hasEnd` is false.
 *
 * @typedef {{start: EnteredTime, end: EnteredTime, hasEnd: boolean, zone: string}} EnteredTimes
 *
 * An entered time: its instant and text, the `choices` for one that comes twice, or a problem.
 *
 * @typedef {{problem: string, choices: Choice[], instant?: number, timestamp?: string}} ChosenTime
 */

/** Milliseconds for which a publish can be scheduled ahead. */
const horizon = 2 * 366 * 86_400_000;

/** Milliseconds between start and end at least. */
const shortest = 60_000;

/**
 * @param {EnteredTime} entered
 * @param {string} zone
 * @returns {ChosenTime}
 */
function chosen({local, offset}, zone) {
    /** @param {string} problem @param {Choice[]} [choices] */
    const refused = (problem, choices = []) => ({problem, choices});
    if (Number.isNaN(Date.parse(`${local}Z`))) return refused('Enter a date and a time.');
    const {instants, next} = instantsOf(local, zone);
    const [, time] = clockTexts(Date.parse(`${local}Z`));
    const clocks = `the clocks in ${placeOf(zone)}`;
    if (next !== undefined) {
        return refused(`${time} does not exist on that day, when ${clocks} go forward: the next `
            + `time is ${textsIn(next, zone).join(', ')}.`);
    }
    const offsets = instants.map((instant) => offsetText(offsetAt(instant, zone)));
    /** @type {Choice[]} */
    const choices = offsets.length < 2 ? [] : offsets.map((text, index) => (
        [text, `${time} (${text}), ${index === 0 ? 'before' : 'after'} the clocks go back`]));
    const index = choices.length ? offsets.indexOf(offset ?? '') : 0;
    if (index < 0) {
        return refused(`${time} comes twice on that day, when ${clocks} go back: choose one.`,
            choices);
    }
    return {problem: '', choices, instant: instants[index],
        timestamp: timestampIn(instants[index], zone)};
}

/**
 * @param {ChosenTime} time
 * @param {number} now
 * @returns {ChosenTime}
 */
function inFuture(time, now) {
    if (time.instant === undefined) return time;
    if (time.instant <= now) return {...time, problem: 'This time has passed.'};
    return time.instant - now <= horizon ? time
        : {...time, problem: 'A publish is scheduled at most two years ahead.'};
}

/**
 * The chosen times; each has a problem, or an empty one.
 *
 * @param {EnteredTimes} entered
 * @param {number} [now]
 * @returns {{start: ChosenTime, end: ?ChosenTime, zoneProblem: string}}
 */
export function chosenTimes({start, end, hasEnd, zone}, now = Date.now()) {
    if (!isZone(zone)) {
        const none = {problem: '', choices: []};
        return {start: none, end: hasEnd ? none : null,
            zoneProblem: 'Name a time zone with a place, such as Europe/Berlin, or UTC.'};
    }
    const first = inFuture(chosen(start, zone), now);
    if (!hasEnd) return {start: first, end: null, zoneProblem: ''};
    const last = inFuture(chosen(end, zone), now);
    const isEarly = !last.problem && first.instant !== undefined
        && (last.instant ?? 0) - first.instant < shortest;
    return {start: first, zoneProblem: '',
        end: isEarly ? {...last, problem: 'The end must be later than the start.'} : last};
}

/**
 * Another end for what was published; it has a problem, or an empty one.
 *
 * @param {EnteredTime} entered
 * @param {string} zone
 * @param {number} [now]
 */
export function chosenEnd(entered, zone, now = Date.now()) {
    return inFuture(chosen(entered, zone), now);
}

/**
 * The times as the server takes them; throws an error with the first problem.
 *
 * @param {EnteredTimes} entered
 * @param {number} [now]
 * @returns {ScheduleTimes}
 */
export function timesToSend(entered, now) {
    const {start, end, zoneProblem} = chosenTimes(entered, now);
    const problem = zoneProblem || start.problem || end?.problem;
    if (problem || !start.timestamp) throw new Error(`Nothing was scheduled. ${problem}`);
    return {at: start.timestamp, until: end?.timestamp ?? null, zone: entered.zone};
}

/**
 * What a form begins with: the times of a schedule, or nine o'clock tomorrow.
 *
 * @param {string} zone Zone of the reader.
 * @param {Schedule} [schedule]
 * @param {number} [now]
 * @returns {EnteredTimes}
 */
export function firstTimes(zone, schedule, now = Date.now()) {
    const own = schedule?.zone && isZone(schedule.zone) ? schedule.zone : zone;
    /** @param {string} time @returns {EnteredTime} */
    const entered = (time) => {
        const instant = Date.parse(time);
        return {local: localTime(instant, own), offset: offsetText(offsetAt(instant, own))};
    };
    if (schedule && isZone(own)) {
        return {start: entered(schedule.time), zone: own,
            hasEnd: schedule.untilTime !== undefined,
            end: schedule.untilTime === undefined ? {local: ''} : entered(schedule.untilTime)};
    }
    const tomorrow = localTime(now + 86_400_000, isZone(zone) ? zone : readerZone()).slice(0, 10);
    return {start: {local: `${tomorrow}T09:00`}, end: {local: ''}, hasEnd: false, zone};
}

/**
 * Times as a sentence has them: the start, and the end if there is one.
 *
 * @param {{at: string, until?: ?string, zone?: string}} times
 */
export function timesText({at, until, zone}) {
    return `${zonedText(at, zone)}${until ? `, until ${zonedText(until, zone)}` : ''}`;
}
