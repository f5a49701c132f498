/**
 * The publishes of a project that wait for their time, for those who publish before.
 */

import {message} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {address} from '../routing/router.js';
import {listScheduled} from '../server/change-requests.js';
import {poll} from '../server/poll.js';
import {count} from '../text/formats.js';
import {readerZone, zonedText} from '../text/time-zones.js';
import {dueTime, inTimeOrder, waitingPart} from './schedule-state.js';

/** Requests of an answer; the server sends at most 50. */
const pageSize = 50;

/** Answers that are read. In a project at most 100 requests wait, and an answer can have fewer. */
const maximumPages = 5;

/** Schedules that a notice names. */
const shownNumber = 3;

/** Milliseconds between readings while the time of one has come. */
const dueInterval = 5000;

/** Milliseconds between other readings, after which what others schedule is shown. */
const lookInterval = 15_000;

/**
 * The requests whose schedule waits, in the order of their times; none if they cannot be read,
 * which must not prevent a publish.
 *
 * @param {string} project
 * @param {AbortSignal} signal
 * @returns {Promise<ChangeRequest[]>}
 */
export async function waitingSchedules(project, signal) {
    /** @type {ChangeRequest[]} */
    const all = [];
    /** @type {string | undefined} */
    let pageToken;
    try {
        for (let page = 0; page < maximumPages; page += 1) {
            const answer = await listScheduled(project,
                {pageSize, pageToken, waiting: 'true'}, signal);
            all.push(...answer.scheduledPublishes);
            pageToken = answer.nextPageToken;
            if (!pageToken) break;
        }
    } catch {
        // Those that were read are named.
    }
    return inTimeOrder(all);
}

/**
 * Reads the requests whose schedule waits, and again at an interval, and when the time of one has
 * come.
 *
 * @param {string} project
 * @param {AbortSignal} signal Ends it.
 * @param {(requests: ChangeRequest[]) => void} show
 * @returns {() => Promise<void>} Reads them again at once.
 */
export function followWaiting(project, signal, show) {
    /** @type {ChangeRequest[]} */
    let waiting = [];
    const read = async () => {
        const before = JSON.stringify(waiting);
        waiting = await waitingSchedules(project, signal);
        if (!signal.aborted && JSON.stringify(waiting) !== before) show(waiting);
    };
    poll(async () => {
        if (waiting.some(({schedule}) => Date.now() >= dueTime(schedule))) await read();
    }, dueInterval, signal);
    poll(read, lookInterval, signal);
    read();
    return read;
}

/** @param {ChangeRequest} request */
function waitingItem({id, title, schedule}) {
    if (!schedule) return null;
    const {at, until, zone, rollout} = schedule;
    const part = waitingPart(schedule);
    const time = part === 'step' && rollout?.nextTime
        ? zonedText(rollout.nextTime, zone ?? readerZone())
        : zonedText((part === 'start' ? at : until) ?? at, zone);
    return h('li', {}, part === 'start' ? 'Change request '
        : part === 'step' ? 'The next step of the rollout ' : 'The end of ',
    h('a', {href: address('change-request', {id})}, `“${title}”`), ` is scheduled for ${time}.`);
}

/**
 * Names what is scheduled in a project; null for nothing.
 *
 * @param {ChangeRequest[]} requests As `waitingSchedules` returns them.
 */
export function waitingNotice(requests) {
    const rest = requests.length - shownNumber;
    return requests.length ? message('info',
        h('p', {}, 'What is scheduled is merged with a publish now, and can conflict with it:'),
        h('ul', {}, requests.slice(0, shownNumber).map(waitingItem)),
        rest > 0 && h('p', {}, h('a', {href: address('change-requests', {state: 'scheduled'})},
            `${count(rest, 'more scheduled publish', 'more scheduled publishes')}`))) : null;
}
