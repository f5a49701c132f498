/**
 * The server's data about the use of apps and settings, and sentences about it.
 */

import {count, numberText, percentText} from '../text/formats.js';

/** Maximum number of settings that the page lists. */
export const mostShown = 500;

/**
 * Name of the receiver of templates.
 *
 * @param {UsedApp} app
 */
export function appName({kind, id}) {
    if (kind === 'SERVICE') return 'Services that evaluate users';
    if (kind === 'OTHER') return 'Other apps';
    return id ?? 'Unknown app';
}

/**
 * The share of clients with the newest version as a sentence.
 *
 * @param {?ClientShare} [share]
 */
export function shareText(share) {
    if (!share || !share.clients) return 'No client is known.';
    const {version, clients, current} = share;
    return `${numberText(current)} of ${count(clients, 'known client')} `
        + `${current === 1 ? 'has' : 'have'} version ${version} `
        + `(${percentText(current / clients)}).`;
}

/**
 * The text in place of the plot.
 *
 * @param {DayShare[]} shares Oldest first.
 */
export function plotText(shares) {
    if (!shares.length) return 'No share was measured yet.';
    const [first, last] = [shares[0], shares[shares.length - 1]];
    const percents = shares.map(({clients, current}) => (clients ? current / clients : 0));
    return `Share of clients with the newest version on ${count(shares.length, 'day')}, `
        + `${first.date} to ${last.date}: from ${percentText(percents[0])} to `
        + `${percentText(percents[percents.length - 1])}, `
        + `lowest ${percentText(Math.min(...percents))}.`;
}

/** @param {string} date A day, as `2026-11-29`. */
function dayNumber(date) {
    return Date.parse(`${date}T00:00:00Z`) / 86_400_000;
}

/**
 * Points of the plot from 0 to 1 in both directions; the first day is 0, the last one 1. Days
 * without a share leave gaps.
 *
 * @param {DayShare[]} shares Oldest first.
 * @returns {{x: number, y: number, isAfterGap: boolean}[]}
 */
export function plotPoints(shares) {
    if (!shares.length) return [];
    const days = shares.map(({date}) => dayNumber(date));
    const [first, last] = [days[0], days[days.length - 1]];
    return shares.map(({clients, current}, index) => ({
        x: last === first ? 1 : (days[index] - first) / (last - first),
        y: clients ? current / clients : 0,
        isAfterGap: index > 0 && days[index] - days[index - 1] > 1}));
}

/**
 * The settings that match a filter and words.
 *
 * @param {SettingUse[]} settings
 * @param {{filter: string, text: string}} wanted The filter is `stale` or empty.
 */
export function matching(settings, {filter, text}) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return settings.filter(({section, key, stale}) => {
        const name = `${section}.${key}`.toLowerCase();
        return (filter !== 'stale' || stale) && words.every((word) => name.includes(word));
    });
}

/**
 * The last delivery in words.
 *
 * @param {SettingUse} setting
 */
export function deliveredText({delivered, use}) {
    if (delivered) return delivered;
    return use === 'unknown' || use === 'archived' ? 'unknown' : 'not delivered';
}

/**
 * Since when everybody gets the same value, in words; empty when it depends on the app or the user.
 *
 * @param {SettingUse} setting
 */
export function sameText({sameForEverybodySince: since}) {
    if (!since) return '';
    return since.atLeast ? `at least ${since.date}` : since.date;
}

/**
 * The number of stale settings as a sentence.
 *
 * @param {number} staleCount
 * @param {{unusedDays: number, sameDays: number}} thresholds
 */
export function staleText(staleCount, {unusedDays, sameDays}) {
    const number = staleCount ? `${count(staleCount, 'setting')} may no longer be needed.`
        : 'No setting is stale.';
    return `${number} A setting is stale when it was neither delivered nor read for `
        + `${unusedDays} days, or when everybody has had the same value for ${sameDays} days `
        + 'and no client is known to read it.';
}
