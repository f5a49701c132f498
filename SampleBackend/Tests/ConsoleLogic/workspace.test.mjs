import assert from 'node:assert/strict';
import {test} from 'node:test';

import {settled} from './browser.mjs';
import {clock, done, server, tab, template, unpublish, valuesOf} from './tabs.mjs';
import {differenceCount, reportedChanges} from '../../Sources/Console/Pages/server/server-draft.js';

test('a workspace without a draft shows the published template', async () => {
    const workspace = await tab();
    assert.deepEqual(valuesOf(workspace.template), {a: '1', b: '1'});
    assert.equal(workspace.draft, null);
    assert.equal(workspace.versionNumber, '1');
    assert.equal(workspace.etag, '"etag-default-1"');
    assert.ok(!workspace.isUnsaved && !workspace.isOutdated);
    assert.equal(workspace.template.version, undefined);
});

test('a project without a version is empty', async () => {
    unpublish();
    const workspace = await tab();
    assert.deepEqual(workspace.template, {});
    assert.equal(workspace.version, null);
    assert.equal(workspace.versionNumber, '0');
    assert.equal(workspace.etag, '"etag-default-0"');
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

test('an answer that was overtaken by a newer one is not shown', async () => {
    const workspace = await tab();
    let release;
    const held = new Promise((resolve) => {
        release = resolve;
    });
    server.failNext('GET', Object.assign(() => {}, {late: () => held}));
    const first = workspace.load();
    await settled();
    server.publish(template({a: '2', b: '2'}));
    await workspace.load();
    assert.equal(workspace.versionNumber, '2');
    release();
    await first;
    assert.equal(workspace.versionNumber, '2');
    assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '2'});
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
    // To the server, a different description of a version alone is not a difference.
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

test('a discarded draft is deleted, and a missing one is not a problem', async () => {
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
    assert.ok(workspace.isUnsaved && workspace.state.phase !== 'refused');
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
        assert.ok(workspace.state.phase === 'refused');
        await clock.pass(60_000);
        await workspace.checkNewest();
        assert.equal(server.sent('PATCH', 'PUT').length, 1);
        workspace.edit(template({a: '3', b: '1'}));
        assert.ok(workspace.state.phase !== 'refused');
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
        assert.ok(workspace.state.phase !== 'refused');
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
    workspace.sync.send({type: 'retry'});
    await workspace.saved();
    assert.ok(!workspace.isUnsaved && workspace.state.phase !== 'refused');
});

test('a refusal of a draft that was edited meanwhile does not apply to the new one', async () => {
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

test('a version whose draft could not be read with it is shown by the next reading', async () => {
    const workspace = await tab();
    server.publish(template({a: '9', b: '1'}));
    server.failNext('GET', 'lost');
    await assert.rejects(workspace.load());
    assert.deepEqual(valuesOf(workspace.template), {a: '1', b: '1'});
    await workspace.checkNewest();
    assert.ok(workspace.isOutdated);
    await workspace.load();
    assert.deepEqual(valuesOf(workspace.template), {a: '9', b: '1'});
});

test('a draft that another browser began before the first version is shown', async () => {
    unpublish();
    const workspace = await tab();
    server.store(template({a: '1'}), '0');
    await workspace.checkNewest();
    assert.deepEqual([workspace.draft.base, valuesOf(workspace.template)], ['0', {a: '1'}]);
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

test('a draft that was published while its page was closed ends', async () => {
    server.store(template({a: '2', b: '1'}), '1');
    server.publish(template({a: '2', b: '1'}));
    const workspace = await tab();
    assert.equal(workspace.draft, null);
    assert.equal(workspace.lastPublish.version.versionNumber, '2');
    assert.equal(workspace.lastPublish.isSeen, false);
    await workspace.saved();
    assert.equal(server.draft, null);
});

test('a draft whose publish arrives after its page was reloaded ends', async () => {
    server.store(template({a: '2', b: '1'}), '1');
    const workspace = await tab();
    assert.ok(workspace.draft);
    server.publish(template({a: '2', b: '1'}), {updateUser: {name: 'ada'}, updateOrigin: 'CONSOLE'});
    await workspace.checkNewest();
    assert.equal(workspace.draft, null);
    assert.equal(workspace.lastPublish.isOwn, true);
});

test('a draft with other changes than the new version stays', async () => {
    server.store(template({a: '2', b: '1'}), '1');
    server.publish(template({a: '1', b: '5'}));
    const workspace = await tab();
    assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '1'});
    assert.equal(workspace.lastPublish, null);
});

test('edits made since a publish stay as a draft over the new version', async () => {
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

const byAda = {updateUser: {name: 'ada'}, updateOrigin: 'CONSOLE'};

test('what a choice leaves out stays as a draft over the new version', async () => {
    const workspace = await tab();
    workspace.edit({...template({a: '2', b: '7'}), version: {description: 'Why'}});
    await workspace.saved();
    server.publish(template({a: '2', b: '1'}), byAda);
    await workspace.endPublished(
        {...template({a: '2', b: '1'}), version: {description: 'Why'}}, '2');
    await workspace.saved();
    assert.deepEqual(workspace.draft.template, template({a: '2', b: '7'}));
    assert.equal(server.draft.base, '2');
    assert.equal(differenceCount(workspace.draft.changes), 1);
});

test('a choice that was published while its page was closed ends, the rest stays', async () => {
    server.store(template({a: '2', b: '7'}), '1');
    server.publish(template({a: '2', b: '1'}), byAda);
    const workspace = await tab();
    await done();
    await workspace.saved();
    assert.equal(workspace.lastPublish.version.versionNumber, '2');
    assert.equal(workspace.draft.base, '2');
    assert.deepEqual(valuesOf(workspace.template), {a: '2', b: '7'});
    assert.equal(workspace.isOutdated, false);
    assert.equal(server.draft.base, '2');
});

for (const [name, published, version] of [
    ['of another user', {a: '2', b: '1'}, {updateUser: {name: 'bob'}, updateOrigin: 'CONSOLE'}],
    ['with another value', {a: '5', b: '1'}, byAda],
    ['without a change', {a: '1', b: '1'}, byAda],
]) {
    test(`a version ${name} is no choice of the draft`, async () => {
        server.store(template({a: '2', b: '7'}), '1');
        server.publish(template(published), version);
        const workspace = await tab();
        await done();
        assert.equal(workspace.draft.base, '1');
        assert.ok(workspace.isOutdated);
        assert.equal(workspace.lastPublish, null);
    });
}

test('a role without drafts reads none', async () => {
    server.store(template({a: '2', b: '1'}), '1');
    const workspace = await tab({mayEdit: false});
    assert.equal(workspace.draft, null);
    assert.ok(server.sent('GET').every(({path}) => !path.endsWith('/draft')));
});

test('the pages are notified of a publish in progress', async () => {
    const workspace = await tab();
    let changes = 0;
    workspace.addEventListener('change', () => {
        changes += 1;
    });
    workspace.isPublishing = true;
    assert.ok(workspace.isPublishing);
    assert.equal(changes, 1);
});

test('differences of a base that is gone are unknown', () => {
    assert.deepEqual(reportedChanges({changes: {conditions: [1], groups: [], parameters: []}}),
        {changes: {conditions: [1], groups: [], parameters: []}, isBaseGone: false});
    const gone = reportedChanges({});
    assert.equal(gone.isBaseGone, true);
    assert.equal(differenceCount(gone.changes), 0);
    assert.equal(differenceCount({conditions: [1], groups: [1, 2], parameters: [1, 2, 3]}), 6);
    assert.equal(differenceCount({conditions: [], groups: [], parameters: [1], omitted: 4}), 5);
});
