/**
 * Elements that show what was read last, or why it could not be read, and read it again.
 */

import {connection, NoAnswerError} from '../server/api.js';
import {newestRequest} from '../server/newest-request.js';
import {message} from './controls.js';
import {fill, h} from './dom.js';

/**
 * Message about a failed reading, with a button that repeats it unless the server refused it. After
 * a lost connection, the reading is also repeated when the server answers again.
 *
 * @param {any} error
 * @param {AbortSignal} left Ends the wait for the connection.
 * @param {() => unknown} again
 * @param {'error' | 'warning'} [kind]
 */
export function failedReading(error, left, again, kind = 'error') {
    if (error.status >= 400 && error.status < 500) return message(kind, error.message);
    const ended = new AbortController();
    left.addEventListener('abort', () => ended.abort(), {signal: ended.signal});
    const retry = () => {
        ended.abort();
        if (!left.aborted) again();
    };
    if (error instanceof NoAnswerError) {
        window.addEventListener('online', retry, {signal: ended.signal});
        connection.addEventListener('restored', retry, {signal: ended.signal});
    }
    return message(kind, h('p', {}, error.message), h('div', {class: 'actions'},
        h('button', {type: 'button', 'data-focus': 'read-again', onclick: retry}, 'Try again')));
}

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
    const show = async () => {
        const signal = nextRequest();
        try {
            const content = await read(signal);
            if (!signal.aborted) fill(place, content);
        } catch (error) {
            if (!signal.aborted) fill(place, failedReading(error, signal, show, kind));
        }
    };
    return show;
}
