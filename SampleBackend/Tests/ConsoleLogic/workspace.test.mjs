import {Clock, emptyStorages, MemoryStorage, settled} from './browser.mjs';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';

import {DraftServer} from './draft-server.mjs';
import {DraftMirror, hasUnsavedDrafts, isDraft, isDraftOfOthers}
    from '../../Sources/Console/Pages/draft-mirror.js';
import {parseJSON} from '../../Sources/Console/Pages/json-text.js';
import {differenceCount, toldChanges} from '../../Sources/Console/Pages/server-draft.js';
import {UnansweredSaves} from '../../Sources/Console/Pages/unanswered-saves.js';
import {Workspace} from '../../Sources/Console/Pages/workspace.js';
import {Workspaces} from '../../Sources/Console/Pages/workspaces.js';

/** Template with settings outside of groups, such as `{a: '1'}`. */
const template = (values) => ({parameters: Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, {defaultValue: {value}}]))});

const valuesOf = ({parameters = {}}) => Object.fromEntries(
    Object.entries(parameters).map(([key, {defaultValue}]) => [key, defaultValue.value]));

let clock;
let server;
let opened;

beforeEach(() => {
    emptyStorages();
    clock = new Clock().start();
    server = new DraftServer(template({a: '1', b: '1'}));
    opened = [];
});

afterEach(() => {
    for (const workspace of opened) workspace.stop();
    clock.end();
});

/** A workspace of the user `ada` as in a tab, loaded; `hasDialog` says whether a dialog is open. */
async function tab({user = 'ada', mayEdit = true, hasDialog = () => false} = {}) {
    const workspace = new Workspace('default', user, mayEdit, hasDialog);
    opened.push(workspace);
    await workspace.load();
    return workspace;
}

/** Lets all that runs without a timer end. */
async function done() {
    for (let step = 0; step < 50; step += 1) await settled();
}

test('a workspace without a draft shows what is published', async () => {
    const workspace = await tab();
    assert.deepEqual(valuesOf(workspace.template), {a: '1', b: '1'});
    assert.equal(workspace.draft, null);
    assert.equal(workspace.versionNumber, '1');
    assert.equal(workspace.etag, 'etag-default-1');
    assert.ok(!workspace.isUnsaved && !workspace.isOutdated);
    assert.equal(workspace.template.version, undefined);
});

test('a project without a version is empty', async () => {
    server = new DraftServer();
    const workspace = await tab();
    assert.deepEqual(workspace.template, {});
    assert.equal(workspace.version, null);
    assert.equal(workspace.versionNumber, '0');
    assert.equal(workspace.etag, 'etag-default-0');
    workspace.edit(template({a: '1'}));
    await workspace.saved();
    assert.equal(server.draft.base, '0');
    assert.equal(workspace.isUnsaved, false);
});

test('an edit shows at once, and is saved as a patch', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '1'});
    assert.ok(workspace.isUnsaved);
    assert.equal(workspace.draft.changes, null);
    await workspace.saved();
    assert.ok(!workspace.isUnsaved);
    const [sent] = server.sent('PATCH');
    assert.deepEqual(sent.body,
        [{op: 'replace', path: '/parameters/a/defaultValue/value', value: '2'}]);
    assert.equal(sent.path, '/v1/projects/default/draft?baseVersion=1');
    assert.equal(sent.headers['If-None-Match'], '*');
    assert.equal(sent.headers['Content-Type'], 'application/json-patch+json');
    assert.equal(differenceCount(workspace.draft.changes), 1);
});

test('a second edit patches the stored draft', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    const {tag} = server.draft;
    workspace.edit(template({a: '2', b: '2'}));
    await workspace.saved();
    const [, sent] = server.sent('PATCH');
    assert.equal(sent.headers['If-Match'], tag);
    assert.equal(sent.path, '/v1/projects/default/draft');
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '2'});
});

test('an edit during a save is saved after it', async () => {
    const workspace = await tab();
    server.failNext('PATCH', () => workspace.edit(template({a: '3', b: '1'})));
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    assert.equal(server.sent('PATCH').length, 2);
    assert.deepEqual(valuesOf(server.draft.template), {a: '3', b: '1'});
    assert.ok(!workspace.isUnsaved);
});

for (const status of [400, 409, 413]) {
    test(`a patch that is refused with ${status} is followed by the whole draft`, async () => {
        const workspace = await tab();
        server.failNext('PATCH', status);
        workspace.edit(template({a: '2', b: '1'}));
        await workspace.saved();
        const [sent] = server.sent('PUT');
        assert.equal(sent.body.baseVersion, '1');
        assert.deepEqual(valuesOf(sent.body.template), {a: '2', b: '1'});
        assert.equal(workspace.saveProblem, null);
    });
}

test('a draft that equals its base ends, also on the server', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    const {tag} = server.draft;
    workspace.edit(template({b: '1', a: '1'}));
    assert.equal(workspace.draft, null);
    await workspace.saved();
    assert.equal(server.draft, null);
    assert.equal(server.sent('DELETE')[0].headers['If-Match'], tag);
});

test('a draft without differences to the server ends here', async () => {
    const workspace = await tab();
    // The description of a version alone is no difference to the server.
    server.versions.set('1', {...template({a: '1', b: '1'}), version: {description: 'x'}});
    workspace.edit({...template({a: '1', b: '1'}), version: {description: 'x'}});
    assert.notEqual(workspace.draft, null);
    await workspace.saved();
    assert.equal(workspace.draft, null);
    assert.equal(server.draft, null);
});

test('a description of the version keeps the known differences', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    const {changes} = workspace.draft;
    workspace.edit({...workspace.template, version: {description: 'Why'}});
    assert.equal(workspace.draft.changes, changes);
    workspace.edit(template({a: '3', b: '1'}));
    assert.equal(workspace.draft.changes, null);
});

test('a discarded draft is deleted, and one that is gone is no problem', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    server.draft = null;
    await workspace.discard();
    assert.equal(workspace.saveProblem, null);
    assert.ok(!workspace.isUnsaved);
});

test('a failed save is tried again after two seconds', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 503);
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    assert.equal(workspace.saveProblem, 'Refused with 503.');
    assert.ok(workspace.isUnsaved && !workspace.isRefused);
    await clock.pass(1999);
    assert.equal(server.draft, null);
    await clock.pass(1);
    await done();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '1'});
    assert.equal(workspace.saveProblem, null);
});

test('an edit ends the pause after a failed save', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'lost');
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    workspace.edit(template({a: '3', b: '1'}));
    await workspace.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '3', b: '1'});
});

for (const status of [403, 404, 422]) {
    test(`a draft that is refused with ${status} is not sent again before an edit`, async () => {
        const workspace = await tab();
        server.failNext('PATCH', status);
        workspace.edit(template({a: '2', b: '1'}));
        await workspace.saved();
        assert.ok(workspace.isRefused);
        await clock.pass(60_000);
        await workspace.checkNewest();
        assert.equal(server.sent('PATCH', 'PUT').length, 1);
        workspace.edit(template({a: '3', b: '1'}));
        assert.ok(!workspace.isRefused);
        await workspace.saved();
        assert.ok(!workspace.isUnsaved);
        assert.equal(workspace.saveProblem, null);
    });
}

for (const status of [401, 429, 500]) {
    test(`a draft that is refused with ${status} is tried again`, async () => {
        const workspace = await tab();
        server.failNext('PATCH', status);
        workspace.edit(template({a: '2', b: '1'}));
        await workspace.saved();
        assert.ok(!workspace.isRefused);
        await clock.pass(2000);
        await done();
        assert.ok(!workspace.isUnsaved);
    });
}

test('a refused draft is sent again on request', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 403);
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    workspace.retry();
    await workspace.saved();
    assert.ok(!workspace.isUnsaved && !workspace.isRefused);
});

test('a refusal of a draft that was edited meanwhile is no refusal of the new one', async () => {
    const workspace = await tab();
    server.failNext('PATCH', async () => {
        workspace.edit(template({a: '3', b: '1'}));
        server.failNext('PUT', 403);
    });
    server.draft = null;
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    assert.equal(workspace.saveProblem, null);
    assert.deepEqual(valuesOf(server.draft.template), {a: '3', b: '1'});
});

test('edits of two tabs are merged', async () => {
    const [one, two] = [await tab(), await tab({hasDialog: () => true})];
    one.edit(template({a: '2', b: '1'}));
    await one.saved();
    await done();
    two.edit(template({a: '1', b: '3'}));
    await two.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '3'});
    assert.deepEqual(two.overwritten, []);
    await done();
    assert.deepEqual(valuesOf(one.template), {a: '2', b: '3'});
});

test('of two edits of one value, that of the later tab wins, and it says so', async () => {
    const [one, two] = [await tab(), await tab({hasDialog: () => true})];
    one.edit(template({a: '2', b: '1'}));
    await one.saved();
    two.edit(template({a: '3', b: '1'}));
    await two.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '3', b: '1'});
    assert.deepEqual(two.overwritten, [['parameters', 'a', 'defaultValue', 'value']]);
});

test('a saved draft reaches the other tabs of its user', async () => {
    const [one, two] = [await tab(), await tab()];
    let changes = 0;
    two.addEventListener('change', () => {
        changes += 1;
    });
    one.edit(template({a: '2', b: '1'}));
    await one.saved();
    await done();
    assert.deepEqual(valuesOf(two.template), {a: '2', b: '1'});
    assert.ok(changes > 0);
    assert.equal(server.sent('PATCH').length, 1);
});

test('a draft of another user reaches no tab', async () => {
    const [one, two] = [await tab(), await tab({user: 'bob'})];
    const before = server.sent('GET').length;
    one.edit(template({a: '2', b: '1'}));
    await one.saved();
    await done();
    assert.equal(server.sent('GET').length, before);
    assert.equal(two.draft, null);
});

test('a tab with an open dialog takes a draft over when that is closed', async () => {
    let isOpen = true;
    const [one, two] = [await tab(), await tab({hasDialog: () => isOpen})];
    one.edit(template({a: '2', b: '1'}));
    await one.saved();
    await done();
    assert.equal(two.draft, null);
    isOpen = false;
    await two.checkNewest();
    assert.deepEqual(valuesOf(two.template), {a: '2', b: '1'});
});

test('a tab that has ended its draft ends it in the others', async () => {
    const [one, two] = [await tab(), await tab()];
    one.edit(template({a: '2', b: '1'}));
    await one.saved();
    await done();
    await one.discard();
    await done();
    assert.equal(two.draft, null);
    assert.ok(!two.isUnsaved);
});

test('a draft that another tab has published is followed by the new version', async () => {
    const [one, two] = [await tab(), await tab()];
    one.edit(template({a: '2', b: '1'}));
    await one.saved();
    await done();
    server.publish(template({a: '2', b: '1'}));
    await one.discard();
    await done();
    assert.equal(two.versionNumber, '2');
    assert.equal(two.draft, null);
});

test('a draft edited here and discarded elsewhere is kept', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    server.draft = null;
    workspace.edit(template({a: '2', b: '2'}));
    await workspace.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '2'});
});

test('a draft discarded here and edited elsewhere is kept', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    server.store(template({a: '2', b: '9'}), '1');
    await workspace.discard();
    assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '9'});
    assert.ok(!workspace.isUnsaved);
});

test('a save without an answer that was done is not taken for the edit of somebody', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'unanswered');
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    assert.ok(workspace.isUnsaved);
    workspace.edit(template({a: '3', b: '1'}));
    await workspace.saved();
    assert.deepEqual(workspace.overwritten, []);
    assert.deepEqual(valuesOf(server.draft.template), {a: '3', b: '1'});
});

test('a draft that was taken back goes although its save had no answer', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'unanswered');
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    workspace.edit(template({a: '1', b: '1'}));
    assert.ok(workspace.isUnsaved);
    await workspace.saved();
    assert.equal(server.draft, null);
    assert.ok(!workspace.isUnsaved);
});

test('an unsaved draft survives a reload of the page', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'lost');
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    workspace.stop();
    assert.ok(hasUnsavedDrafts('ada'));
    const again = await tab();
    assert.deepEqual(valuesOf(again.template), {a: '2', b: '1'});
    await again.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '1'});
    assert.ok(!hasUnsavedDrafts('ada'));
});

test('an unsaved draft is merged with what was saved elsewhere before the reload', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'lost');
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    workspace.stop();
    server.store(template({a: '3', b: '3'}), '1');
    const again = await tab();
    await again.saved();
    assert.deepEqual(valuesOf(again.template), {a: '2', b: '3'});
    assert.deepEqual(again.overwritten, [['parameters', 'a', 'defaultValue', 'value']]);
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '3'});
});

test('a reload after a save without an answer overwrites nothing', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'unanswered');
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    workspace.edit(template({a: '3', b: '1'}));
    workspace.stop();
    const again = await tab();
    await again.saved();
    assert.deepEqual(valuesOf(again.template), {a: '3', b: '1'});
    assert.deepEqual(again.overwritten, []);
});

test('a discard that was not saved goes on after a reload', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    server.failNext('DELETE', 'lost');
    await workspace.discard();
    assert.ok(workspace.isUnsaved);
    workspace.stop();
    const again = await tab();
    await again.saved();
    assert.equal(again.draft, null);
    assert.equal(server.draft, null);
});

test('a discard before a reload spares what was saved elsewhere since', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    server.failNext('DELETE', 'lost');
    await workspace.discard();
    workspace.stop();
    server.store(template({a: '2', b: '9'}), '1');
    const again = await tab();
    assert.deepEqual(valuesOf(again.template), {a: '2', b: '9'});
    assert.ok(!hasUnsavedDrafts('ada'));
});

test('a full storage is said, and the draft is saved as well', async () => {
    const workspace = await tab();
    MemoryStorage.room = 10;
    server.failNext('PATCH', 'lost');
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    assert.equal(workspace.isKeptInTab, false);
    await clock.pass(2000);
    await done();
    assert.equal(workspace.isKeptInTab, true);
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '1'});
});

test('a stopped workspace saves nothing more, and keeps its draft in the tab', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'lost');
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    workspace.stop();
    await clock.pass(10_000);
    assert.equal(server.draft, null);
    assert.ok(hasUnsavedDrafts('ada'));
});

test('a closed workspace goes on saving, and tells nobody here', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'lost');
    workspace.edit(template({a: '2', b: '1'}));
    workspace.close();
    let changes = 0;
    workspace.addEventListener('change', () => {
        changes += 1;
    });
    const other = await tab();
    await workspace.saved();
    await clock.pass(2000);
    await done();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '1'});
    assert.equal(changes, 0);
    assert.deepEqual(valuesOf(other.template), {a: '2', b: '1'});
});

test('a newer version is noticed, and shown on request', async () => {
    const workspace = await tab();
    server.publish(template({a: '9', b: '1'}));
    let isNews = false;
    workspace.addEventListener('versionchange', () => {
        isNews = true;
    });
    await workspace.checkNewest();
    assert.ok(workspace.isOutdated && !isNews);
    assert.deepEqual(valuesOf(workspace.template), {a: '1', b: '1'});
    await workspace.load(() => false);
    assert.equal(workspace.versionNumber, '1');
    await workspace.load();
    assert.ok(isNews && !workspace.isOutdated);
    assert.deepEqual(valuesOf(workspace.template), {a: '9', b: '1'});
});

test('a check without news changes nothing', async () => {
    const workspace = await tab();
    let changes = 0;
    workspace.addEventListener('change', () => {
        changes += 1;
    });
    await workspace.checkNewest();
    await workspace.checkNewest();
    assert.equal(changes, 0);
});

test('the tenth version is newer than the ninth', async () => {
    const workspace = await tab();
    for (let number = 2; number <= 9; number += 1) server.publish(template({a: String(number)}));
    await workspace.load();
    server.publish(template({a: '10'}));
    await workspace.checkNewest();
    assert.ok(workspace.isOutdated);
});

test('a draft keeps its base when a version is published', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    server.publish(template({a: '1', b: '5'}));
    await workspace.load();
    assert.equal(workspace.draft.base, '1');
    assert.deepEqual(valuesOf(workspace.baseTemplate), {a: '1', b: '1'});
    assert.ok(workspace.isOutdated);
    workspace.rebase(template({a: '2', b: '5'}), {versionNumber: '2', etag: 'etag-default-2',
        baseTemplate: workspace.published});
    await workspace.saved();
    assert.ok(!workspace.isOutdated);
    assert.equal(server.sent('PUT')[0].body.baseVersion, '2');
    assert.equal(server.draft.base, '2');
});

test('a draft whose base is gone is compared with the current version', async () => {
    server.publish(template({a: '1', b: '5'}));
    server.store(template({a: '2', b: '1'}), '1');
    server.versions.delete('1');
    server.versions.set('3', template({a: '1', b: '5'}));
    server.versions.delete('2');
    server.versions.set('2', template({a: '1', b: '5'}));
    const workspace = await tab();
    assert.equal(workspace.draft.isBaseGone, true);
    assert.deepEqual(valuesOf(workspace.baseTemplate), {a: '1', b: '5'});
    assert.equal(differenceCount(workspace.draft.changes), 0);
});

test('a published draft ends', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    server.publish(template({a: '2', b: '1'}));
    await workspace.endPublished(workspace.template, '2');
    assert.equal(workspace.draft, null);
    assert.equal(server.draft, null);
});

test('what was edited since a publish stays as a draft over the new version', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    const sent = workspace.template;
    workspace.edit(template({a: '2', b: '7'}));
    server.publish(template({a: '2', b: '1'}));
    await workspace.endPublished(sent, '2');
    await workspace.saved();
    assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '7'});
    assert.equal(workspace.draft.base, '2');
    assert.equal(server.draft.base, '2');
});

test('a role without drafts reads none', async () => {
    server.store(template({a: '2', b: '1'}), '1');
    const workspace = await tab({mayEdit: false});
    assert.equal(workspace.draft, null);
    assert.ok(server.sent('GET').every(({path}) => !path.endsWith('/draft')));
});

test('a draft is stored again with another token of the user', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    server.draft = null;
    workspace.sendDraft();
    await workspace.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '1'});
});

test('an answer to an earlier token is dropped', async () => {
    const workspace = await tab();
    server.failNext('PATCH', () => {
        workspace.sendDraft();
    });
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    // The first answer does not count, so that the draft is sent again and found there.
    assert.ok(server.sent('PATCH').length > 1);
    assert.ok(!workspace.isUnsaved);
});

test('a draft that was read while an edit began is not taken', async () => {
    const workspace = await tab();
    server.store(template({a: '8', b: '1'}), '1');
    server.failNext('GET', () => workspace.edit(template({a: '2', b: '1'})));
    await workspace.checkNewest();
    await workspace.saved();
    assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '1'});
    assert.deepEqual(workspace.overwritten, [['parameters', 'a', 'defaultValue', 'value']]);
});

test('a draft that was read before another one was saved is not taken', async () => {
    const workspace = await tab();
    server.store(template({a: '8', b: '1'}), '1');
    server.failNext('GET', {late: async () => {
        workspace.edit(template({a: '1', b: '2'}));
        await workspace.saved();
    }});
    await workspace.checkNewest();
    assert.deepEqual(valuesOf(workspace.template), {a: '8', b: '2'});
    assert.ok(!workspace.isUnsaved);
});

test('a publish that is under way is told to the pages', async () => {
    const workspace = await tab();
    let changes = 0;
    workspace.addEventListener('change', () => {
        changes += 1;
    });
    workspace.isPublishing = true;
    assert.ok(workspace.isPublishing);
    assert.equal(changes, 1);
});

test('saves without an answer are known by template and base', () => {
    const one = template({a: '1'});
    const saves = new UnansweredSaves();
    assert.equal(saves.isAny, false);
    saves.add({template: one, base: '1'});
    saves.add({template: one, base: '1'});
    saves.add({template: one, base: '2'});
    assert.equal(saves.list.length, 2);
    assert.ok(saves.has({template: template({a: '1'}), base: '2'}));
    assert.ok(!saves.has({template: template({a: '1'}), base: '3'}));
    assert.ok(!saves.has({template: template({a: '2'}), base: '1'}));
    assert.ok(!saves.has(null));
});

test('differences of a base that is gone are unknown', () => {
    assert.deepEqual(toldChanges({changes: {conditions: [1], groups: [], parameters: []}}),
        {changes: {conditions: [1], groups: [], parameters: []}, isBaseGone: false});
    const gone = toldChanges({});
    assert.equal(gone.isBaseGone, true);
    assert.equal(differenceCount(gone.changes), 0);
    assert.equal(differenceCount({conditions: [1], groups: [1, 2], parameters: [1, 2, 3]}), 6);
});

test('a draft is kept by user and project, with its digits', () => {
    const mirror = new DraftMirror('a.b/c', 'p');
    assert.equal(mirror.read(), null);
    assert.ok(mirror.write({draft: parseJSON('{"n":1.10,"10":1,"9":2}')}));
    assert.equal(sessionStorage.getItem('activeconfig.draft.a%2Eb%2Fc.p'),
        '{"draft":{"n":1.10,"10":1,"9":2}}');
    assert.deepEqual(Object.keys(mirror.read()), ['draft']);
    assert.ok(hasUnsavedDrafts('a.b/c') && !hasUnsavedDrafts('a'));
    assert.equal(new DraftMirror('a', 'p').read(), null);
    mirror.clear();
    assert.equal(mirror.read(), null);
});

test('drafts of others are those of users with another name', () => {
    assert.ok(isDraft('activeconfig.draft.a.p') && !isDraft('activeconfig.drafts'));
    assert.ok(isDraftOfOthers('activeconfig.draft.ab.p', 'a'));
    assert.ok(!isDraftOfOthers('activeconfig.draft.a.b.p', 'a'));
    assert.ok(isDraftOfOthers('activeconfig.draft.a.b.p', 'a.b'));
    assert.ok(!isDraftOfOthers('activeconfig.project', 'a'));
});

test('a workspace that is left goes on saving, and is shown again', async () => {
    const all = new Workspaces({name: 'ada', role: 'editor'});
    const one = all.of('default');
    opened.push(one);
    await one.load();
    all.show(one);
    server.failNext('PATCH', 'lost');
    one.edit(template({a: '2', b: '1'}));
    all.leave();
    assert.equal(all.open, null);
    assert.equal(all.of('default'), one);
    assert.ok(all.isUnsaved);
    await all.saved();
    await clock.pass(2000);
    await done();
    assert.ok(!all.isUnsaved);
    const other = all.of('default');
    opened.push(other);
    assert.notEqual(other, one);
});

test('a workspace that is shown again tells its changes', async () => {
    const all = new Workspaces({name: 'ada', role: 'editor'});
    const one = all.of('default');
    opened.push(one);
    await one.load();
    server.failNext('PATCH', 'lost');
    one.edit(template({a: '2', b: '1'}));
    all.show(one);
    all.leave();
    all.show(all.of('default'));
    let changes = 0;
    one.addEventListener('change', () => {
        changes += 1;
    });
    one.edit(template({a: '3', b: '1'}));
    await one.saved();
    assert.ok(changes > 0);
});

test('another project is opened without a question while the tab keeps the edits', async () => {
    const all = new Workspaces({name: 'ada', role: 'editor'});
    assert.equal(await all.mayLeave(), true);
    const one = all.of('default');
    opened.push(one);
    await one.load();
    all.show(one);
    server.failNext('PATCH', 'lost');
    one.edit(template({a: '2', b: '1'}));
    assert.equal(await all.mayLeave(), true);
    await all.saved();
    all.stop();
    await clock.pass(10_000);
    assert.equal(server.draft, null);
});
