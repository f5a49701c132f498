/**
 * Page with the change requests of a project, the last changed one first.
 */

import {badge, choice, field, moreButton, nothing, pageHead, table, timeText}
    from '../controls/controls.js';
import {announce, fill, h, redraw} from '../controls/dom.js';
import {failedReading} from '../controls/shown-answer.js';
import {onNewVersion} from '../history/new-versions.js';
import {address, setQuery} from '../routing/router.js';
import {listRequests} from '../server/change-requests.js';
import {PagedList} from '../server/paged-list.js';
import {count} from '../text/formats.js';
import {isOpen, makersText, stateBadge, states, votesText} from './request-texts.js';

/** Requests of a page of the list. */
const pageSize = 20;

/**
 * Choices of the filter: all that can still be published, all, and those of one state.
 *
 * @type {Choice[]}
 */
const filters = [['', 'Not ended'], ['all', 'All'], ...states];

/** @param {ChangeRequest} request */
function row(request) {
    const {id, title, updateTime, state, votes, requiredApprovals} = request;
    const hasVotes = votes.length > 0 || Boolean(requiredApprovals);
    return h('tr', {},
        h('th', {scope: 'row', class: 'wide'},
            h('a', {href: address('change-request', {id}), 'data-focus': `request ${id}`}, title)),
        h('td', {}, badge(...stateBadge(state))),
        h('td', {class: 'name'}, makersText(request)),
        h('td', {}, timeText(updateTime)),
        h('td', {class: 'number'}, hasVotes ? votesText(request)
            : h('span', {class: 'muted'}, '–')));
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const left = new AbortController();
    const body = h('div', {class: 'stack'});
    const wanted = context.query.get('state') ?? '';
    let filter = filters.some(([value]) => value === wanted) ? wanted : '';
    const requests = new PagedList(async (page, signal) => {
        const {changeRequests, nextPageToken} = await listRequests(context.project, {
            ...page, state: ['', 'all'].includes(filter) ? undefined : filter}, signal);
        return {nextPageToken,
            entries: filter ? changeRequests : changeRequests.filter(isOpen)};
    }, left.signal, pageSize);
    const draw = () => {
        const {list, nextPageToken} = requests;
        const none = filter === 'all' ? 'There is no change request yet. Edit the draft, and '
            + 'request a review.' : 'No change request has this state.';
        redraw(body, list.length
            ? table('Change requests, the last changed one first',
                ['Title', 'State', 'By', 'Changed', 'Approvals'], list.map(row))
            : h('section', {class: 'card'}, nothing(nextPageToken
                ? 'None of the newest requests has this state.' : none,
            h('a', {class: 'button', href: address('review')}, 'Review the draft'))),
        nextPageToken && moreButton(list.length ? 'Show older requests' : 'Search older requests',
            async () => {
                if (await requests.more()) draw();
            }));
    };
    /** Reads the first page; `isQuiet` keeps what is shown until then. */
    const start = async (isQuiet = false) => {
        if (!isQuiet) fill(body, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
        try {
            if (!await requests.start()) return;
            draw();
            if (!isQuiet) announce(`${count(requests.list.length, 'request')} shown.`);
        } catch (error) {
            if (isQuiet) return;
            requests.clear();
            fill(body, failedReading(error, requests.signal, () => start()));
        }
    };
    const select = choice(filters, filter, {'data-focus': 'request-state', onchange: () => {
        filter = select.value;
        setQuery({state: filter || undefined});
        start();
    }});
    fill(main, pageHead('Change requests', 'Edits that others review before they are published.'),
        h('div', {class: 'filters'}, field('State', select)), body);
    start();
    const refresh = () => {
        // Older requests, which the user has loaded, would disappear.
        if (!document.hidden && requests.list.length <= pageSize) start(true);
    };
    document.addEventListener('visibilitychange', refresh, {signal: left.signal});
    onNewVersion(context.workspace, left.signal, refresh);
    return () => left.abort();
}
