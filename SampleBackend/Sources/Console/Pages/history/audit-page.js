/**
 * Audit page: who did what and when, newest first.
 */

import {administratorName, choice, field, moreButton, nothing, pageHead, table, timeText}
    from '../controls/controls.js';
import {announce, fill, h} from '../controls/dom.js';
import {failedReading} from '../controls/shown-answer.js';
import {address, setQuery} from '../routing/router.js';
import {call, isMissing, projectPath} from '../server/api.js';
import {count, withLocalTimes} from '../text/formats.js';
import {AuditEntries, pageSize} from './audit-entries.js';
import {
    actions, actionText, everything, filterIn, given, isOfVersion, searchParameters, subjectText,
} from './audit-search.js';
import {onNewVersion} from './new-versions.js';

/** @typedef {import('./audit-entries.js').Entry} Entry */

/**
 * What an entry is about; a version links to its changes.
 *
 * @param {Entry} entry
 */
function subjectView({action, subject}) {
    return isOfVersion(action) ? h('a', {'aria-label': `Changes of version ${subject}`,
        href: address('history', {to: subject})}, subject)
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
    const body = h('div', {class: 'stack'});
    let filter = filterIn(context.query);
    const entries = new AuditEntries(async (page, signal) => {
        const {body: answer} = await call('GET', projectPath(
            context.project, 'audit', {...page, ...searchParameters(filter)}), {signal});
        return answer;
    }, left.signal);
    const isFiltered = () => Object.keys(given(filter)).length > 0;

    const draw = () => {
        const {list, nextPageToken} = entries;
        const end = isFiltered() ? 'Nothing is found.' : 'Nothing has been done yet.';
        const none = nextPageToken ? 'Nothing is found among the newest entries.' : end;
        fill(body, list.length
            ? table('Audit trail', ['When', 'Who', 'What', 'Of', 'Detail'], list.map(row))
            : h('section', {class: 'card'}, nothing(none)),
        nextPageToken && moreButton(list.length ? 'Show older entries' : 'Search older entries',
            async () => drawRead(await entries.more())));
    };

    /** @param {boolean} isRead False if another request began meanwhile. */
    const drawRead = (isRead) => {
        if (!isRead) return;
        draw();
        if (isFiltered()) announce(`${count(entries.list.length, 'entry', 'entries')} found.`);
    };

    /** Reads the newest entries of the filter; `isQuiet` keeps those shown until then. */
    const start = async (isQuiet = false) => {
        if (!isQuiet) fill(body, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
        try {
            drawRead(await entries.start());
        } catch (error) {
            entries.clear();
            if (isMissing(error)) draw();
            else fill(body, failedReading(error, entries.signal, () => start()));
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
        if (entries.list.length <= pageSize) start(true);
    });
    return () => left.abort();
}
