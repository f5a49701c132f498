/**
 * Reads schedules again while the server acts on them.
 */

import {isRollingOut} from '../rollouts/rollout-texts.js';
import {dueTime} from '../schedules/schedule-state.js';
import {poll} from '../server/poll.js';

/** Milliseconds between readings while the time of one has come. */
const dueInterval = 3000;

/** Milliseconds between readings of a rollout, which what apps report can hold. */
const reportInterval = 15_000;

/**
 * Calls `read` while the time of a shown schedule has come, and for rollouts that have started.
 *
 * @param {() => (Schedule | undefined)[]} shown
 * @param {AbortSignal} signal Ends it.
 * @param {() => unknown} read
 */
export function followSchedules(shown, signal, read) {
    poll(async () => {
        if (shown().some((schedule) => Date.now() >= dueTime(schedule))) read();
    }, dueInterval, signal);
    poll(async () => {
        if (shown().some(isRollingOut)) read();
    }, reportInterval, signal);
}
