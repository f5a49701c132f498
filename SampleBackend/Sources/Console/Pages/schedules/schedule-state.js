/**
 * What of a schedule waits for its time.
 */

/**
 * The part of a schedule that waits; null when nothing more happens by itself. A step of a rollout
 * that is held waits for a person.
 *
 * @param {Schedule} [schedule]
 * @returns {'start' | 'step' | 'end' | null}
 */
export function waitingPart(schedule) {
    if (schedule?.state === 'waiting') return 'start';
    if (schedule?.rollout?.state === 'running') return 'step';
    return schedule?.state === 'published' && schedule.end?.state === 'waiting' ? 'end' : null;
}

/**
 * True for what was not taken back at its end, although nobody cancelled that.
 *
 * @param {Schedule} [schedule]
 */
export function hasFailedEnd(schedule) {
    return schedule?.state === 'published' && !schedule.rollout && schedule.end !== undefined
        && !['waiting', 'published', 'cancelled', 'dropped'].includes(schedule.end.state);
}

/**
 * The time of the part that waits, in milliseconds since 1970; infinity for none.
 *
 * @param {Schedule} [schedule]
 */
export function dueTime(schedule) {
    const part = waitingPart(schedule);
    if (!schedule || !part) return Infinity;
    const times = {start: schedule.time, step: schedule.rollout?.nextTime,
        end: schedule.untilTime};
    return Date.parse(times[part] ?? '');
}

/**
 * Requests whose schedule waits, in the order of their times.
 *
 * @template {{schedule?: Schedule}} Request
 * @param {Request[]} requests
 */
export function inTimeOrder(requests) {
    return requests.filter(({schedule}) => waitingPart(schedule))
        .sort((a, b) => dueTime(a.schedule) - dueTime(b.schedule));
}
