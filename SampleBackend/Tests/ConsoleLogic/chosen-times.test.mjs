import assert from 'node:assert/strict';
import {test} from 'node:test';

import {chosenEnd, chosenTimes, firstTimes, timesToSend}
    from '../../Sources/Console/Pages/schedules/chosen-times.js';
import {dueTime, inTimeOrder, waitingPart}
    from '../../Sources/Console/Pages/schedules/schedule-state.js';

const now = Date.parse('2026-10-01T12:00:00Z');
const zone = 'Europe/Berlin';

/** What was entered for a start, and for an end unless it is empty. */
const entered = (start, end = '', more = {}) => ({start: {local: start}, end: {local: end},
    hasEnd: end !== '', zone, ...more});

test('times are sent with the offsets of their days', () => {
    assert.deepEqual(timesToSend(entered('2026-10-24T09:00'), now),
        {at: '2026-10-24T09:00:00+02:00', until: null, zone});
    assert.deepEqual(timesToSend(entered('2026-10-24T09:00', '2026-10-26T09:00'), now),
        {at: '2026-10-24T09:00:00+02:00', until: '2026-10-26T09:00:00+01:00', zone});
    assert.deepEqual(timesToSend({...entered('2026-12-31T23:30', '2027-01-01T00:30'),
        zone: 'UTC'}, now), {at: '2026-12-31T23:30:00+00:00',
        until: '2027-01-01T00:30:00+00:00', zone: 'UTC'});
});

test('another end is a time in the future', () => {
    assert.equal(chosenEnd({local: '2026-10-26T09:00'}, zone, now).timestamp,
        '2026-10-26T09:00:00+01:00');
    assert.equal(chosenEnd({local: '2026-10-26T09:00'}, zone, now).problem, '');
    assert.match(chosenEnd({local: '2026-10-01T13:00'}, zone, now).problem, /has passed/);
    assert.match(chosenEnd({local: ''}, zone, now).problem, /Enter a date/);
});

for (const [name, times, problem] of [
    ['no time', entered(''), /Enter a date and a time/],
    ['a time that has passed', entered('2026-10-01T13:00'), /has passed/],
    ['a time in three years', entered('2029-10-01T13:00'), /two years/],
    ['an end at the start', entered('2026-10-24T09:00', '2026-10-24T09:00'), /later than/],
    ['an end without a time', entered('2026-10-24T09:00', '', {hasEnd: true}), /Enter a date/],
    ['a zone without a place', entered('2026-10-24T09:00', '', {zone: 'CET'}), /Name a time zone/],
    ['a time that comes twice', entered('2026-10-25T02:30'), /comes twice .* Berlin go back/],
    ['an end that comes twice', entered('2026-10-24T02:30', '2026-10-25T02:30'), /comes twice/],
    ['a time that does not exist', entered('2027-03-28T02:30'),
        /does not exist .* Berlin go forward: the next time is .*28.*(03:00|3:00)/],
]) {
    test(`${name} is not sent`, () => assert.throws(() => timesToSend(times, now),
        ({message}) => message.startsWith('Nothing was scheduled. ') && problem.test(message)));
}

test('of a time that comes twice, one is chosen by its offset', () => {
    const start = {local: '2026-10-25T02:30'};
    const {problem, choices} = chosenTimes({...entered(''), start}, now).start;
    assert.match(problem, /comes twice/);
    assert.deepEqual(choices.map(([offset]) => offset), ['+02:00', '+01:00']);
    assert.match(choices[0][1], /30.*\(\+02:00\), before the clocks go back/);
    for (const offset of ['+02:00', '+01:00']) {
        assert.equal(timesToSend({...entered(''), start: {...start, offset}}, now).at,
            `2026-10-25T02:30:00${offset}`);
    }
    // Chosen for another day.
    assert.equal(timesToSend({...entered(''), start: {local: '2026-10-24T02:30',
        offset: '+01:00'}}, now).at, '2026-10-24T02:30:00+02:00');
});

test('start and end can be the same local time, of the two', () => {
    const times = {...entered(''), hasEnd: true, start: {local: '2026-10-25T02:30',
        offset: '+02:00'}, end: {local: '2026-10-25T02:30', offset: '+01:00'}};
    assert.equal(timesToSend(times, now).until, '2026-10-25T02:30:00+01:00');
    assert.throws(() => timesToSend({...times, start: times.end, end: times.start}, now),
        /later than/);
});

test('a form begins tomorrow at nine, or with what is scheduled', () => {
    assert.deepEqual(firstTimes(zone, undefined, now),
        {start: {local: '2026-10-02T09:00'}, end: {local: ''}, hasEnd: false, zone});
    const schedule = {at: '2026-10-25T01:30:00Z', time: '2026-10-25T01:30:00Z',
        state: 'waiting', untilTime: '2026-12-31T23:30:00Z', zone};
    assert.deepEqual(firstTimes('Asia/Tokyo', schedule, now), {zone, hasEnd: true,
        start: {local: '2026-10-25T02:30', offset: '+01:00'},
        end: {local: '2027-01-01T00:30', offset: '+01:00'}});
    assert.equal(timesToSend(firstTimes('Asia/Tokyo', schedule, now), now).at,
        '2026-10-25T02:30:00+01:00');
    const {zone: own, start} = firstTimes('Asia/Tokyo', {...schedule, zone: undefined}, now);
    assert.deepEqual([own, start.local], ['Asia/Tokyo', '2026-10-25T10:30']);
    const unknown = firstTimes(zone, {...schedule, zone: 'Mars/Base'}, now);
    assert.deepEqual([unknown.zone, unknown.start.local], [zone, '2026-10-25T02:30']);
});

test('what waits is the start, then the end of what was published', () => {
    const schedule = {at: '', time: '2026-12-01T08:00:00Z', untilTime: '2026-12-02T08:00:00Z'};
    const end = {state: 'waiting'};
    assert.equal(waitingPart(undefined), null);
    assert.equal(waitingPart({...schedule, state: 'waiting', end}), 'start');
    assert.equal(waitingPart({...schedule, state: 'published', end}), 'end');
    assert.equal(waitingPart({...schedule, state: 'published', end: {state: 'published'}}), null);
    assert.equal(waitingPart({...schedule, state: 'missed', end: {state: 'dropped'}}), null);
    assert.equal(dueTime({...schedule, state: 'published', end}), Date.parse(schedule.untilTime));
    assert.equal(dueTime(undefined), Infinity);
    const later = {id: 'later', schedule: {...schedule, state: 'published', end}};
    const next = {id: 'next', schedule: {...schedule, state: 'waiting'}};
    assert.deepEqual(inTimeOrder([later, {id: 'none'}, {id: 'past',
        schedule: {...schedule, state: 'missed'}}, next]).map(({id}) => id), ['next', 'later']);
});
