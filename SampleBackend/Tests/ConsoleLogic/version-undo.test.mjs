import assert from 'node:assert/strict';
import {test} from 'node:test';

import {answerRequests} from './browser.mjs';
import {previewUndo, undoConflicts} from '../../Sources/Console/Pages/history/version-undo.js';

const result = {parameters: {title: {defaultValue: {value: 'old'}}}};
const changes = {conditions: [], groups: [], parameters: [
    {section: 'Default', key: 'title', name: '', change: 'CHANGED', parts: []}]};

/** @type {Conflict} */
const conflict = {
    path: 'parameters.title', kind: 'PARAMETER', section: 'Home', key: 'title',
    field: 'defaultValue', base: {value: 'b'}, mine: {value: 'a'}, theirs: {value: 'c'},
    changedBy: {versionNumber: '5', updateTime: '2026-01-02T03:04:05Z', description: 'Hotfix',
        updateUser: {name: 'Ada'}}};

const refused = (/** @type {number} */ status, /** @type {string} */ code, details = []) => ({
    status, body: {error: {status: code, message: 'Refused.', details}}});

test('the preview is of the version that is current, and publishes nothing', async () => {
    const requests = answerRequests(({path}) => ({
        body: path.includes(':undo') ? result : {changes: {mine: changes, theirs: {}}}}));
    const preview = await previewUndo('shop', '3', '7');
    assert.equal(preview.state, 'possible');
    assert.deepEqual(preview.template, result);
    assert.deepEqual(await preview.changes, changes);
    const [undo, merge] = requests;
    assert.equal(undo.path, '/v1/projects/shop/remoteConfig:undo?validateOnly=true');
    assert.deepEqual(undo.body, {versionNumber: '3'});
    assert.equal(undo.headers['If-Match'], '"etag-shop-7"');
    assert.equal(merge.path, '/v1/projects/shop/remoteConfig:merge');
    assert.deepEqual(merge.body, {base: '7', mine: result});
});

test('an undo that empties the project is compared as a template', async () => {
    const requests = answerRequests(({path}) => ({
        body: path.includes(':undo') ? {} : {changes: {mine: changes}}}));
    const preview = await previewUndo('shop', '1', '1');
    assert.deepEqual(await preview.changes, changes);
    assert.deepEqual(requests[1].body, {base: '1', mine: {parameters: {}}});
});

test('nothing left to take back, and conflicts, are answers', async () => {
    const requests = answerRequests(() => refused(409, 'NOTHING_TO_UNDO'));
    assert.deepEqual(await previewUndo('shop', '3', '7'), {state: 'nothing'});
    assert.equal(requests.length, 1);
    answerRequests(() => refused(409, 'MERGE_CONFLICT', /** @type {any} */ ([conflict])));
    assert.deepEqual(await previewUndo('shop', '3', '7'),
        {state: 'conflicts', conflicts: [conflict]});
});

test('other refusals stay errors', async () => {
    for (const [status, code] of /** @type {[number, string][]} */ ([
        [412, 'VERSION_MISMATCH'], [404, 'NOT_FOUND'], [409, 'PROJECT_ARCHIVED'],
        [400, 'VALIDATION_ERROR']])) {
        answerRequests(() => refused(status, code));
        await assert.rejects(previewUndo('shop', '3', '7'), {status, message: 'Refused.'});
    }
});

test('a conflict names the setting, the version and its author', () => {
    const {changedBy: version} = conflict;
    assert.deepEqual(undoConflicts([conflict]),
        [{name: 'Home.title, default value', change: 'Changed', version}]);
    const {theirs, ...removed} = conflict;
    const {base, ...added} = conflict;
    const {mine, ...moved} = removed;
    assert.deepEqual(undoConflicts([removed, added, moved]).map(({change}) => change),
        ['Removed', 'Added again', 'Moved or removed']);
});

test('a conflict without a known version, and one of another kind, are named, too', () => {
    assert.deepEqual(undoConflicts([
        {path: 'conditions.Beta', kind: 'CONDITION', name: 'Beta', base: {}, mine: {}, theirs: {}},
        {path: 'conditions', kind: 'CONDITION_ORDER', base: [], mine: [], theirs: []},
        {path: 'x.y', kind: 'OTHER', theirs: 1, base: 2}]), [
        {name: 'The condition Beta', change: 'Changed', version: undefined},
        {name: 'The order of the conditions', change: 'Changed', version: undefined},
        {name: 'x.y', change: 'Changed', version: undefined}]);
});
