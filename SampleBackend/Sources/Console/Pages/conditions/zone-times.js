/**
 * What a time with its time zone is to the reader.
 */

import {exactDateText} from '../text/formats.js';
import {offsetAt} from '../text/time-zones.js';

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
        const near = clocks - offsetAt(clocks, name);
        const date = clocks - offsetAt(near, name);
        return `In your time zone: ${exactDateText(new Date(date).toISOString())}.`;
    } catch {
        // The server knows more zones than the browser.
        return '';
    }
}
