import assert from 'node:assert/strict';
import {test} from 'node:test';

import {overwrittenNames} from '../../Sources/Console/Pages/drafts/overwritten.js';
import {done, server, tab, template, valuesOf} from './tabs.mjs';

test('edits of two tabs are merged', async () => {
    const [one, two] = [await tab(), await tab({hasDialog: () => true})];
    one.edit(template({a: '2', b: '1'}));
    await one.saved();
    await done();
    two.edit(template({a: '1', b: '3'}));
    await two.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '3'});
    assert.deepEqual(two.state.overwritten, []);
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
    assert.deepEqual(two.state.overwritten, [['parameters', 'a', 'defaultValue', 'value']]);
    assert.deepEqual(overwrittenNames(two.state), ['Default.a, default value (“2”)']);
});

test('undo brings back the value of another tab that a merge replaced', async () => {
    const [one, two] = [await tab(), await tab({hasDialog: () => true})];
    one.edit(template({a: '2', b: '1'}));
    await one.saved();
    two.edit(template({a: '3', b: '4'}));
    await two.saved();
    await two.undo();
    await two.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '4'});
    assert.deepEqual(two.state.overwritten, []);
    await two.redo();
    assert.deepEqual(valuesOf(two.template), {a: '3', b: '4'});
    await two.undo();
    await two.undo();
    assert.deepEqual(valuesOf(two.template), {a: '2', b: '1'});
});

test('the note of a form names the value that it replaced', async () => {
    const workspace = await tab();
    workspace.edit(template({a: 'x'.repeat(90), b: '1'}));
    workspace.edit(template({a: '3', b: '1'}), [['parameters', 'a', 'defaultValue', 'value']]);
    assert.deepEqual(overwrittenNames(workspace.state),
        [`Default.a, default value (“${'x'.repeat(60)}…”)`]);
    workspace.edit(template({a: '4', b: '1'}), [['parameters', 'gone'], ['parameters', 'b'],
        ['conditions']]);
    assert.deepEqual(overwrittenNames(workspace.state), ['Default.gone (deleted)', 'Default.b (“1”)',
        'the order of the conditions']);
});

test('the note of a form names the value for a condition that it replaced', async () => {
    const workspace = await tab();
    const before = template({a: '1', b: '1'});
    const [mine, theirs] = ['Mine', 'Theirs'].map((value) => ({...before, parameters: {
        ...before.parameters,
        a: {defaultValue: {value: '1'}, conditionalValues: {'User 2': {value}}}}}));
    workspace.edit(theirs);
    workspace.edit(mine, [['parameters', 'a', 'conditionalValues', 'User 2']]);
    assert.deepEqual(
        overwrittenNames(workspace.state), ['Default.a, value for “User 2” (“Theirs”)']);
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

test('a draft is stored again with another token of the user', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    server.draft = null;
    workspace.sync.renew();
    await workspace.saved();
    assert.deepEqual(valuesOf(server.draft.template), {a: '2', b: '1'});
});

test('an answer to an earlier token is dropped', async () => {
    const workspace = await tab();
    server.failNext('PATCH', () => {
        workspace.sync.renew();
    });
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    // The first response is dropped, so the draft is sent again, and the server has it already.
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
    assert.deepEqual(workspace.state.overwritten, [['parameters', 'a', 'defaultValue', 'value']]);
});

test('a draft is read again after reading it was refused', async () => {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '1'}));
    await workspace.saved();
    server.failNext('GET', 403);
    await assert.rejects(workspace.checkNewest(), {status: 403});
    assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '1'});
    server.store(template({a: '7', b: '1'}));
    await workspace.checkNewest();
    assert.deepEqual(valuesOf(workspace.template), {a: '7', b: '1'});
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

test('a value of another tab follows a condition that this tab renames', async () => {
    const condition = {name: 'A', expression: 'true'};
    server.publish({...template({a: '1', b: '1'}), conditions: [condition]});
    const workspace = await tab({hasDialog: () => true});
    const other = template({a: '1', b: '1'});
    other.parameters.b.conditionalValues = {A: {value: '2'}};
    server.store({...other, conditions: [condition]}, '2');
    workspace.edit({...template({a: '1', b: '1'}), conditions: [{...condition, name: 'Z'}]});
    await workspace.saved();
    assert.deepEqual(server.draft.template.parameters.b.conditionalValues, {Z: {value: '2'}});
    assert.deepEqual(workspace.state.overwritten, []);
});
