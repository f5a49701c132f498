/**
 * Audit page: who did what and when, newest first.
 */

import {call, isMissing, projectPath} from './api.js';
import {administratorName, message, moreButton, nothing, pageHead, table, timeText}
    from './controls.js';
import {fill, h} from './dom.js';

/** Entries per request. */
const pageSize = 100;

/** Prefix of the name of a session, which the server treats as a token. */
const sessionPrefix = 'Console session of ';

/**
 * Display name of an entry's action: `SET_OVERRIDES` becomes "Set overrides".
 *
 * @param {{action: string, subject: string}} entry
 */
export function actionText({action, subject}) {
    if (subject.startsWith(sessionPrefix)) {
        return action === 'CREATE_TOKEN' ? 'Sign in' : 'Sign out';
    }
    const text = action.replaceAll(/[_-]/g, ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2')
        .toLowerCase();
    return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @param {string} subject */
function subjectText(subject) {
    return subject.startsWith(sessionPrefix)
        ? sessionPrefix + administratorName(subject.slice(sessionPrefix.length)) : subject;
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
function show(main, context) {
    const left = new AbortController();
    const body = h('div', {class: 'stack'}, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
    fill(main, pageHead('Audit', 'Who did what and when, newest first. The trail is never '
        + 'rewritten.'), body);
    /** @type {{action: string, subject: string, time: string, actor?: string, detail?: string}[]} */
    let entries = [];
    /** @param {string} [nextPageToken] */
    const draw = (nextPageToken) => fill(body, entries.length
        ? table('Audit trail', ['When', 'Who', 'What', 'Of', 'Detail'], entries.map((entry) => (
            h('tr', {},
                h('td', {}, timeText(entry.time)),
                h('td', {}, entry.actor ? administratorName(entry.actor) : h('span', {class: 'muted'}, 'Unknown')),
                h('td', {}, actionText(entry)),
                h('td', {}, h('code', {}, subjectText(entry.subject))),
                h('td', {class: 'wide'}, entry.detail ?? '')))))
        : h('section', {class: 'card'}, nothing('Nothing has been done yet.')),
    nextPageToken && moreButton('Show older entries', () => read(nextPageToken)));
    /** @param {string} [pageToken] */
    const read = async (pageToken) => {
        const answer = await call(
            'GET', projectPath(context.project, 'audit', {pageSize, pageToken}),
            {signal: left.signal});
        entries = [...entries, ...answer.body.entries];
        draw(answer.body.nextPageToken);
    };
    read().catch((error) => {
        if (left.signal.aborted) return;
        if (isMissing(error)) draw();
        else fill(body, message('error', error.message));
    });
    return () => left.abort();
}

export const auditPage = {path: 'audit', title: 'Audit', show};
