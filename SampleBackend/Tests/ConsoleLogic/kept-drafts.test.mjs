import {MemoryStorage} from './browser.mjs';
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {clock, done, server, stoppedAfterwards, tab, template, valuesOf} from './tabs.mjs';
import {DraftMirror, hasUnsavedDrafts, isDraft, isDraftOfOthers}
    from '../../Sources/Console/Pages/drafts/draft-mirror.js';
import {parseJSON} from '../../Sources/Console/Pages/json/json-text.js';
import {UnansweredSaves} from '../../Sources/Console/Pages/drafts/unanswered-saves.js';
import {Workspaces} from '../../Sources/Console/Pages/drafts/workspaces.js';

test('a save whose response was lost is not mistaken for an edit by another user', async () => {
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

test('an unsaved draft is merged with edits saved elsewhere before the reload', async () => {
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

test('a discard before a reload spares edits saved elsewhere since', async () => {
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

test('a full storage is reported, and the draft is saved as well', async () => {
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

test('a closed workspace continues to save, and notifies no listener', async () => {
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

test('saves without an answer are known by template and base', () => {
    const one = template({a: '1'});
    const saves = new UnansweredSaves();
    assert.deepEqual(saves.list, []);
    saves.add({template: one, base: '1'});
    saves.add({template: one, base: '1'});
    saves.add({template: one, base: '2'});
    assert.equal(saves.list.length, 2);
    assert.ok(saves.has({template: template({a: '1'}), base: '2'}));
    assert.ok(!saves.has({template: template({a: '1'}), base: '3'}));
    assert.ok(!saves.has({template: template({a: '2'}), base: '1'}));
    assert.ok(!saves.has(null));
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
    const one = stoppedAfterwards(all.of('default'));
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
    const other = stoppedAfterwards(all.of('default'));
    assert.notEqual(other, one);
});

test('a workspace that is shown again reports its changes', async () => {
    const all = new Workspaces({name: 'ada', role: 'editor'});
    const one = stoppedAfterwards(all.of('default'));
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
    const one = stoppedAfterwards(all.of('default'));
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
