import assert from 'node:assert/strict';
import {test} from 'node:test';

import {done, server, tab, template, valuesOf} from './tabs.mjs';
import {mergeState, undonePublish} from '../../Sources/Console/Pages/merge/merge-state.js';

const own = {updateUser: {name: 'ada'}, updateOrigin: 'CONSOLE'};
const other = {updateUser: {name: 'bob'}, updateOrigin: 'CONSOLE'};

/** A tab whose draft over version 1 changes a and b. */
async function tabWithDraft() {
    const workspace = await tab();
    workspace.edit(template({a: '2', b: '2'}));
    await workspace.saved();
    return workspace;
}

const textOf = async (workspace) => undonePublish(workspace, await workspace.fetchTemplate());

test('a part of a draft that was published and undone since is named', async () => {
    const workspace = await tabWithDraft();
    server.publish(template({a: '2', b: '1'}), own);
    server.publish(template({a: '1', b: '1'}), other);
    assert.equal(await textOf(workspace), 'You published a part of this draft as version 2, and '
        + 'version 3 undid that. Publishing the merge brings it back.');
});

test('a whole draft that was published and undone since is named', async () => {
    const workspace = await tabWithDraft();
    server.publish(template({a: '2', b: '2'}), own);
    server.publish(template({a: '1', b: '1'}), other);
    assert.equal(await textOf(workspace), 'You published this draft as version 2, and version 3 '
        + 'undid that. Publishing the merge brings it back.');
});

test('a publish of which a later version changed a part again is named', async () => {
    const workspace = await tabWithDraft();
    server.publish(template({a: '2', b: '2'}), own);
    server.publish(template({a: '2', b: '5'}), other);
    assert.equal(await textOf(workspace), 'You published this draft as version 2, and version 3 '
        + 'has replaced some of it. Publishing the merge brings it back.');
});

for (const [name, versions] of [
    ['by others', [['2', '1', other], ['1', '1', other]]],
    ['by a script of this user', [['2', '1', {...own, updateOrigin: 'REST_API'}], ['1', '1', other]]],
    ['with other content', [['3', '1', own], ['1', '1', other]]],
    ['below a version that has it still', [['2', '1', own], ['2', '7', other]]],
    ['that is current', [['2', '1', own]]],
    ['after the version of others that came first', [['1', '9', other], ['2', '9', own], ['1', '9', other]]],
]) {
    test(`a version ${name} is no undone publish`, async () => {
        const workspace = await tabWithDraft();
        for (const [a, b, by] of versions) server.publish(template({a, b}), by);
        assert.equal(await textOf(workspace), null);
    });
}

test('without a draft nothing was undone', async () => {
    assert.equal(await textOf(await tab()), null);
});

test('of two tabs that publish parts at once, the later one merges until the draft continues', async () => {
    const [first, second] = [await tabWithDraft(), await tab()];
    assert.equal(mergeState(second), 'current');
    // The first tab has published a, and the second one is refused.
    const part = template({a: '2', b: '1'});
    server.publish(part, own);
    second.isPublishing = true;
    await second.checkNewest();
    second.isPublishing = false;
    assert.equal(mergeState(second), 'open');
    await first.endPublished(part, '2');
    await first.saved();
    await done();
    assert.deepEqual([second.draft.base, valuesOf(second.draft.template)], ['2', {a: '2', b: '2'}]);
    assert.equal(mergeState(second), 'current');
    await first.endPublished(first.draft.template, '2');
    await done();
    assert.equal(mergeState(second), 'none');
});

test('a draft whose base is gone cannot be merged', () => {
    assert.equal(mergeState({draft: {isBaseGone: true}, isOutdated: true}), 'baseGone');
});
