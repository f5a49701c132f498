/**
 * Reads change requests again while a page shows them.
 */

import {isRollingOut} from '../rollouts/rollout-texts.js';
import {dueTime, waitingPart} from '../schedules/schedule-state.js';
import {poll} from '../server/poll.js';
import {isOpen} from './request-texts.js';

/** Milliseconds between readings while the time of one has come. */
const dueInterval = 3000;

/**
 * Calls `read` at an interval for what others do and apps report, and more often while the time of
 * a shown schedule has come.
 *
 * @param {() => (Schedule | undefined)[]} shown
 * @param {number} interval Milliseconds after the last call has ended.
 * @param {AbortSignal} signal Ends it.
 * @param {() => Promise<unknown>} read
 */
export function followRequests(shown, interval, signal, read) {
    poll(async () => {
        if (shown().some((schedule) => Date.now() >= dueTime(schedule))) await read();
    }, dueInterval, signal);
    poll(read, interval, signal);
}

/**
 * True for a request of which something can become new: it is open, or its schedule waits, or its
 * rollout has not ended.
 *
 * @param {Pick<ChangeRequest, 'state' | 'schedule'>} request
 */
export function hasFuture(request) {
    const {schedule} = request;
    return isOpen(request) || waitingPart(schedule) !== null || isRollingOut(schedule);
}
