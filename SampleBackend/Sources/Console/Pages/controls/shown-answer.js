/**
 * Elements that show what was read last.
 */

import {newestRequest} from '../server/newest-request.js';
import {message} from './controls.js';
import {fill} from './dom.js';

/**
 * Creates a function that reads something and shows it, or the error, in an element. An older
 * answer never replaces a newer one.
 *
 * @param {HTMLElement} place
 * @param {AbortSignal} left Ends the reading.
 * @param {(signal: AbortSignal) => Promise<unknown>} read Resolves to the content.
 * @param {'error' | 'warning'} [kind] Kind of the message about an error.
 */
export function shownAnswer(place, left, read, kind = 'error') {
    const nextRequest = newestRequest(left);
    return async () => {
        const signal = nextRequest();
        try {
            const content = await read(signal);
            if (!signal.aborted) fill(place, content);
        } catch (error) {
            if (!signal.aborted) fill(place, message(kind, error.message));
        }
    };
}
