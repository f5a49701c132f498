import './browser.mjs';
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';

import {AuditEntries} from '../../Sources/Console/Pages/history/audit-entries.js';
import {projectPath} from '../../Sources/Console/Pages/server/api.js';
import {actions, actionText, everything, filterIn, given, searchParameters}
    from '../../Sources/Console/Pages/history/audit-search.js';

for (const [entry, text] of [
    [{action: 'SET_OVERRIDES', subject: 'x'}, 'Pin values'],
    [{action: 'FAILED_SIGN_IN', subject: '192.0.2.1'}, 'Failed sign-in'],
    [{action: 'publishTemplate', subject: 'x'}, 'Publish template'],
    [{action: 'CREATE_TOKEN', subject: 'Console session of ada'}, 'Sign in'],
    [{action: 'REVOKE_TOKEN', subject: 'Console session of ada'}, 'Sign out'],
    [{action: 'CREATE_TOKEN', subject: 'ci'}, 'Create token'],
]) test(`the action ${entry.action} of ${entry.subject} is shown as ${text}`, () => (
    assert.equal(actionText(entry), text)));

test('the filter of an address has what is valid', () => {
    const filter = filterIn(new URLSearchParams(
        'text=a+b&actor=ada&action=PUBLISH&from=2026-01-31&to=2026-13-31'));
    assert.deepEqual(filter, {
        text: 'a b', actor: 'ada', action: 'PUBLISH', from: '2026-01-31', to: ''});
    assert.deepEqual(filterIn(new URLSearchParams('action=NONE&from=today')), everything);
});

test('an address has only the given parts of a filter', () => {
    assert.deepEqual(given({...everything, text: ' x ', actor: ' '}), {text: 'x'});
});

test('a search asks for whole days of the time zone', () => {
    const parameters = searchParameters(
        {...everything, action: 'PUBLISH', from: '2026-03-28', to: '2026-03-29'});
    assert.deepEqual(parameters, {
        action: 'PUBLISH', startTime: new Date(2026, 2, 28).toISOString(),
        endTime: new Date(2026, 2, 30).toISOString()});
    assert.deepEqual(searchParameters(everything), {});
});

test('the server gets the spaces of a search as spaces, and a plus sign as itself', () => (
    assert.equal(projectPath('p', 'audit', {text: 'a b+c'}), '/v1/projects/p/audit?text=a%20b%2Bc')));

test('the server finds actions by the texts that the console shows', () => {
    const source = readFileSync(new URL(
        '../../Sources/AdminAPI/Audit/AuditSearch.swift', import.meta.url), 'utf8');
    const [, table] = /shownActions = \[([^\]]*)\]/.exec(source);
    assert.deepEqual([...table.matchAll(/"([^"]*)": "([^"]*)"/g)].map(([, ...pair]) => pair),
        actions);
});

/** A trail of numbered entries, newest first, whose answers a test can hold. */
class Trail {
    held = [];
    isHeld = false;

    constructor(length) {
        this.length = length;
    }

    async answer({pageSize, pageToken}) {
        const first = pageToken === undefined ? this.length : Number(pageToken);
        const last = Math.max(0, first - pageSize);
        const entries = [];
        for (let number = first; number > last; number -= 1) entries.push({subject: String(number)});
        const answer = {entries, nextPageToken: last > 0 ? String(last) : undefined};
        if (this.isHeld) await new Promise((resolve) => this.held.push(resolve));
        return answer;
    }
}

test('older entries that are asked for during a refresh follow the shown ones', async () => {
    const trail = new Trail(129);
    const entries = new AuditEntries((page) => trail.answer(page), new AbortController().signal);
    assert.ok(await entries.start());
    assert.equal(entries.list.length, 100);
    trail.isHeld = true;
    const refresh = entries.start();
    trail.isHeld = false;
    assert.equal(entries.list.length, 100);
    assert.ok(await entries.more());
    trail.held[0]();
    assert.equal(await refresh, false);
    assert.deepEqual(entries.list.map(({subject}) => Number(subject)),
        Array.from({length: 129}, (_, index) => 129 - index));
    assert.equal(entries.nextPageToken, undefined);
});

test('a failed request leaves the entries, and one that was given up reports nothing', async () => {
    const trail = new Trail(250);
    const left = new AbortController();
    let problem = null;
    const entries = new AuditEntries((page) => (
        problem ? Promise.reject(problem) : trail.answer(page)), left.signal);
    await entries.start();
    problem = new Error('No answer.');
    await assert.rejects(entries.more(), problem);
    assert.equal(entries.list.length, 100);
    left.abort();
    assert.equal(await entries.start(), false);
});
