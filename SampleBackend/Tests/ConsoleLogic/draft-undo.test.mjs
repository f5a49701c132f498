import {MemoryStorage} from './browser.mjs';
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {done, server, tab, template, valuesOf} from './tabs.mjs';
import {forgetUser} from '../../Sources/Console/Pages/storage/stored-data.js';

const isSteps = (key) => key.startsWith('activeconfig.steps.');

/** Edits a draft, and waits until the server and the other tabs have it. */
async function edit(workspace, values) {
    workspace.edit(template(values));
    await workspace.saved();
    await done();
}

/** A tab with an edit that the server has. */
async function edited() {
    const workspace = await tab();
    await edit(workspace, {a: '2', b: '1'});
    return workspace;
}

/** A tab that discarded its edit of version 1 after another person had published version 2. */
async function discarded(published) {
    const workspace = await edited();
    server.publish(template(published));
    await workspace.load();
    await workspace.discard();
    return workspace;
}

/** Two tabs; the first has an edit that both know. */
async function twoTabs() {
    const [one, two] = [await tab(), await tab()];
    await edit(one, {a: '2', b: '1'});
    return [one, two];
}

test('an edit is undone and redone, also on the server', async () => {
    const workspace = await tab();
    assert.deepEqual([workspace.undoName, workspace.redoName], [null, null]);
    workspace.edit(template({a: '2', b: '1'}));
    assert.equal(workspace.undoName, 'a 2');
    await workspace.saved();
    assert.deepEqual(await workspace.undo(), {name: 'a 2', kept: []});
    await workspace.saved();
    assert.equal(workspace.draft, null);
    assert.equal(server.draft, null);
    assert.equal(workspace.undoName, null);
    assert.equal(workspace.redoName, 'a 2');
    await workspace.redo();
    await workspace.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '1'});
    assert.equal(workspace.draft.base, '1');
    assert.equal(await workspace.redo(), null);
});

test('a step that its question refuses changes nothing, and can be asked for again', async () => {
    const workspace = await edited();
    const asked = [];
    const refuse = async (name, before, after) => {
        asked.push([name, valuesOf(before), valuesOf(after)]);
        return false;
    };
    assert.equal(await workspace.undo(refuse), null);
    assert.deepEqual(asked, [['a 2', {a: '2', b: '1'}, {a: '1', b: '1'}]]);
    assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '1'});
    assert.equal((await workspace.undo(async () => true)).name, 'a 2');
    assert.equal(workspace.redoName, 'a 2');
    assert.equal(await workspace.redo(refuse), null);
    assert.deepEqual(valuesOf(workspace.template), {a: '1', b: '1'});
});

test('a step is asked about again if the draft changes while its question is open', async () => {
    const workspace = await edited();
    let count = 0;
    await workspace.undo(async () => {
        count += 1;
        if (count === 1) workspace.edit(template({a: '2', b: '5'}));
        return true;
    });
    assert.equal(count, 2);
    // The newest step is then another one.
    assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '1'});
});

test('the description of the version is no step, and stays', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    workspace.edit(template({a: '2', b: '2'}));
    await workspace.undo();
    workspace.describe('Why');
    assert.deepEqual([workspace.undoName, workspace.redoName], ['a 2', 'b 2']);
    assert.equal((await workspace.redo()).name, 'b 2');
    assert.equal((await workspace.undo()).name, 'b 2');
    await workspace.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '1'});
    assert.equal(server.draft.template.version.description, 'Why');
    workspace.describe('');
    await workspace.saved();
    assert.equal(server.draft.template.version, undefined);
    await workspace.undo();
    workspace.describe('Nothing to describe');
    assert.equal(workspace.draft, null);
});

test('steps end with a publish in another tab, also if its version cannot be read at first', async () => {
    const [one, two] = await twoTabs();
    server.publish(one.template);
    server.lostVersions = 1;
    await two.endPublished(two.template, '2');
    await done();
    assert.deepEqual([one.draft, one.versionNumber, server.lostVersions], [null, '1', 0]);
    await one.load();
    assert.deepEqual([one.versionNumber, one.undoName], ['2', null]);
});

test('two undos at once take back two steps', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    workspace.edit(template({a: '2', b: '2'}));
    const names = await Promise.all([workspace.undo(), workspace.undo(), workspace.undo()]);
    assert.deepEqual(names.map((step) => step?.name), ['b 2', 'a 2', undefined]);
    assert.equal(workspace.draft, null);
});

test('steps survive a reload of the page, by user and project', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    workspace.edit(template({a: '2', b: '2'}));
    await workspace.undo();
    await workspace.saved();
    workspace.sync.stop();
    assert.equal((await tab({user: 'bob'})).undoName, null);
    const again = await tab();
    assert.deepEqual([again.undoName, again.redoName], ['a 2', 'b 2']);
    await again.redo();
    assert.deepEqual(valuesOf(again.template), {a: '2', b: '2'});
});

test('undo keeps what another tab changed', async () => {
    const [one, two] = await twoTabs();
    await edit(two, {a: '2', b: '3'});
    assert.deepEqual(await one.undo(), {name: 'a 2', kept: []});
    await one.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '1', b: '3'});
    await done();
    assert.equal(two.undoName, 'b 3');
});

test('undo leaves a value that another tab has replaced', async () => {
    const [one, two] = [await tab(), await tab()];
    await edit(one, {a: '2', b: '2'});
    await edit(two, {a: '9', b: '2'});
    const {kept} = await one.undo();
    assert.deepEqual(kept, [['parameters', 'a', 'defaultValue', 'value']]);
    assert.deepEqual(valuesOf(one.template), {a: '9', b: '1'});
});

test('a step that another tab has undone is not offered', async () => {
    const [one, two] = await twoTabs();
    await edit(two, {a: '1', b: '1'});
    assert.equal(one.undoName, null);
    assert.equal(await one.undo(), null);
});

test('an undo while another browser saves is merged with its edit', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await edit(workspace, {a: '3', b: '1'});
    server.store(template({a: '3', b: '7'}), '1');
    await workspace.undo();
    await workspace.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '7'});
});

test('a discarded draft comes back', async () => {
    const workspace = await edited();
    await workspace.discard();
    assert.equal(workspace.undoName, 'discard the draft');
    await workspace.undo();
    await workspace.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '1'});
    assert.deepEqual([workspace.undoName, workspace.redoName], ['a 2', 'discard the draft']);
    await workspace.redo();
    await workspace.saved();
    assert.equal(server.draft, null);
});

test('a discarded draft comes back over its own version', async () => {
    const workspace = await discarded({a: '5', b: '5'});
    assert.deepEqual(valuesOf(workspace.template), {a: '5', b: '5'});
    await workspace.undo();
    await workspace.saved();
    assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '1'});
    assert.deepEqual(valuesOf(workspace.baseTemplate), {a: '1', b: '1'});
    assert.equal(server.draft.base, '1');
    assert.ok(workspace.isOutdated);
});

test('a discarded draft whose version is gone comes back over the current one', async () => {
    const workspace = await discarded({a: '1', b: '5'});
    server.versions.delete('1');
    server.versions.set('3', template({a: '1', b: '5'}));
    await workspace.load();
    await workspace.undo();
    assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '5'});
    assert.equal(workspace.draft.base, workspace.versionNumber);
});

test('an undo without an answer changes nothing, and can be repeated', async () => {
    const workspace = await discarded({a: '5', b: '5'});
    const {fetch} = globalThis;
    globalThis.fetch = () => Promise.reject(new Error('The connection broke.'));
    await assert.rejects(workspace.undo(), /does not answer/);
    assert.equal(workspace.draft, null);
    globalThis.fetch = fetch;
    await workspace.undo();
    assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '1'});
});

test('a merge with a version is undone to the draft before it', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    server.publish(template({a: '1', b: '5'}));
    await workspace.load();
    workspace.rebase(template({a: '2', b: '5'}), {versionNumber: '2', etag: '"etag-default-2"',
        baseTemplate: workspace.published});
    assert.equal(workspace.undoName, 'merge with version 2');
    await workspace.undo();
    await workspace.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '1'});
    assert.equal(server.draft.base, '1');
    assert.ok(workspace.isOutdated);
    await workspace.redo();
    await workspace.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '5'});
    assert.equal(server.draft.base, '2');
});

test('a publish ends the steps', async () => {
    const workspace = await edited();
    const sent = workspace.template;
    server.publish(sent);
    await workspace.endPublished(sent, '2');
    await workspace.load();
    assert.deepEqual([workspace.undoName, workspace.redoName], [null, null]);
});

test('the steps since a publish stay', async () => {
    const workspace = await edited();
    const sent = workspace.template;
    workspace.edit(template({a: '2', b: '7'}));
    server.publish(sent);
    await workspace.endPublished(sent, '2');
    await workspace.load();
    assert.equal(workspace.undoName, 'b 7');
    await workspace.undo();
    assert.equal(workspace.draft, null);
    assert.equal(workspace.undoName, null);
});

test('a publish in another tab ends the steps, also over a reload', async () => {
    const [one, two] = await twoTabs();
    server.publish(one.template);
    await two.endPublished(two.template, '2');
    await done();
    assert.equal(one.versionNumber, '2');
    assert.equal(one.undoName, null);
});

test('a publish while the page is closed ends the steps', async () => {
    const workspace = await edited();
    workspace.sync.stop();
    server.publish(server.draft.template);
    server.draft = null;
    const again = await tab();
    assert.equal(again.undoName, null);
});

test('nothing is undone during a publish', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    workspace.isPublishing = true;
    assert.equal(workspace.undoName, null);
    assert.equal(await workspace.undo(), null);
    workspace.isPublishing = false;
    assert.equal(workspace.undoName, 'a 2');
});

test('an unsaved draft takes the place of the steps in a full storage', async () => {
    const workspace = await tab();
    for (const value of 'abcdefgh') workspace.edit(template({a: value.repeat(100), b: '1'}));
    await workspace.saved();
    const keys = () => Object.keys(sessionStorage).filter(isSteps);
    assert.equal(keys().length, 1);
    // The storage has space for one of the two.
    Object.defineProperty(sessionStorage, 'setItem', {value(key, value) {
        if (Object.keys(this).some((other) => other !== key)) throw new Error('It is full.');
        MemoryStorage.prototype.setItem.call(this, key, value);
    }});
    server.failNext('PATCH', 'lost');
    workspace.edit(template({a: '2', b: '1'}));
    assert.ok(workspace.sync.isKeptInTab);
    assert.equal(keys().length, 0);
    assert.equal(workspace.undoName, 'a 2');
});

test('an edit while a version is read for an undo is kept', async () => {
    const workspace = await discarded({a: '5', b: '5'});
    const {fetch} = globalThis;
    globalThis.fetch = (path, options) => {
        globalThis.fetch = fetch;
        server.store(template({a: '5', b: '8'}), '2');
        return workspace.checkNewest().then(() => fetch(path, options));
    };
    await workspace.undo();
    assert.deepEqual(valuesOf(workspace.template), {a: '5', b: '8'});
    await workspace.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '5', b: '8'});
});

test('steps are forgotten with their user, unless the work is kept', async () => {
    const workspace = await edited();
    workspace.sync.stop();
    forgetUser('ada', {keepsWork: true});
    assert.ok(Object.keys(sessionStorage).some(isSteps));
    forgetUser('ada');
    assert.ok(!Object.keys(sessionStorage).some(isSteps));
});

test('a stopped workspace stores no steps after its user was forgotten', async () => {
    const workspace = await edited();
    workspace.sync.stop();
    forgetUser('ada');
    workspace.edit(template({a: '3', b: '1'}));
    assert.ok(!Object.keys(sessionStorage).some(isSteps));
});

test('a role without drafts undoes nothing', async () => {
    const workspace = await edited();
    await workspace.undo();
    await workspace.saved();
    workspace.sync.stop();
    const viewer = await tab({mayEdit: false});
    assert.deepEqual([viewer.undoName, viewer.redoName], [null, null]);
    assert.equal(await viewer.redo(), null);
    viewer.sync.stop();
    assert.equal((await tab()).redoName, 'a 2');
});

test('a discard after the draft was published elsewhere brings nothing published back', async () => {
    const workspace = await tab({hasDialog: () => true});
    await edit(workspace, {a: '2', b: '1'});
    // Another tab publishes the draft while this one asks whether to discard it.
    server.publish(workspace.template);
    server.draft = null;
    await workspace.discard();
    await workspace.load();
    assert.deepEqual([workspace.draft, workspace.undoName, workspace.isUnsaved], [null, null, false]);
});

// The current version does not tell whether the draft was published before.
test('a discard after the next publish of another value can be undone', async () => {
    const workspace = await tab({hasDialog: () => true});
    await edit(workspace, {a: '2', b: '1'});
    server.publish(workspace.template);
    server.draft = null;
    server.publish(template({a: '3', b: '1'}));
    await workspace.discard();
    await workspace.load();
    assert.equal(workspace.undoName, 'discard the draft');
});

test('a discard between the publish and the end of the draft brings nothing published back', async () => {
    const workspace = await tab({hasDialog: () => true});
    await edit(workspace, {a: '2', b: '1'});
    server.publish(workspace.template);
    await workspace.discard();
    await workspace.load();
    assert.deepEqual([workspace.draft, workspace.undoName], [null, null]);
});

for (const [what, published] of [
    ['another value', {a: '3', b: '1'}], ['a part of it', {a: '2', b: '1'}],
    ['something else', {a: '1', b: '3'}]]) {
    test(`a discard before a publish of ${what} brings back what was discarded`, async () => {
        const workspace = await tab();
        await edit(workspace, {a: '2', b: '2'});
        await workspace.discard();
        server.publish(template(published));
        await workspace.load();
        assert.equal(workspace.undoName, 'discard the draft');
        await workspace.undo();
        assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '2'});
        assert.equal(workspace.draft.base, '1');
    });
}

test('a draft that was discarded elsewhere can be brought back here', async () => {
    const workspace = await tab({hasDialog: () => true});
    await edit(workspace, {a: '2', b: '1'});
    server.draft = null;
    await workspace.discard();
    await workspace.load();
    assert.equal(workspace.undoName, 'discard the draft');
});

/** A tab whose draft ended in another browser after version 2 was published; counts `ended`. */
async function endedElsewhere(published) {
    const workspace = await edited();
    const ends = [];
    workspace.addEventListener('ended', () => ends.push(valuesOf(workspace.published)));
    server.publish(template(published));
    server.draft = null;
    await workspace.checkNewest();
    return {workspace, ends};
}

test('a draft that was discarded elsewhere after another publish can be brought back', async () => {
    const {workspace, ends} = await endedElsewhere({a: '1', b: '3'});
    assert.deepEqual(ends, [{a: '1', b: '3'}]);
    assert.deepEqual([workspace.draft, workspace.undoName], [null, 'discard the draft']);
    await workspace.undo();
    assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '1'});
    assert.equal(workspace.draft.base, '1');
    assert.equal(workspace.undoName, 'a 2');
});

for (const [what, published] of [['it', {a: '2', b: '1'}], ['more', {a: '2', b: '3'}]]) {
    test(`the steps of a draft end with it when a version has ${what}`, async () => {
        const {workspace, ends} = await endedElsewhere(published);
        assert.equal(ends.length, 1);
        assert.deepEqual([workspace.undoName, workspace.sync.steps.names], [null, []]);
    });
}

test('the steps of a draft that was published end also after a reload', async () => {
    const workspace = await edited();
    workspace.sync.stop();
    server.publish(template({a: '2', b: '3'}));
    server.draft = null;
    assert.deepEqual((await tab()).sync.steps.names, []);
});

test('the steps of a draft that was discarded elsewhere stay after a reload', async () => {
    const workspace = await edited();
    workspace.sync.stop();
    server.publish(template({a: '1', b: '3'}));
    server.draft = null;
    assert.deepEqual((await tab()).sync.steps.names, ['a 2']);
});

test('a draft that ends here has not ended elsewhere', async () => {
    const workspace = await edited();
    workspace.addEventListener('ended', () => assert.fail('It has ended here.'));
    await workspace.undo();
    await workspace.saved();
    await workspace.load();
    await edit(workspace, {a: '2', b: '1'});
    const {template: sent} = workspace.draft;
    server.publish(sent);
    await workspace.endPublished(sent, '2');
    await workspace.load();
});
