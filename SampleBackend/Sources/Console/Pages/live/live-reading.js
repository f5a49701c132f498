/**
 * The server's data about the connected apps, and sentences about it.
 */

import {count, numberText, percentText} from '../text/formats.js';

/**
 * Derives what the page shows from a response. `newest` is the highest version in the response or
 * the workspace, `arrived` the number of connections that have it, `share` their share from 0 to 1,
 * and `lastPublish` the users that it changed; null when the server does not know.
 *
 * @param {Connections} connections
 * @param {string} [newestVersion]
 * @returns {Reading}
 */
export function reading({connections, versions, unknown, lastPublish, acknowledgements},
    newestVersion) {
    const known = Object.keys(versions ?? {}).map(Number);
    const newest = String(Math.max(Number(newestVersion ?? 0), ...known, 0));
    const arrived = versions?.[newest] ?? 0;
    return {connections, versions: versions ?? {}, unknown: unknown ?? 0, newest, arrived,
        acknowledgements,
        lastPublish: lastPublish?.version === newest ? lastPublish : null,
        share: connections ? arrived / connections : null};
}

/**
 * The reading as a sentence, for the plot's label and for screen readers.
 *
 * @param {Pick<Reading, 'connections' | 'newest' | 'arrived' | 'share'>} reading
 */
export function sentence({connections, newest, arrived, share}) {
    if (connections === 0) return 'No app is connected now.';
    return `${numberText(arrived)} of ${count(connections, 'connected app')} `
        + `${arrived === 1 ? 'has' : 'have'} version ${newest} (${percentText(share ?? 0)}).`;
}

/**
 * The time that the newest version took to reach the connected apps, as the end of a line.
 *
 * @param {?DeliveryTime} delivery
 */
export function deliveryText(delivery) {
    if (!delivery) return '';
    const {seconds, isComplete} = delivery;
    if (!isComplete) return `, spreading for ${Math.round(seconds)} s`;
    return seconds < 1.5 ? ', reached all within a second or two'
        : `, reached all after ${Math.round(seconds)} s`;
}

/**
 * The users that the newest version changed, among those connected when it was published.
 *
 * @param {?PublishEffect} effect
 */
export function effectText(effect) {
    if (!effect) return '';
    const {users, changed} = effect;
    if (Number(users) === 0) return 'No user was connected when it was published.';
    return `It changed something for ${numberText(changed)} of `
        + `${count(users, 'user')} connected when it was published.`;
}
