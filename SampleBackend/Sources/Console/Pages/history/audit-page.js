/**
 * Audit page: who did what and when, newest first.
 */

import {administratorName, choice, field, moreButton, nothing, pageHead, table, timeText}
    from '../controls/controls.js';
import {announce, fill, h} from '../controls/dom.js';
import {failedReading} from '../controls/shown-answer.js';
import {address, setQuery} from '../routing/router.js';
import {call, isMissing, projectPath} from '../server/api.js';
import {newestRequest} from '../server/newest-request.js';
import {count, withLocalTimes} from '../text/formats.js';
import {
    actions, actionText, everything, filterIn, given, isOfVersion, searchParameters, subjectText,
} from './audit-search.js';
import {onNewVersion} from './new-versions.js';

/** Entries per request. */
const pageSize = 100;

/** Requests of one search, each of which searches a part of the trail. */
const maximumRequests = 10;

/**
 * @typedef {{action: string, subject: string, time: string, actor?: string, detail?: string}} Entry
 */

/**
 * What an entry is about; a version links to its changes.
 *
 * @param {Entry} entry
 */
function subjectView({action, subject}) {
    return isOfVersion(action) ? h('a', {'aria-label': `Changes of version ${subject}`,
        href: address('history', {from: String(Number(subject) - 1), to: subject})}, subject)
        : h('code', {}, subjectText(subject));
}

/** @param {Entry} entry */
function row(entry) {
    return h('tr', {},
        h('td', {}, timeText(entry.time)),
        h('td', {class: 'name'}, entry.actor ? administratorName(entry.actor)
            : h('span', {class: 'muted'}, 'Unknown')),
        h('td', {class: 'name'}, actionText(entry)),
        h('td', {}, subjectView(entry)),
        h('td', {class: 'wide'}, entry.action === 'FAILED_SIGN_IN'
            ? withLocalTimes(entry.detail ?? '') : entry.detail ?? ''));
}

/**
 * The form of the search; calls `search` with its filter.
 *
 * @param {import('./audit-search.js').AuditFilter} filter
 * @param {(filter: import('./audit-search.js').AuditFilter) => void} search
 */
function searchForm(filter, search) {
    /**
     * @param {string} type
     * @param {string} value
     */
    const input = (type, value) => h('input', {type, value, autocomplete: 'off'});
    const controls = {
        text: input('search', filter.text), actor: input('search', filter.actor),
        action: choice([['', 'Everything'], ...actions], filter.action),
        from: input('date', filter.from), to: input('date', filter.to),
    };
    const entered = () => Object.fromEntries(
        Object.entries(controls).map(([name, {value}]) => [name, value]));
    /** @param {import('./audit-search.js').AuditFilter} shown */
    const start = (shown) => {
        for (const [name, control] of Object.entries(controls)) {
            control.value = shown[/** @type {keyof typeof controls} */ (name)];
        }
        search(shown);
    };
    const form = h('form', {class: 'card-body audit-search', role: 'search', onsubmit: (event) => {
        event.preventDefault();
        search(/** @type {any} */ (entered()));
    }},
    field('Words', controls.text, {hint: 'Words of the columns Who, What, Of and Detail. '
        + 'Publishing names no settings: see the history of a setting, in its menu.'}),
    field('Who', controls.actor), field('What', controls.action),
    field('From', controls.from), field('Until', controls.to),
    h('div', {class: 'actions'}, h('button', {type: 'submit', class: 'primary'}, 'Search'),
        h('button', {type: 'button', onclick: () => start(everything)}, 'Show all')));
    return h('section', {class: 'card', 'aria-label': 'Search'}, form);
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const left = new AbortController();
    const nextRequest = newestRequest(left.signal);
    const body = h('div', {class: 'stack'});
    let filter = filterIn(context.query);
    /** @type {Entry[]} */
    let entries = [];
    const isFiltered = () => Object.keys(given(filter)).length > 0;

    /** @param {string} [nextPageToken] */
    const draw = (nextPageToken) => {
        const end = isFiltered() ? 'Nothing is found.' : 'Nothing has been done yet.';
        const none = nextPageToken ? 'Nothing is found among the newest entries.' : end;
        fill(body, entries.length
            ? table('Audit trail', ['When', 'Who', 'What', 'Of', 'Detail'], entries.map(row))
            : h('section', {class: 'card'}, nothing(none)),
        nextPageToken && moreButton(
            entries.length ? 'Show older entries' : 'Search older entries',
            () => read(nextRequest(), nextPageToken)));
    };

    /**
     * Adds a page of entries. One answer can have fewer, as it searches a part of a long trail.
     *
     * @param {AbortSignal} signal
     * @param {string} [pageToken]
     */
    const read = async (signal, pageToken) => {
        const end = entries.length + pageSize;
        let token = pageToken;
        for (let request = 0; request < maximumRequests; request += 1) {
            const answer = await call('GET', projectPath(context.project, 'audit', {
                pageSize: end - entries.length, pageToken: token, ...searchParameters(filter)}),
            {signal});
            if (signal.aborted) return;
            entries = [...entries, ...answer.body.entries];
            token = answer.body.nextPageToken;
            if (!token || entries.length >= end) break;
        }
        draw(token);
        if (isFiltered()) announce(`${count(entries.length, 'entry', 'entries')} found.`);
    };

    /** Reads the newest entries of the filter; `isQuiet` keeps those shown until then. */
    const start = async (isQuiet = false) => {
        const signal = nextRequest();
        entries = [];
        if (!isQuiet) fill(body, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
        try {
            await read(signal);
        } catch (error) {
            if (signal.aborted) return;
            if (isMissing(error)) draw();
            else fill(body, failedReading(error, signal, () => start()));
        }
    };
    fill(main, pageHead('Audit', 'Who did what and when, newest first. The trail is never '
        + 'rewritten.'),
    searchForm(filter, (wanted) => {
        filter = wanted;
        setQuery(given(filter));
        start();
    }), body);
    start();
    onNewVersion(context.workspace, left.signal, () => {
        // Older entries, which the user has loaded, would disappear.
        if (entries.length <= pageSize) start(true);
    });
    return () => left.abort();
}
