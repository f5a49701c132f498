/**
 * Local times and instants in time zones: what a local time can mean there, and how an instant is
 * written and shown. Instants and offsets are in milliseconds.
 */

import {clockTexts} from './formats.js';

const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;

/**
 * Formats by their time zone.
 *
 * @type {Map<string, Intl.DateTimeFormat>}
 */
const formats = new Map();

/**
 * @param {string} zone
 * @throws RangeError for a zone that the browser does not know.
 */
function formatOf(zone) {
    const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-US', {timeZone: zone,
        hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric',
        minute: 'numeric', second: 'numeric'});
    formats.set(zone, format);
    return format;
}

/**
 * Offset of a time zone from UTC at an instant.
 *
 * @param {number} instant
 * @param {string} zone
 * @throws RangeError for a zone that the browser does not know.
 */
export function offsetAt(instant, zone) {
    const parts = Object.fromEntries(formatOf(zone).formatToParts(instant)
        .map(({type, value}) => [type, Number(value)]));
    return Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute, parts.second)
        - Math.floor(instant / second) * second;
}

/**
 * True for the name of a zone with a place, or UTC. Others, such as CET, name several zones.
 *
 * @param {string} zone
 */
export function isZone(zone) {
    if (zone !== 'UTC' && !zone.includes('/')) return false;
    try {
        return Boolean(formatOf(zone));
    } catch {
        return false;
    }
}

/** The reader's own time zone. */
export function readerZone() {
    return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * Name of the place of a zone, such as "New York".
 *
 * @param {string} zone
 */
export function placeOf(zone) {
    return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
}

/**
 * An offset as RFC 3339 writes it.
 *
 * @param {number} offset
 */
export function offsetText(offset) {
    const minutes = Math.abs(offset) / minute;
    const [hour, rest] = [Math.floor(minutes / 60), Math.floor(minutes % 60)]
        .map((number) => String(number).padStart(2, '0'));
    return `${offset < 0 ? '-' : '+'}${hour}:${rest}`;
}

/**
 * The offset in a time of RFC 3339.
 *
 * @param {string} timestamp
 */
function offsetIn(timestamp) {
    const [, sign, hour, rest] = /([+-])(\d\d):(\d\d)$/.exec(timestamp) ?? [];
    return sign ? (sign === '-' ? -1 : 1) * (Number(hour) * 60 + Number(rest)) * minute : 0;
}

/**
 * Local time at an instant, in the form of a field: `2026-12-01T09:00`.
 *
 * @param {number} instant
 * @param {string} zone
 */
export function localTime(instant, zone) {
    return new Date(instant + offsetAt(instant, zone)).toISOString().slice(0, 16);
}

/**
 * Time of RFC 3339 with the offset that a zone has then.
 *
 * @param {number} instant
 * @param {string} zone
 */
export function timestampIn(instant, zone) {
    const offset = offsetAt(instant, zone);
    return new Date(instant + offset).toISOString().slice(0, 19) + offsetText(offset);
}

/**
 * The instant at which the offset of a zone changes.
 *
 * @param {number} before
 * @param {number} after An instant after the change, and before the next one.
 * @param {string} zone
 */
function changeBetween(before, after, zone) {
    const offset = offsetAt(before, zone);
    let [low, high] = [before, after];
    while (high - low > second) {
        const middle = Math.floor((low + high) / 2 / second) * second;
        if (offsetAt(middle, zone) === offset) low = middle;
        else high = middle;
    }
    return high;
}

/**
 * The instants, in their order, at which the clocks of a zone show a local time: two where the
 * clocks go back over it; none where they go forward over it, with the next instant then.
 *
 * @param {string} local In the form of `localTime`.
 * @param {string} zone
 * @returns {{instants: number[], next?: number}}
 */
export function instantsOf(local, zone) {
    const clocks = Date.parse(`${local}Z`);
    // No offset is longer than a day, so one of these is before a change of the clocks, one after.
    const [before, after] = [clocks - day, clocks + day];
    const instants = [...new Set([before, after].map((near) => clocks - offsetAt(near, zone)))]
        .filter((instant) => instant + offsetAt(instant, zone) === clocks).sort((a, b) => a - b);
    return instants.length ? {instants} : {instants, next: changeBetween(before, after, zone)};
}

/**
 * Day and time of the clocks in a zone, as texts.
 *
 * @param {number} instant
 * @param {string} zone
 */
export function textsIn(instant, zone) {
    return clockTexts(instant + offsetAt(instant, zone));
}

/**
 * A time in its zone with the offset, and the time of the reader where that differs: "Tue 1 Dec
 * 2026, 09:00 Berlin (+01:00), 08:00 your time".
 *
 * @param {string} timestamp Time of RFC 3339, whose own offset counts without a zone.
 * @param {string} [zone]
 * @param {string} [reader] Zone of the reader.
 */
export function zonedText(timestamp, zone, reader = readerZone()) {
    const instant = Date.parse(timestamp);
    const isKnown = zone !== undefined && isZone(zone);
    const offset = isKnown ? offsetAt(instant, zone) : offsetIn(timestamp);
    const [date, time] = clockTexts(instant + offset);
    const place = isKnown ? `${placeOf(zone)} ` : '';
    const [ownDate, ownTime] = textsIn(instant, reader);
    const own = [ownDate !== date && ownDate, ownTime].filter(Boolean).join(', ');
    return `${date}, ${time} ${place}(${offsetText(offset)})`
        + (offset === offsetAt(instant, reader) ? '' : `, ${own} your time`);
}
