/**
 * Page with the change requests of a project, the last changed one first, or with those that are
 * scheduled.
 */

import {badge, choice, field, moreButton, nothing, pageHead, table, timeText}
    from '../controls/controls.js';
import {announce, fill, h, redraw} from '../controls/dom.js';
import {failedReading} from '../controls/shown-answer.js';
import {onNewVersion} from '../history/new-versions.js';
import {address, setQuery} from '../routing/router.js';
import {waitingPart} from '../schedules/schedule-state.js';
import {listRequests, listScheduled} from '../server/change-requests.js';
import {PagedList} from '../server/paged-list.js';
import {count} from '../text/formats.js';
import {zonedText} from '../text/time-zones.js';
import {followRequests} from './request-following.js';
import {isOpen, listNews, makersText, stateBadge, states, votesText} from './request-texts.js';
import {scheduledViews} from './scheduled-list.js';

/** @typedef {import('../server/paged-list.js').ListedPage} ListedPage */

/** Requests of a page of the list. */
const pageSize = 20;

/** Requests of an answer; the server sends at most 50. */
const answerSize = 50;

/** Milliseconds between readings; the server compares each open request with what is live. */
const lookInterval = 15_000;

/** Requests up to which a list is read again by itself. */
const followedSize = 200;

/**
 * Requests of a page of the scheduled ones: usually all, since those that wait are shown in the
 * order of their times.
 */
const scheduledSize = 200;

/**
 * Choices of the filter: all that can still be published, all, those that are or were scheduled,
 * and those of one state.
 *
 * @type {Choice[]}
 */
const filters = [['', 'Not ended'], ['scheduled', 'Scheduled'], ['all', 'All'],
    ...states];

/**
 * What an empty list says, by the filter.
 *
 * @type {Record<string, string>}
 */
const emptyTexts = {
    all: 'There is no change request yet. Edit the draft, and request a review.',
    scheduled: 'Nothing is scheduled. Publishers schedule a draft on its review, or a change '
        + 'request on its page; they roll out a condition on the page of the conditions.',
};

/** @param {ChangeRequest} request */
function row(request) {
    const {id, title, updateTime, state, votes, requiredApprovals, schedule} = request;
    const isScheduled = waitingPart(schedule) === 'start';
    const hasVotes = votes.length > 0 || Boolean(requiredApprovals);
    return h('tr', {},
        h('th', {scope: 'row', class: 'wide'},
            h('a', {href: address('change-request', {id}), 'data-focus': `request ${id}`}, title),
            isScheduled && schedule && h('p', {class: 'hint'},
                `Scheduled for ${zonedText(schedule.at, schedule.zone)}`)),
        h('td', {}, badge(...stateBadge(state))),
        h('td', {class: 'name'}, makersText(request)),
        h('td', {}, timeText(updateTime)),
        h('td', {class: 'number'}, hasVotes ? votesText(request)
            : h('span', {class: 'muted'}, '–')));
}

/**
 * @param {string} filter
 * @param {ChangeRequest[]} list
 */
function listView(filter, list) {
    return filter === 'scheduled' ? scheduledViews(list)
        : table('Change requests, the last changed one first',
            ['Title', 'State', 'By', 'Changed', 'Approvals'], list.map(row));
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
    /** @param {ListedPage} page @param {AbortSignal} signal */
    const readAll = async (page, signal) => {
        const {changeRequests, nextPageToken} = await listRequests(context.project, {
            ...page, pageSize: Math.min(page.pageSize, answerSize),
            state: ['', 'all'].includes(filter) ? undefined : filter}, signal);
        return {nextPageToken,
            entries: filter ? changeRequests : changeRequests.filter(isOpen)};
    };
    /** @param {ListedPage} page @param {AbortSignal} signal */
    const readScheduled = async (page, signal) => {
        const {scheduledPublishes, nextPageToken} = await listScheduled(context.project,
            {...page, pageSize: Math.min(page.pageSize, answerSize)}, signal);
        return {nextPageToken, entries: scheduledPublishes};
    };
    const newList = () => (filter === 'scheduled'
        ? new PagedList(readScheduled, left.signal, scheduledSize)
        : new PagedList(readAll, left.signal, pageSize));
    let requests = newList();
    let isReadingMore = false;
    const draw = () => {
        const {list, nextPageToken} = requests;
        const none = emptyTexts[filter] ?? 'No change request has this state.';
        redraw(body, list.length ? listView(filter, list)
            : h('section', {class: 'card'}, nothing(nextPageToken
                ? 'None of the newest requests has this state.' : none,
            h('a', {class: 'button', href: address('review')}, 'Review the draft'))),
        nextPageToken && moreButton(list.length ? 'Show older requests' : 'Search older requests',
            async () => {
                isReadingMore = true;
                try {
                    if (await requests.more()) draw();
                } finally {
                    isReadingMore = false;
                }
            }));
    };
    /** True while the first page is read, or could not be. */
    let isLoading = true;
    /** Reads the first page. */
    const start = async () => {
        fill(body, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
        isLoading = true;
        const read = requests;
        try {
            if (!await read.start() || read !== requests) return;
            isLoading = false;
            draw();
            announce(`${count(read.list.length, 'request')} shown.`);
        } catch (error) {
            if (read !== requests) return;
            read.clear();
            fill(body, failedReading(error, read.signal, () => start()));
        }
    };
    const select = choice(filters, filter, {'data-focus': 'request-state', onchange: () => {
        filter = select.value;
        requests = newList();
        setQuery({state: filter || undefined});
        start();
    }});
    fill(main, pageHead('Change requests', 'Edits that others review before they are published.'),
        h('div', {class: 'filters'}, field('State', select)), body);
    start();
    /** Shows what is new in the list, and nothing else: a control that is in use stays. */
    const refresh = async () => {
        const read = requests;
        const {list, nextPageToken} = read;
        if (document.hidden || isLoading || isReadingMore || list.length > followedSize) return;
        if (!await read.again().catch(() => false) || read !== requests) return;
        if (JSON.stringify([list, nextPageToken])
            === JSON.stringify([read.list, read.nextPageToken])) return;
        draw();
        const news = listNews(list, read.list);
        if (news.length) announce(news.join(' '));
    };
    followRequests(() => requests.list.map(({schedule}) => schedule), lookInterval, left.signal,
        refresh);
    document.addEventListener('visibilitychange', refresh, {signal: left.signal});
    onNewVersion(context.workspace, left.signal, refresh);
    return () => left.abort();
}
