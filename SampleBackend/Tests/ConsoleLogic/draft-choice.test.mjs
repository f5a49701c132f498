import assert from 'node:assert/strict';
import {test} from 'node:test';

import {server, stoppedAfterwards, tab, template} from './tabs.mjs';
import {choiceInput} from '../../Sources/Console/Pages/drafts/choice-input.js';
import {Workspace} from '../../Sources/Console/Pages/drafts/workspace.js';
import {ChangeChoice} from '../../Sources/Console/Pages/review/change-choice.js';
import {noChanges} from '../../Sources/Console/Pages/server/server-draft.js';

const change = (key) => ({change: 'CHANGED', section: 'Default', key, name: '', parts: []});

/** The choice of the review, of a draft that changes the settings `keys`. */
const choiceOf = (workspace, ...keys) => new ChangeChoice({...workspace.draft,
    changes: {...noChanges, parameters: keys.map(change)}}, choiceInput(workspace));

/** A tab whose draft changes a and b, of which the review leaves b out. */
async function tabWithChoice() {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '2'}));
    await workspace.saved();
    choiceOf(workspace, 'a', 'b').choose('["setting","Default","b"]', false);
    return workspace;
}

test('a draft after a discarded one has all of its changes chosen', async () => {
    const workspace = await tabWithChoice();
    await workspace.discard();
    workspace.edit(template({a: '1', b: '3'}));
    assert.equal(choiceOf(workspace, 'b').count, 1);
});

test('a draft that another browser began after it discarded this one has all chosen', async () => {
    const workspace = await tabWithChoice();
    server.draft = null;
    await workspace.checkNewest();
    assert.equal(workspace.draft, null);
    server.store(template({a: '1', b: '3'}));
    await workspace.checkNewest();
    assert.ok(workspace.draft);
    assert.equal(choiceOf(workspace, 'b').count, 1);
});

test('a draft that an undo brings back still has its choice', async () => {
    const workspace = await tabWithChoice();
    await workspace.discard();
    await workspace.undo();
    assert.equal(choiceOf(workspace, 'a', 'b').shortText, '1 of 2 changes');
});

test('a choice survives a reload, with saved and with unsaved edits', async () => {
    const workspace = await tabWithChoice();
    workspace.sync.stop();
    const second = await tab();
    assert.equal(choiceOf(second, 'a', 'b').shortText, '1 of 2 changes');
    server.failNext('PATCH', 'lost');
    second.edit(template({a: '3', b: '2'}));
    second.sync.stop();
    const third = stoppedAfterwards(new Workspace('default', 'ada', true, () => false));
    await third.load();
    assert.equal(choiceOf(third, 'a', 'b').shortText, '1 of 2 changes');
});

test('what a publish of a part left out stays left out', async () => {
    const workspace = await tabWithChoice();
    server.publish(template({a: '2', b: '1'}));
    await workspace.endPublished(template({a: '2', b: '1'}), '2');
    assert.equal(choiceOf(workspace, 'b').shortText, '0 of 1 change');
});
