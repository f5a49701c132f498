import assert from 'node:assert/strict';
import {test} from 'node:test';

import {instantsOf, isZone, localTime, offsetText, offsetAt, placeOf, timestampIn, zonedText}
    from '../../Sources/Console/Pages/text/time-zones.js';

/** The times of RFC 3339 that a local time means in a zone. */
const meant = (local, zone) => (
    instantsOf(local, zone).instants.map((instant) => timestampIn(instant, zone)));

for (const [local, zone, ...timestamps] of [
    ['2026-12-01T09:00', 'Europe/Berlin', '2026-12-01T09:00:00+01:00'],
    ['2027-07-01T09:00', 'Europe/Berlin', '2027-07-01T09:00:00+02:00'],
    ['2026-12-01T09:00', 'UTC', '2026-12-01T09:00:00+00:00'],
    ['2026-12-01T09:00', 'America/New_York', '2026-12-01T09:00:00-05:00'],
    ['2026-12-01T09:00', 'America/St_Johns', '2026-12-01T09:00:00-03:30'],
    ['2026-12-01T09:00', 'Asia/Kathmandu', '2026-12-01T09:00:00+05:45'],
    ['2026-12-01T09:00', 'Asia/Kolkata', '2026-12-01T09:00:00+05:30'],
    ['2026-12-01T09:00', 'Pacific/Kiritimati', '2026-12-01T09:00:00+14:00'],
    ['2027-01-01T00:00', 'Pacific/Kiritimati', '2027-01-01T00:00:00+14:00'],
    ['2026-12-31T23:59', 'Pacific/Pago_Pago', '2026-12-31T23:59:00-11:00'],
    // Summer at the turn of the year.
    ['2026-12-31T23:30', 'Australia/Sydney', '2026-12-31T23:30:00+11:00'],
    // Just outside of the hours in which the clocks change.
    ['2027-03-28T01:59', 'Europe/Berlin', '2027-03-28T01:59:00+01:00'],
    ['2027-03-28T03:00', 'Europe/Berlin', '2027-03-28T03:00:00+02:00'],
    ['2026-10-25T01:59', 'Europe/Berlin', '2026-10-25T01:59:00+02:00'],
    ['2026-10-25T03:00', 'Europe/Berlin', '2026-10-25T03:00:00+01:00'],
    // Twice.
    ['2026-10-25T02:00', 'Europe/Berlin', '2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T01:30:00-04:00',
        '2026-11-01T01:30:00-05:00'],
    ['2027-04-04T02:30', 'Australia/Sydney', '2027-04-04T02:30:00+11:00',
        '2027-04-04T02:30:00+10:00'],
    // Half an hour.
    ['2027-04-04T01:45', 'Australia/Lord_Howe', '2027-04-04T01:45:00+11:00',
        '2027-04-04T01:45:00+10:30'],
    ['2027-04-04T02:00', 'Australia/Lord_Howe', '2027-04-04T02:00:00+10:30'],
]) {
    test(`${local} in ${zone} means ${timestamps.join(' or ')}`, () => {
        assert.deepEqual(meant(local, zone), timestamps);
        const {instants} = instantsOf(local, zone);
        assert.deepEqual(instants, timestamps.map(Date.parse));
        assert.ok(instants.every((instant) => localTime(instant, zone) === local));
    });
}

for (const [local, zone, next] of [
    ['2027-03-28T02:30', 'Europe/Berlin', '2027-03-28T03:00:00+02:00'],
    ['2027-03-28T02:00', 'Europe/Berlin', '2027-03-28T03:00:00+02:00'],
    ['2027-03-14T02:59', 'America/New_York', '2027-03-14T03:00:00-04:00'],
    ['2026-10-04T02:30', 'Australia/Sydney', '2026-10-04T03:00:00+11:00'],
    ['2026-10-04T02:15', 'Australia/Lord_Howe', '2026-10-04T02:30:00+11:00'],
    ['2026-03-29T00:30', 'Atlantic/Azores', '2026-03-29T01:00:00+00:00'],
    // A whole day.
    ['2011-12-30T12:00', 'Pacific/Apia', '2011-12-31T00:00:00+14:00'],
]) {
    test(`${local} does not exist in ${zone}, and the next time is ${next}`, () => {
        const found = instantsOf(local, zone);
        assert.deepEqual(found.instants, []);
        assert.equal(timestampIn(found.next, zone), next);
    });
}

test('a zone has a place, or is UTC', () => {
    assert.deepEqual(['Europe/Berlin', 'UTC', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires']
        .map(isZone), [true, true, true, true]);
    assert.deepEqual(['', 'CET', 'EST', 'GMT', 'Europe/Nowhere', '+01:00'].map(isZone),
        [false, false, false, false, false, false]);
    assert.equal(placeOf('America/Argentina/Buenos_Aires'), 'Buenos Aires');
    assert.equal(placeOf('UTC'), 'UTC');
});

test('offsets are written with their sign', () => {
    const noon = Date.parse('2026-12-01T12:00:00Z');
    assert.deepEqual(['Asia/Kathmandu', 'America/St_Johns', 'UTC', 'Europe/London']
        .map((zone) => offsetText(offsetAt(noon, zone))), ['+05:45', '-03:30', '+00:00', '+00:00']);
});

for (const [timestamp, zone, reader, text] of [
    ['2026-12-01T09:00:00+01:00', 'Europe/Berlin', 'Europe/Paris', 'D1, 09:00 Berlin (+01:00)'],
    ['2026-12-01T09:00:00+01:00', 'Europe/Berlin', 'Europe/London',
        'D1, 09:00 Berlin (+01:00), 08:00 your time'],
    ['2026-12-01T00:30:00+01:00', 'Europe/Berlin', 'Europe/London',
        'D1, 00:30 Berlin (+01:00), D0, 23:30 your time'],
    // As sent by a program, without a zone.
    ['2026-12-01T09:00:00+01:00', undefined, 'Europe/London',
        'D1, 09:00 (+01:00), 08:00 your time'],
    ['2026-12-01T09:00:00Z', undefined, 'UTC', 'D1, 09:00 (+00:00)'],
    // In the zone, whatever the offset was with which it was sent.
    ['2026-12-01T08:00:00Z', 'Europe/Berlin', 'Europe/Berlin', 'D1, 09:00 Berlin (+01:00)'],
    ['2026-12-01T09:00:00+01:00', 'Mars/Base', 'Europe/Berlin', 'D1, 09:00 (+01:00)'],
]) {
    test(`${timestamp} in ${zone ?? 'no zone'} is shown to a reader in ${reader} as ${text}`, () => {
        const days = {D0: '2026-11-30', D1: '2026-12-01'};
        const format = new Intl.DateTimeFormat(undefined, {weekday: 'short', day: 'numeric',
            month: 'short', year: 'numeric', timeZone: 'UTC'});
        const hour = new Intl.DateTimeFormat(undefined, {timeStyle: 'short', timeZone: 'UTC'});
        const expected = text.replaceAll(/D\d/g, (name) => format.format(new Date(days[name])))
            .replaceAll(/(?<![+\-\d:])\d\d:\d\d(?=[ ,])/g,
                (time) => hour.format(new Date(`2026-01-01T${time}Z`)));
        assert.equal(zonedText(timestamp, zone, reader), expected);
    });
}
