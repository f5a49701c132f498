/**
 * The arrival of a just published version at the connected apps.
 */

import {h} from '../controls/dom.js';
import {call, projectPath} from '../server/api.js';
import {poll} from '../server/poll.js';
import {count, numberText} from '../text/formats.js';

/** Milliseconds between two queries of the connected clients. */
const interval = 1000;

/** Seconds of counting, during which a publish can be undone; later, the history page can do it. */
const lifetime = 60;

/**
 * Number of connected clients, and of those that have a version.
 *
 * @param {string} project
 * @param {string} versionNumber
 * @param {AbortSignal} signal
 */
export async function arrival(project, versionNumber, signal) {
    const {body} = await call('GET', projectPath(project, 'connections'), {signal});
    const versions = Object.entries(body.versions);
    const has = versions.filter(([number]) => Number(number) >= Number(versionNumber))
        .reduce((sum, [, clients]) => sum + Number(clients), 0);
    return {all: Number(body.connections), has};
}

/**
 * What the connected apps have of a version that was just published.
 *
 * @param {number} all Their number.
 * @param {number} has Number of those that have it.
 */
export function arrivalText(all, has) {
    if (all === 0) return 'No app is connected: apps get it with their next request.';
    if (has === 0) {
        return all === 1 ? 'The connected app does not have it yet.'
            : `None of the ${count(all, 'connected app')} has it yet.`;
    }
    return `${numberText(has)} of ${count(all, 'connected app')} ${has === 1 ? 'has' : 'have'} it`
        + (has < all ? ' so far.' : '.');
}

/**
 * Sentence with the number of connected apps that have a version; updated every second for a
 * minute, or until it leaves the page.
 *
 * @param {string} project Name of the project.
 * @param {string} versionNumber The version.
 * @param {AbortSignal} signal Ends the updates.
 * @param {function(number): void} [onLook] Called at each update with the seconds that are left.
 * @param {number} [start] Milliseconds since 1970 at which the minute began.
 */
export function arrivalView(
    project, versionNumber, signal, onLook = () => {}, start = Date.now()) {
    const place = h('p', {role: 'status'}, 'Counting the connected apps …');
    const end = start + lifetime * 1000;
    let wasShown = false;
    const look = async () => {
        if (wasShown && !place.isConnected) return false;
        wasShown = true;
        const left = Math.max(0, Math.ceil((end - Date.now()) / 1000));
        onLook(left);
        try {
            const {all, has} = await arrival(project, versionNumber, signal);
            place.textContent = arrivalText(all, has);
        } catch {
            // The next query follows soon.
        }
        return left > 0;
    };
    poll(look, interval, signal)();
    return place;
}
