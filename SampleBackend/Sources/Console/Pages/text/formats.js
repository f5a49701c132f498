/**
 * Numbers, times and names in texts, in the language of the page: the digits and words of another
 * one make no sentence with it.
 */

/** Language of the page, in the browser's variant if it has one, such as British English. */
function language() {
    const {lang} = globalThis.document?.documentElement ?? {};
    return lang && (globalThis.navigator?.languages?.find((name) => name.split('-')[0] === lang)
        ?? lang);
}

const locale = language() || undefined;
/** 12 or 24 hours, as the browser's user is used to. */
const {hourCycle} = new Intl.DateTimeFormat(undefined, {timeStyle: 'short'}).resolvedOptions();
const number = new Intl.NumberFormat(locale);
const percent = new Intl.NumberFormat(locale, {style: 'percent', maximumFractionDigits: 1});
const date = new Intl.DateTimeFormat(locale, {dateStyle: 'medium', timeStyle: 'short', hourCycle});
const exact = new Intl.DateTimeFormat(locale, {dateStyle: 'medium', timeStyle: 'long', hourCycle});
/** Of clocks whose time is given as that of UTC. */
const clock = {
    day: new Intl.DateTimeFormat(locale, {weekday: 'short', day: 'numeric', month: 'short',
        year: 'numeric', timeZone: 'UTC'}),
    time: new Intl.DateTimeFormat(locale, {timeStyle: 'short', hourCycle, timeZone: 'UTC'}),
};
const relative = new Intl.RelativeTimeFormat(locale, {numeric: 'auto', style: 'narrow'});

/** @type {[unit: Intl.RelativeTimeFormatUnit, seconds: number][]} */
const units = [['year', 31536000], ['month', 2592000], ['day', 86400], ['hour', 3600],
    ['minute', 60]];

/**
 * A number with the separators of the language; the server sends large ones as strings.
 *
 * @param {number | string} value
 */
export function numberText(value) {
    return number.format(Number(value));
}

/**
 * Number with its noun: "1 setting", "3 settings".
 *
 * @param {number | string} value
 * @param {string} thing
 * @param {string} [things]
 */
export function count(value, thing, things = `${thing}s`) {
    return `${numberText(value)} ${Number(value) === 1 ? thing : things}`;
}

/**
 * A share from 0 to 1 as a percentage with at most one decimal.
 *
 * @param {number} share
 */
export function percentText(share) {
    return percent.format(share);
}

/**
 * Date and time in the browser's time zone.
 *
 * @param {string} timestamp
 */
export function dateText(timestamp) {
    return date.format(new Date(timestamp));
}

/**
 * Date, time with seconds, and time zone, for tooltips.
 *
 * @param {string} timestamp
 */
export function exactDateText(timestamp) {
    return exact.format(new Date(timestamp));
}

/**
 * Day and time that clocks show, such as "Tue 1 Dec 2026" and "09:00".
 *
 * @param {number} time Milliseconds since 1970 by these clocks.
 */
export function clockTexts(time) {
    return [clock.day.format(time), clock.time.format(time)];
}

/**
 * A text of the server with its timestamps in the browser's time zone.
 *
 * @param {string} text
 */
export function withLocalTimes(text) {
    return text.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, dateText);
}

/**
 * Elapsed time in one unit, such as "3d ago"; "now" within the first minute.
 *
 * @param {string} timestamp
 * @param {number} [now]
 */
export function relativeTime(timestamp, now = Date.now()) {
    const seconds = Math.max(0, (now - new Date(timestamp).getTime()) / 1000);
    /** @type {[unit: Intl.RelativeTimeFormatUnit, length: number]} */
    const [unit, length] = units.find(([, limit]) => seconds >= limit) ?? ['second', Infinity];
    return relative.format(-Math.floor(seconds / length), unit);
}

/**
 * A version within a sentence; 0 is the state before the first one.
 *
 * @param {string} versionNumber
 */
export function versionText(versionNumber) {
    return versionNumber === '0' ? 'the empty project' : `version ${versionNumber}`;
}

/**
 * A text with a capital first letter.
 *
 * @param {string} text
 */
export function capitalized(text) {
    return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Names in quotation marks: “Beta”, “Old apps”.
 *
 * @param {string[]} names
 */
export function quoted(names) {
    return names.map((name) => `“${name}”`).join(', ');
}
