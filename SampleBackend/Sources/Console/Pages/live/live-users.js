/**
 * The connected users, with a search by their IDs.
 */

import {field, message, nothing} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {address} from '../routing/router.js';
import {call, projectPath} from '../server/api.js';
import {newestRequest} from '../server/newest-request.js';
import {poll} from '../server/poll.js';
import {count} from '../text/formats.js';
import {marked} from '../text/hidden-characters.js';
import {naturalOrder} from '../text/natural-order.js';

/** Milliseconds between two reads, and from the last keystroke to the search. */
const interval = 10_000;
const pause = 250;

/**
 * Creates the card, which refreshes until `signal` aborts.
 *
 * @param {string} project Name of the project.
 * @param {AbortSignal} signal Ends it.
 */
export function liveUsers(project, signal) {
    const place = h('div', {});
    const found = h('p', {class: 'muted', role: 'status'});
    const search = h('input', {type: 'search', autocomplete: 'off', spellcheck: 'false',
        oninput: () => {
            // Ends a read of what was searched before.
            nextRequest();
            readAfter(pause);
        }});
    const nextRequest = newestRequest(signal);

    /** @param {{users?: string[], userCount?: number}} value */
    const draw = ({users = [], userCount = 0}) => {
        const text = search.value.trim();
        // Each read changes the text, so announce only changes.
        const sentence = `${count(userCount, 'user')}${text ? ' found' : ''}`
            + (users.length < userCount ? `; the first ${users.length} are shown` : '');
        if (found.textContent !== sentence) found.textContent = sentence;
        fill(place, users.length ? h('ul', {class: 'plain live-users'}, [...users].sort(
            naturalOrder).map((userID) => (
            h('li', {}, h('a', {title: 'Try as this user',
                href: address('user', {id: userID, connected: true})}, marked(userID))))))
            : nothing(text ? 'No connected user matches.'
                : 'No user with an ID is connected now.'));
    };
    const read = async () => {
        const own = nextRequest();
        try {
            const {body} = await call('GET',
                // An empty text matches all users.
                `${projectPath(project, 'connections')}?users=${
                    encodeURIComponent(search.value.trim())}`,
                {signal: own});
            // Redrawing would take the focus from a link.
            if (!place.contains(document.activeElement)) draw(body);
        } catch (error) {
            if (own.aborted) return;
            fill(place, message('warning', error.message));
        }
    };
    const readAfter = poll(read, interval, signal);
    readAfter();
    return h('section', {class: 'card', 'aria-labelledby': 'live-users'},
        h('div', {class: 'card-head'}, h('h2', {id: 'live-users'}, 'Connected users')),
        h('div', {class: 'card-body stack'},
            h('div', {class: 'filters', role: 'search'}, field('Find a user', search), found),
            place));
}
