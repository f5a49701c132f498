/**
 * The time of a preview of the past: in the reader's time zone in the form, in UTC in addresses and
 * for the server.
 */

/** @param {number} number */
const twoDigits = (number) => String(number).padStart(2, '0');

/**
 * Time as the text of a `datetime-local` field, in the reader's time zone; empty for none.
 *
 * @param {?string} [timestamp]
 */
export function fieldText(timestamp) {
    const time = new Date(timestamp ?? NaN);
    if (Number.isNaN(time.getTime())) return '';
    const date = [String(time.getFullYear()).padStart(4, '0'), twoDigits(time.getMonth() + 1),
        twoDigits(time.getDate())].join('-');
    const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':');
    const fraction = time.getMilliseconds();
    return `${date}T${clock}${fraction ? `.${String(fraction).padStart(3, '0')}` : ''}`;
}

/**
 * The `step` of the field, in seconds: the time of a version has milliseconds.
 *
 * @param {string} text
 */
export function stepOf(text) {
    return text.includes('.') ? '0.001' : '1';
}

/**
 * The time that a field's text names, in UTC; null for an empty or unfinished one.
 *
 * @param {string} text
 * @param {?string} [given] The time that the field had. When clocks are set back, one text names
 *     two times: an unchanged text names this one.
 */
export function timeOf(text, given = null) {
    if (given && text && text === fieldText(given)) return new Date(given).toISOString();
    const time = new Date(/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? text : NaN);
    return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/**
 * Time in UTC, to the second: 2026-01-31 11:00:00 UTC.
 *
 * @param {string} timestamp
 */
export function utcText(timestamp) {
    return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)} UTC`;
}

/**
 * Note on the field: the time in UTC, and whether it has not come yet.
 *
 * @param {?string} timestamp
 * @param {number} [now]
 */
export function timeNote(timestamp, now = Date.now()) {
    if (!timestamp) return '';
    return utcText(timestamp) + (new Date(timestamp).getTime() > now
        ? ': this is in the future. Choose an earlier time.' : '');
}

/** Name of the reader's time zone. */
export function zoneName() {
    return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
