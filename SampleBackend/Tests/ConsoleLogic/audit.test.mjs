import './browser.mjs';
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';

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
