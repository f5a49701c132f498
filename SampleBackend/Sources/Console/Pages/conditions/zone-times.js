/**
 * What a time with its time zone is to the reader.
 */

import {exactDateText} from '../text/formats.js';

/**
 * Milliseconds from UTC to the clocks of a time zone.
 *
 * @param {number} time
 * @param {string} zone
 */
function offset(time, zone) {
    const format = new Intl.DateTimeFormat('en-US', {timeZone: zone, hourCycle: 'h23',
        year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric',
        second: 'numeric'});
    const parts = Object.fromEntries(format.formatToParts(time)
        .map(({type, value}) => [type, Number(value)]));
    const {year, month, day, hour, minute, second} = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second)
        - Math.floor(time / 1000) * 1000;
}

/**
 * Sentences about the time of a rule: a time zone whose name has no place, and the time in the
 * reader's own zone; empty for an unfinished time.
 *
 * @param {string[]} values Time and time zone of a rule.
 */
export function zoneHint([time = '', zone = '']) {
    if (zone && !zone.includes('/') && !['UTC', 'GMT'].includes(zone)) {
        return `“${zone}” names several zones, or one without summer time: choose one with a `
            + 'place, such as Europe/London.';
    }
    const clocks = Date.parse(`${time}Z`);
    if (Number.isNaN(clocks)) return '';
    try {
        const name = zone || 'UTC';
        // Twice, since the first offset is that of another time, maybe across a change of clocks.
        const near = clocks - offset(clocks, name);
        const date = clocks - offset(near, name);
        return `In your time zone: ${exactDateText(new Date(date).toISOString())}.`;
    } catch {
        // The server knows more zones than the browser.
        return '';
    }
}
