import {MemoryStorage} from './browser.mjs';
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {clock, done, server, stoppedAfterwards, tab, template, unpublish, valuesOf}
    from './tabs.mjs';
import {DraftMirror, hasUnsavedDrafts}
    from '../../Sources/Console/Pages/drafts/draft-mirror.js';
import {parseJSON} from '../../Sources/Console/Pages/json/json-text.js';
import {UnansweredSaves} from '../../Sources/Console/Pages/drafts/unanswered-saves.js';
import {Workspaces} from '../../Sources/Console/Pages/drafts/workspaces.js';
import {ownKey} from '../../Sources/Console/Pages/storage/stored-data.js';

test('a save whose response was lost is not mistaken for an edit by another user', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'unanswered');
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    assert.ok(workspace.isUnsaved);
    workspace.edit(template({a: '3', b: '1'}));
    await workspace.saved();
    assert.deepEqual(workspace.state.overwritten, []);
    assert.deepEqual(valuesOf(server.draft.template), {a: '3', b: '1'});
});

test('an edit that was taken back after a save without an answer spares the rest', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '1', b: '2'}));
    await workspace.saved();
    server.failNext('PATCH', 'unanswered');
    workspace.edit(template({a: '2', b: '2'}));
    await workspace.saved();
    assert.ok(workspace.isUnsaved);
    workspace.edit(template({a: '1', b: '2'}));
    await workspace.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '1', b: '2'});
    assert.deepEqual(workspace.state.overwritten, []);
    assert.ok(!workspace.isUnsaved);
});

test('a draft that was taken back goes after a reload although its save had no answer', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'unanswered');
    server.failNext('GET', 'lost');
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    workspace.edit(template({a: '1', b: '1'}));
    await workspace.saved();
    assert.ok(!workspace.draft && workspace.isUnsaved && server.draft);
    workspace.sync.stop();
    const again = await tab();
    await again.saved();
    assert.deepEqual([again.draft, server.draft], [null, null]);
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
    workspace.sync.stop();
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
    workspace.sync.stop();
    server.store(template({a: '3', b: '3'}), '1');
    const again = await tab();
    await again.saved();
    assert.deepEqual(valuesOf(again.template), {a: '2', b: '3'});
    assert.deepEqual(again.state.overwritten, [['parameters', 'a', 'defaultValue', 'value']]);
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '3'});
    await again.undo();
    assert.deepEqual(valuesOf(again.template), {a: '3', b: '3'});
});

test('a reload after a save without an answer overwrites nothing', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'unanswered');
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    workspace.edit(template({a: '3', b: '1'}));
    workspace.sync.stop();
    const again = await tab();
    await again.saved();
    assert.deepEqual(valuesOf(again.template), {a: '3', b: '1'});
    assert.deepEqual(again.state.overwritten, []);
});

test('a discard that was not saved goes on after a reload', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    server.failNext('DELETE', 'lost');
    await workspace.discard();
    assert.ok(workspace.isUnsaved);
    workspace.sync.stop();
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
    workspace.sync.stop();
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
    assert.equal(workspace.sync.isKeptInTab, false);
    await clock.pass(2000);
    await done();
    assert.equal(workspace.sync.isKeptInTab, true);
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '1'});
});

const draftKey = ownKey('draft', {user: 'ada', project: 'default'});

/** Number of times that a draft was written in the storage. */
function countWrites() {
    const writes = {count: 0};
    const {setItem} = MemoryStorage.prototype;
    sessionStorage.__proto__ = Object.create(MemoryStorage.prototype, {setItem: {
        value(key, text) {
            if (key === draftKey) writes.count += 1;
            setItem.call(this, key, text);
        }}});
    return writes;
}

test('a retry writes the draft in the tab only if it changed', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'lost');
    const writes = countWrites();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    const {count} = writes;
    for (let retry = 0; retry < 3; retry += 1) {
        server.failNext('PATCH', 'lost');
        await clock.pass(2000);
        await done();
    }
    assert.ok(workspace.isUnsaved);
    assert.equal(writes.count, count);
    assert.ok(count > 0 && count <= 2, `${count} writes of one edit`);
    sessionStorage.removeItem(draftKey);
    server.failNext('PATCH', 'lost');
    await clock.pass(2000);
    await done();
    assert.ok(hasUnsavedDrafts('ada'), 'the draft after its copy was removed');
});

test('what the tab keeps does not grow with the saves without an answer', async () => {
    const workspace = await tab();
    const long = 'x'.repeat(1000);
    const sizes = [];
    for (let edit = 0; edit < 130; edit += 1) {
        server.failNext('PATCH', 'unanswered');
        workspace.edit(template({a: String(edit), b: long}));
        await workspace.saved();
        sizes.push(sessionStorage[draftKey].length);
    }
    assert.ok(sizes.at(-1) < 8000, `${sizes.at(-1)} characters`);
    workspace.sync.stop();
    const again = await tab();
    await again.saved();
    assert.deepEqual(again.state.overwritten, []);
    assert.equal(valuesOf(server.draft.template).a, '129');
});

test('a stopped workspace saves nothing more, and keeps its draft in the tab', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'lost');
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    workspace.sync.stop();
    await clock.pass(10_000);
    assert.equal(server.draft, null);
    assert.ok(hasUnsavedDrafts('ada'));
});

test('a closed workspace continues to save, and notifies no listener', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'lost');
    workspace.edit(template({a: '2', b: '1'}));
    workspace.sync.close();
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

test('a damaged entry of the storage is as none', async () => {
    const stepsKey = ownKey('steps', {user: 'ada', project: 'default'});
    for (const text of ['{"draft":', 'x', '7', 'null', '[]', '{}']) {
        sessionStorage.setItem(draftKey, text);
        sessionStorage.setItem(stepsKey, text);
        const workspace = await tab();
        assert.equal(workspace.undoName, null, text);
        assert.equal(workspace.draft, null, text);
        assert.ok(!hasUnsavedDrafts('ada'), text);
        workspace.edit(template({a: '2', b: '1'}));
        await workspace.saved();
        assert.equal(workspace.undoName, 'a 2', text);
        await workspace.discard();
        workspace.sync.stop();
        sessionStorage.removeItem(stepsKey);
    }
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
    await other.load();
    assert.deepEqual(valuesOf(other.draft.template), {a: '2', b: '1'});
});

test('edits after a return join those that were left unsaved', async () => {
    const all = new Workspaces({name: 'ada', role: 'editor'});
    const one = stoppedAfterwards(all.of('default'));
    await one.load();
    all.show(one);
    server.failNext('PATCH', 'lost');
    one.edit(template({a: '2', b: '1'}));
    await one.saved();
    all.leave();
    const again = all.of('default');
    all.show(again);
    await again.load();
    assert.deepEqual(valuesOf(again.template), {a: '2', b: '1'});
    again.edit(template({a: '2', b: '2'}));
    await again.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '2'});
});

test('a workspace that is left stays until the end of its publish was shown', async () => {
    const all = new Workspaces({name: 'ada', role: 'editor'});
    const one = stoppedAfterwards(all.of('default'));
    await one.load();
    all.show(one);
    one.isPublishing = true;
    all.leave();
    assert.ok(all.isPublishing);
    assert.equal(all.of('default'), one);
    one.notePublish(
        {version: {versionNumber: '2'}, isOwn: true, time: Date.now(), isSeen: false});
    one.isPublishing = false;
    assert.ok(!all.isPublishing);
    assert.deepEqual(all.endedElsewhere, [one]);
    assert.equal(all.of('default'), one);
    one.notePublish({...one.lastPublish, isSeen: true});
    assert.deepEqual(all.endedElsewhere, []);
    // It can be undone for a minute.
    assert.equal(all.of('default'), one);
    one.notePublish({...one.lastPublish, time: Date.now() - 60_001});
    assert.notEqual(stoppedAfterwards(all.of('default')), one);
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

test('a workspace that was left with an unsaved draft follows whether the project is archived', async () => {
    const all = new Workspaces({name: 'ada', role: 'editor'});
    const one = stoppedAfterwards(all.of('default'));
    await one.load();
    all.show(one);
    server.failNext('PATCH', 'lost');
    one.edit(template({a: '2', b: '1'}));
    await all.saved();
    all.leave();
    for (const isReadOnly of [true, false]) {
        assert.equal(all.of('default', {role: 'editor', isReadOnly}), one);
        assert.equal(one.isReadOnly, isReadOnly);
    }
});

test('a saved draft is kept for another token of the user after a reload', async () => {
    const all = new Workspaces({name: 'ada', role: 'editor'});
    const one = stoppedAfterwards(all.of('default'));
    await one.load();
    all.show(one);
    one.edit(template({a: '2', b: '1'}));
    await all.saved();
    assert.ok(!hasUnsavedDrafts('ada'));
    all.keepDrafts(true);
    assert.ok(hasUnsavedDrafts('ada'));
    all.stop();
    // The drafts of a revoked token are lost.
    server.draft = null;
    const again = await tab();
    assert.deepEqual(valuesOf(again.template), {a: '2', b: '1'});
    await again.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '1'});
    assert.ok(!hasUnsavedDrafts('ada'));
});

test('a draft that was kept for another token is forgotten when the same one continues', async () => {
    const all = new Workspaces({name: 'ada', role: 'editor'});
    const one = stoppedAfterwards(all.of('default'));
    await one.load();
    all.show(one);
    one.edit(template({a: '2', b: '1'}));
    await all.saved();
    all.keepDrafts(true);
    all.keepDrafts(false);
    assert.ok(!hasUnsavedDrafts('ada'));
});

/** A tab with an edit that the server lacks, closed as at a reload. */
async function unsaved() {
    const workspace = await tab();
    server.failNext('PATCH', 'lost');
    workspace.edit(template({a: '2', b: '1'}), [], 'a 2');
    await workspace.saved();
    workspace.sync.stop();
}

test('an unsaved draft of a deleted project is not restored into another of its name', async () => {
    await unsaved();
    server.recreate();
    const again = await tab();
    assert.equal(again.draft, null);
    assert.equal(again.version, null);
    assert.equal(again.versionNumber, '2');
    assert.deepEqual(again.state.dropped, ['a 2']);
    assert.ok(!again.canUndo);
    assert.ok(!hasUnsavedDrafts('ada'));
    await again.saved();
    assert.equal(server.draft, null);
    again.sync.send({type: 'noted'});
    assert.deepEqual(again.state.dropped, []);
});

test('it is not restored after a publish in the other project either', async () => {
    await unsaved();
    server.recreate();
    server.publish(template({c: '1'}));
    const again = await tab();
    assert.equal(again.draft, null);
    assert.deepEqual(valuesOf(again.template), {c: '1'});
    assert.deepEqual(again.state.dropped, ['a 2']);
});

test('a draft from before the first publish is not restored into another project', async () => {
    unpublish();
    server.recreate();
    await unsaved();
    server.recreate();
    const again = await tab();
    assert.equal(again.draft, null);
    assert.deepEqual(again.state.dropped, ['a 2']);
});

test('a draft from before the first publish is restored after it', async () => {
    unpublish();
    await unsaved();
    server.publish(template({b: '1'}));
    const again = await tab();
    assert.deepEqual(valuesOf(again.template), {a: '2', b: '1'});
    assert.deepEqual(again.state.dropped, []);
});

test('a draft over an empty version is restored after the first publish', async () => {
    server.recreate();
    await unsaved();
    server.publish(template({b: '1'}));
    const again = await tab();
    assert.deepEqual(valuesOf(again.template), {a: '2', b: '1'});
    assert.deepEqual(again.state.dropped, []);
});

test('a draft is not restored into a project that a publish created again', async () => {
    await unsaved();
    server.versions.delete('1');
    server.versions.set('2', template({c: '1'}));
    const again = await tab();
    assert.deepEqual(valuesOf(again.template), {c: '1'});
    assert.deepEqual(again.state.dropped, ['a 2']);
});

test('a draft is restored although its version is no longer kept', async () => {
    await unsaved();
    for (let count = 0; count < 300; count += 1) server.publish(template({c: '1'}));
    server.prune();
    const again = await tab();
    assert.deepEqual(valuesOf(again.template), {a: '2', b: '1'});
    assert.deepEqual(again.state.dropped, []);
});

test('a draft is restored after the server went back to a backup', async () => {
    server.publish(template({a: '1', b: '1'}));
    await unsaved();
    server.versions.delete('2');
    const again = await tab();
    assert.deepEqual(valuesOf(again.template), {a: '2', b: '1'});
});

test('steps of a deleted project end without a draft, too', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.undo();
    await workspace.saved();
    workspace.sync.stop();
    server.recreate();
    const again = await tab();
    assert.ok(!again.canRedo);
    assert.deepEqual(again.state.dropped, []);
});

test('an open tab drops its draft when another project has the name', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}), [], 'a 2');
    await workspace.saved();
    server.recreate();
    await workspace.load();
    assert.equal(workspace.draft, null);
    assert.deepEqual(workspace.state.dropped, ['a 2']);
    assert.ok(!workspace.isUnsaved && !workspace.canUndo);
    workspace.edit(template({c: '1'}));
    await workspace.saved();
    assert.equal(server.draft.base, '2');
    assert.equal(workspace.draft.etag, '"etag-default-2"');
});

test('an edit that waits is dropped with its project as well', async () => {
    const workspace = await tab();
    server.failNext('PATCH', 'lost');
    workspace.edit(template({a: '2', b: '1'}), [], 'a 2');
    await workspace.saved();
    server.recreate();
    await workspace.load();
    await clock.pass(10_000);
    assert.equal(server.draft, null);
    assert.equal(workspace.draft, null);
    assert.deepEqual(workspace.state.dropped, ['a 2']);
});

test('a draft in an archived project can only be discarded', async () => {
    server.store(template({a: '2', b: '1'}), '1');
    const all = new Workspaces({name: 'ada', role: 'editor'});
    const archived = stoppedAfterwards(all.of('default', {role: 'editor', isReadOnly: true}));
    await archived.load();
    assert.deepEqual(valuesOf(archived.draft.template), {a: '2', b: '1'});
    await archived.discard();
    assert.deepEqual([archived.draft, server.draft, archived.undoName], [null, null, null]);
    const viewer = stoppedAfterwards(all.of('default', {role: 'viewer'}));
    server.store(template({a: '2', b: '1'}), '1');
    await viewer.load();
    assert.deepEqual([viewer.draft, viewer.version?.versionNumber], [null, '1']);
});
