import {answerRequests, Clock} from './browser.mjs';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';

import {NoAnswerError, ServerError} from '../../Sources/Console/Pages/server/api.js';
import {parseJSON} from '../../Sources/Console/Pages/json/json-text.js';
import {ChangedPinError, readOverrides, savePin} from '../../Sources/Console/Pages/users/overrides.js';
import {previewDraft} from '../../Sources/Console/Pages/users/proposal.js';
import {clearDoubt, publish} from '../../Sources/Console/Pages/server/publishing.js';
import {arrival} from '../../Sources/Console/Pages/live/arrival.js';
import {versionBefore} from '../../Sources/Console/Pages/server/versions.js';
import {publishText} from '../../Sources/Console/Pages/drafts/publish-note.js';
import {editAgain, rollback, undo} from '../../Sources/Console/Pages/review/rollback.js';
import {undoneText} from '../../Sources/Console/Pages/review/undo.js';

let clock;

beforeEach(() => {
    clock = new Clock().start();
});

afterEach(() => clock.end());

const failure = (status, error = {message: `Refused with ${status}.`}) => ({status, body: {error}});
const lost = () => {
    throw new Error('The connection broke.');
};

/** Runs an action while time advances through its pauses. */
async function timed(promise, seconds = 60) {
    let isOver = false;
    const ended = promise.finally(() => {
        isOver = true;
    });
    ended.catch(() => {});
    for (let second = 0; second < seconds && !isOver; second += 1) await clock.pass(1000);
    return ended;
}

/** A workspace with a draft over version 3, whose versions have these templates. */
const workspace = (versions = {}) => ({
    project: 'p', user: 'ada',
    draft: {template: {a: 1, version: {description: 'kept'}}, base: '3', etag: 'etag-p-3'},
    fetchTemplate: async (number) => ({template: versions[number]}),
});

const options = (left = new AbortController()) => {
    const doubts = [];
    return {description: 'Why', signal: left.signal, onDoubt: (attempt) => doubts.push(attempt), doubts};
};

test('a publish that lacks approvals says how many, and a bypass sends its reason', async () => {
    answerRequests(() => failure(403, {status: 'APPROVAL_REQUIRED', message: 'Protected.',
        details: [{path: 'approvals', message: 'Protected.', missingApprovals: 2}]}));
    assert.deepEqual(await publish(workspace(), {a: 1}, options()),
        {outcome: 'unapproved', missing: 2});
    const requests = answerRequests(() => ({body: {version: {versionNumber: '4'}}}));
    await publish(workspace(), {a: 1}, {...options(), bypass: 'Shop down'});
    assert.equal(requests[0].path, '/v1/projects/p/remoteConfig?bypass=Shop%20down');
});

test('a publish sends the template with its description, over its base', async () => {
    const requests = answerRequests(() => ({body: {version: {versionNumber: '4'}}}));
    assert.deepEqual(await publish(workspace(), {a: 1}, options()),
        {outcome: 'published', version: {versionNumber: '4'}});
    const [{method, path, headers, body}] = requests;
    assert.deepEqual([method, path, headers['If-Match']],
        ['PUT', '/v1/projects/p/remoteConfig', 'etag-p-3']);
    assert.deepEqual(body, {a: 1, version: {description: 'Why'}});
});

test('a publish of some changes sends their template in place of the draft', async () => {
    const requests = answerRequests(() => ({body: {version: {versionNumber: '4'}}}));
    await publish(workspace(), {b: 1}, {...options(), sent: {b: 1, version: {description: 'x'}}});
    assert.deepEqual(requests[0].body, {b: 1, version: {description: 'Why'}});
});

test('a publish without a description sends none', async () => {
    const requests = answerRequests(() => ({body: {version: {versionNumber: '4'}}}));
    await publish(workspace(), {a: 1}, {...options(), description: ''});
    assert.deepEqual(requests[0].body, {a: 1});
});

test('a template with problems is invalid, another refusal has its message', async () => {
    answerRequests(() => failure(400, {details: [{path: 'a'}]}));
    assert.deepEqual(await publish(workspace(), {}, options()),
        {outcome: 'invalid', problems: [{path: 'a'}]});
    answerRequests(() => failure(403));
    assert.deepEqual(await publish(workspace(), {}, options()),
        {outcome: 'refused', message: 'Refused with 403.'});
});

/** Responses of a server with the newest versions `versions`, where `put` handles the publish. */
const after = (put, versions) => ({method}) => (
    method === 'PUT' ? put() : {body: {versions}});

const own = {updateUser: {name: 'ada'}, updateOrigin: 'CONSOLE'};

for (const [name, version, outcome] of [
    ['this user', {versionNumber: '4', ...own}, 'published'],
    ['another user', {versionNumber: '4', updateUser: {name: 'bob'}, updateOrigin: 'CONSOLE'},
        'publishedByOthers'],
    ['a script of this user', {versionNumber: '4', updateUser: {name: 'ada'}, updateOrigin: 'REST'},
        'publishedByOthers'],
    ['an unknown user', {versionNumber: '4'}, 'publishedByOthers'],
]) {
    test(`a lost publish is found as one of ${name}`, async () => {
        answerRequests(after(lost, [version]));
        const given = options();
        assert.deepEqual(await timed(publish(workspace({4: {a: 1}}), {a: 1}, given)),
            {outcome, version});
        assert.deepEqual(given.doubts, [1]);
    });
}

test('a lost publish that was not done may be tried again', async () => {
    answerRequests(after(lost, [{versionNumber: '3', ...own}]));
    assert.deepEqual(await timed(publish(workspace({3: {a: 1}}), {a: 1}, options())),
        {outcome: 'notPublished'});
});

for (const [name, newest] of [['another version', {a: 2}], ['its undo', {}]]) {
    test(`a lost publish below ${name} is found as one that is no longer current`, async () => {
        const versions = [{versionNumber: '5'}, {versionNumber: '4', ...own}];
        answerRequests(after(lost, versions));
        const found = await timed(publish(workspace({5: newest, 4: {a: 1}}), {a: 1}, options()));
        assert.deepEqual(found, {outcome: 'superseded', version: versions[1], newest: versions[0]});
    });
}

test('a lost publish is outdated by other versions, also by one that had its content', async () => {
    const versions = [{versionNumber: '5', ...own}, {versionNumber: '4', updateUser: {name: 'bob'}}];
    answerRequests(after(lost, versions));
    for (const older of [{a: 1}, {a: 3}]) {
        assert.deepEqual(
            await timed(publish(workspace({5: {a: 2}, 4: older}), {a: 1}, options())),
            {outcome: 'outdated'});
    }
});

test('the server is asked until it answers', async () => {
    let failures = 0;
    answerRequests(({method}) => {
        if (method === 'PUT') return failure(500);
        failures += 1;
        if (failures === 1) return lost();
        if (failures === 2) return failure(503);
        return {body: {versions: [{versionNumber: '4', ...own}]}};
    });
    const given = options();
    assert.equal((await timed(publish(workspace({4: {a: 1}}), {a: 1}, given))).outcome, 'published');
    assert.deepEqual(given.doubts, [1, 2, 3]);
});

const unsettled = () => failure(503, {status: 'OUTCOME_UNKNOWN', message: 'Not known yet.'});

test('a publish that is being settled is sent again until its outcome is known', async () => {
    let attempts = 0;
    const requests = answerRequests(({method}) => {
        if (method !== 'PUT') return {body: {versions: [{versionNumber: '3'}]}};
        attempts += 1;
        if (attempts === 3) return lost();
        return attempts < 5 ? unsettled() : {body: {version: {versionNumber: '4'}}};
    });
    const settling = [];
    const given = {...options(), onDoubt: (...doubt) => settling.push(doubt)};
    assert.deepEqual(await timed(publish(workspace({3: {a: 1}}), {a: 1}, given)),
        {outcome: 'published', version: {versionNumber: '4'}});
    assert.deepEqual(settling, [[1, true], [2, true], [3, true], [4, true]]);
    assert.ok(requests.every(({headers}) => headers['If-Match'] === 'etag-p-3'));
});

test('a publish that was settled meanwhile is found', async () => {
    for (const [template, outcome] of [[{a: 1}, 'published'], [{a: 2}, 'outdated']]) {
        let attempts = 0;
        answerRequests(after(() => {
            attempts += 1;
            return attempts < 3 ? unsettled() : failure(412);
        }, [{versionNumber: '4', ...own}]));
        const found = await timed(publish(workspace({4: template}), {a: 1}, options()));
        assert.equal(found.outcome, outcome);
    }
});

test('a page that is left while a publish is settled asks no more', async () => {
    answerRequests(unsettled);
    const left = new AbortController();
    const ended = timed(publish(workspace(), {}, options(left)), 5);
    left.abort();
    assert.deepEqual(await ended, {outcome: 'left'});
});

test('a page that is left asks no more', async () => {
    answerRequests(lost);
    const left = new AbortController();
    const ended = timed(publish(workspace(), {}, options(left)), 5);
    left.abort();
    assert.deepEqual(await ended, {outcome: 'left'});
    assert.equal(await clearDoubt(lost, {signal: left.signal, onDoubt: () => {}}), undefined);
});

test('an error below 500 ends the questions', async () => {
    const {signal} = new AbortController();
    await assert.rejects(timed(clearDoubt(async () => {
        throw new ServerError(403, null);
    }, {signal, onDoubt: () => {}})), {status: 403});
});

test('a draft over an older version is outdated, unless the current version has it', async () => {
    answerRequests(after(() => failure(412), [{versionNumber: '4', ...own}]));
    assert.deepEqual(await publish(workspace({4: {a: 2}}), {a: 1}, options()),
        {outcome: 'outdated'});
    assert.equal((await publish(workspace({4: {a: 1}}), {a: 1}, options())).outcome, 'published');
});

test('a draft that was published and undone since is outdated', async () => {
    for (const older of [own, {updateUser: {name: 'bob'}}]) {
        answerRequests(after(() => failure(412),
            [{versionNumber: '5', ...own}, {versionNumber: '4', ...older}]));
        assert.deepEqual(await publish(workspace({5: {}, 4: {a: 1}}), {a: 1}, options()),
            {outcome: 'outdated'});
    }
});

test('a publish that was settled and undone meanwhile is no longer current', async () => {
    let attempts = 0;
    answerRequests(after(() => {
        attempts += 1;
        return attempts < 3 ? unsettled() : failure(412);
    }, [{versionNumber: '5'}, {versionNumber: '4', ...own}]));
    const found = await timed(publish(workspace({5: {}, 4: {a: 1}}), {a: 1}, options()));
    assert.deepEqual([found.outcome, found.version?.versionNumber], ['superseded', '4']);
});

const undone = {before: '3', versionNumber: '4'};

test('a rollback publishes the version before over the one that is undone', async () => {
    const requests = answerRequests(() => ({body: {version: {versionNumber: '5'}}}));
    assert.deepEqual(await rollback('p', undone, options()), {versionNumber: '5'});
    assert.deepEqual(requests[0].body, {versionNumber: '3'});
    assert.equal(requests[0].headers['If-Match'], '"etag-p-4"');
});

for (const [name, versions, found] of [
    ['was done', [{versionNumber: '5', rollbackSource: '3'}], '5'],
    ['was done before another publish',
        [{versionNumber: '6'}, {versionNumber: '5', rollbackSource: '3'}], '5'],
    ['was not done', [{versionNumber: '4'}], undefined],
    ['is by another user, to another version', [{versionNumber: '5', rollbackSource: '2'}], undefined],
    ['is by another user, later',
        [{versionNumber: '6', rollbackSource: '3'}, {versionNumber: '5'}], undefined],
    ['was done above a gap', [{versionNumber: '218000001', rollbackSource: '3'},
        {versionNumber: '4'}], '218000001'],
]) {
    test(`a lost rollback that ${name} is found out`, async () => {
        answerRequests(({method}) => (method === 'POST' ? lost() : {body: {versions}}));
        const version = await timed(rollback('p', undone, options()));
        assert.equal(version?.versionNumber, found);
        if (found === undefined) assert.equal(version, null);
    });
}

for (const [name, versions, found] of [
    ['was done', [{versionNumber: '5', rollbackSource: '3'}], '5'],
    ['was overtaken', [{versionNumber: '5'}], undefined],
]) {
    test(`a rollback that is being settled and ${name} is sent again`, async () => {
        let attempts = 0;
        answerRequests(({method}) => {
            if (method !== 'POST') return {body: {versions}};
            attempts += 1;
            return attempts < 3 ? unsettled() : failure(412);
        });
        const ended = timed(rollback('p', undone, options()));
        if (found) assert.equal((await ended).versionNumber, found);
        else await assert.rejects(ended, {status: 412});
        assert.equal(attempts, 3);
    });
}

for (const [name, versions, before] of [
    ['the next lower number', ['4', '3', '2'], '3'],
    ['below a gap', ['4', '2', '1'], '2'],
    ['none, of the first one', ['4'], '0'],
    ['one that is no longer stored', Array.from({length: 300}, (_, at) => String(303 - at)), '3'],
]) {
    test(`the version before a version is ${name}`, async () => {
        answerRequests(({path}) => {
            const query = new URL(path, 'http://x').searchParams;
            const end = Number(query.get('endVersionNumber') ?? Infinity);
            return {body: {versions: versions.filter((number) => Number(number) <= end)
                .slice(0, Number(query.get('pageSize')))
                .map((versionNumber) => ({versionNumber}))}};
        });
        assert.equal(await versionBefore('p', versions.length === 300 ? '4' : versions[0]), before);
    });
}

test('an undo takes back the version that was published', async () => {
    const requests = answerRequests(() => ({body: {version: {versionNumber: '2'}}}));
    assert.deepEqual(await undo('p', {undone: '1', versionNumber: '1'}, options()), {versionNumber: '2'});
    assert.equal(
        `${requests[0].method} ${requests[0].path}`, 'POST /v1/projects/p/remoteConfig:undo');
    assert.deepEqual(requests[0].body, {versionNumber: '1'});
    assert.equal(requests[0].headers['If-Match'], '"etag-p-1"');
});

for (const [name, versions, found] of [
    ['was done', [{versionNumber: '2', undoneVersionNumber: '1'}], '2'],
    ['was done before another publish',
        [{versionNumber: '3'}, {versionNumber: '2', undoneVersionNumber: '1'}], '2'],
    ['was overtaken', [{versionNumber: '2', rollbackSource: '1'}], undefined],
    ['was not done', [{versionNumber: '1'}], undefined],
]) {
    test(`a lost undo that ${name} is found out`, async () => {
        answerRequests(({method}) => (method === 'POST' ? lost() : {body: {versions}}));
        const replaced = {undone: '1', versionNumber: '1'};
        assert.equal((await timed(undo('p', replaced, options())))?.versionNumber, found);
    });
}

test('an undo of an older version is published over the current one, with its reason', async () => {
    const requests = answerRequests(() => ({body: {version: {versionNumber: '8'}}}));
    const replaced = {undone: '3', versionNumber: '7', description: 'Too many errors'};
    assert.deepEqual(await undo('p', replaced, options()), {versionNumber: '8'});
    assert.deepEqual(requests[0].body, {versionNumber: '3', description: 'Too many errors'});
    assert.equal(requests[0].headers['If-Match'], '"etag-p-7"');
});

test('a lost undo is not taken for an earlier undo of the same version', async () => {
    const versions = [{versionNumber: '7'}, {versionNumber: '6', undoneVersionNumber: '3'}];
    answerRequests(({method}) => (method === 'POST' ? lost() : {body: {versions}}));
    assert.equal(await timed(undo('p', {undone: '3', versionNumber: '7'}, options())), null);
});

test('an undo names the version whose changes it took back', () => {
    const text = 'The changes of version 4 were taken back, as version 5.';
    assert.equal(undoneText({before: '3', versionNumber: '4'}, {versionNumber: '5'}), text);
    assert.equal(publishText({version: {versionNumber: '4'}, undone: {versionNumber: '5'}}), text);
    assert.equal(undoneText({before: '0', versionNumber: '1'}, {versionNumber: '2'}),
        'Undone: version 2 is empty, as before the first one.');
});

test('a rollback after a newer version is refused', async () => {
    answerRequests(() => failure(412));
    await assert.rejects(rollback('p', undone, options()), {status: 412});
});

test('apps with a newer version have arrived, too', async () => {
    answerRequests(() => ({body: {connections: 10, versions: {3: 1, 4: 2, 10: 3}}}));
    assert.deepEqual(await arrival('p', '4', undefined), {all: 10, has: 5});
});

test('an undone publish becomes a draft again, over later edits', async () => {
    const templates = {3: {template: {a: 1, b: 1}},
        4: {template: {a: 2, b: 1}, version: {description: 'Why'}}};
    let based;
    const place = {
        draft: null, published: {a: 1, b: 1}, versionNumber: '5', etag: 'etag-p-5',
        load: async () => {}, fetchTemplate: async (number) => templates[number],
        rebase: (template, base, step) => {
            based = {template, base, step};
        }};
    await editAgain(place, '3', '4');
    assert.equal(based.step, 'version 4 again');
    assert.deepEqual(based.template, {a: 2, b: 1, version: {description: 'Why'}});
    assert.deepEqual(based.base,
        {versionNumber: '5', etag: 'etag-p-5', baseTemplate: place.published});
    place.draft = {base: '5', baseTemplate: {a: 1, b: 1}, template: {a: 3, b: 7}};
    assert.deepEqual(await editAgain(place, '3', '4'), ['the a']);
    assert.equal(based.template.a, 3);
    assert.equal(based.template.b, 7);
    templates[4].version = {};
    place.draft = null;
    await editAgain(place, '3', '4');
    assert.deepEqual(based.template, {a: 2, b: 1});
});

test('an undone publish does not become a draft again over an outdated edit', async () => {
    const templates = {3: {template: {a: 1, b: 1, c: 1}}, 4: {template: {a: 2, b: 1, c: 1}}};
    const rebased = [];
    const place = {
        published: {a: 1, b: 9, c: 1}, versionNumber: '6', etag: 'etag-p-6',
        load: async () => {}, fetchTemplate: async (number) => templates[number],
        rebase: (template) => rebased.push(template)};
    // Version 6 has another b, over which the draft of version 4 would win.
    place.draft = {base: '4', baseTemplate: templates[4].template, template: {a: 2, b: 5, c: 1}};
    await assert.rejects(editAgain(place, '3', '4'), /Merge it on the review first/);
    place.draft = {base: '4', isBaseGone: true, baseTemplate: place.published, template: {a: 2, b: 9, c: 5}};
    await assert.rejects(editAgain(place, '3', '4'), /no longer kept/);
    assert.deepEqual(rebased, []);
    // The rest of a draft of which version 4 was a choice loses nothing.
    place.draft = {base: '4', baseTemplate: templates[4].template, template: {a: 2, b: 1, c: 5}};
    assert.deepEqual(await editAgain(place, '3', '4'), []);
    assert.deepEqual(rebased, [{a: 2, b: 9, c: 5}]);
});

/** A workspace for previews; `isOutdated` if a version was published since the draft began. */
const previewed = (isOutdated) => (
    {project: 'p', isOutdated, draft: {template: {mine: true}, base: '3'}});

test('a draft over the current version is previewed as it is', async () => {
    const requests = answerRequests(() => ({body: {versionNumber: '3', users: []}}));
    assert.deepEqual(await previewDraft(previewed(false), [{userID: '7'}], undefined),
        {versionNumber: '3', users: [], isMerged: false, conflictCount: 0});
    assert.deepEqual(requests[0].body, {template: {mine: true}, users: [{userID: '7'}]});
});

test('a draft over an older version is merged first, and wins all conflicts', async () => {
    const requests = answerRequests(({path, body}) => (path.endsWith(':preview')
        ? {body: {versionNumber: '4', users: []}}
        : {body: {template: {merged: Object.keys(body.resolutions).length}, versionNumber: '4',
            conflicts: [{path: 'a'}, {path: 'b'}]}}));
    const answer = await previewDraft(previewed(true), [], undefined);
    assert.deepEqual([answer.isMerged, answer.conflictCount], [true, 2]);
    assert.deepEqual(requests[1].body.resolutions, {a: 'mine', b: 'mine'});
    assert.deepEqual(requests[2].body.template, {merged: 2});
});

test('a preview is based on the version that it is compared with', async () => {
    let newest = 3;
    answerRequests(({path}) => {
        if (!path.endsWith(':preview')) {
            return {body: {template: {}, versionNumber: String(newest), conflicts: []}};
        }
        newest = Math.min(5, newest + 1);
        return {body: {versionNumber: String(newest), users: []}};
    });
    const answer = await previewDraft(previewed(false), [], undefined);
    assert.deepEqual([answer.versionNumber, answer.isMerged], ['5', true]);
});

test('a preview gives up when others publish all the time', async () => {
    let newest = 3;
    answerRequests(({path}) => {
        newest += 1;
        return path.endsWith(':preview') ? {body: {versionNumber: String(newest), users: []}}
            : {body: {template: {}, versionNumber: String(newest), conflicts: []}};
    });
    await assert.rejects(previewDraft(previewed(false), [], undefined), /keep being published/);
});

test('nothing is published yet where the version is 0', async () => {
    answerRequests(() => ({body: {users: []}}));
    const answer = await previewDraft({...previewed(false), draft: {template: {}, base: '0'}}, []);
    assert.equal(answer.versionNumber, '0');
});

/** A server of one user's pins; `before` runs before each write. */
function pins(text, before = () => {}) {
    const state = {text, tag: 1, requests: []};
    const change = (content) => {
        state.text = content;
        state.tag += 1;
    };
    state.change = change;
    state.requests = answerRequests(({method, headers, text: sent}) => {
        if (method === 'GET') {
            return state.text === null ? failure(404) : {text: state.text, etag: `"${state.tag}"`};
        }
        before(state);
        if (headers['If-Match'] && headers['If-Match'] !== `"${state.tag}"`) return failure(412);
        if (headers['If-None-Match'] && state.text !== null) return failure(412);
        if (method === 'DELETE' && state.text === null) return failure(404);
        change(method === 'DELETE' ? null : sent);
        return {body: {}};
    });
    return state;
}

test('a user without pins has none, and no tag', async () => {
    pins(null);
    assert.deepEqual(await readOverrides('p', 'a/b'), {overrides: {}, etag: null});
    answerRequests(() => failure(500));
    await assert.rejects(readOverrides('p', 'u'), {status: 500});
});

test('a pin leaves the others of its user as they are, with their digits', async () => {
    const server = pins('{"S":{"a":1.10,"b":2}}');
    await savePin('p', 'u', 'S', 'b', parseJSON('3.00'), {value: 2});
    assert.equal(server.text, '{"S":{"a":1.10,"b":3.00}}');
    await savePin('p', 'u', 'T', 'c', 'x', {value: undefined});
    assert.equal(server.text, '{"S":{"a":1.10,"b":3.00},"T":{"c":"x"}}');
});

test('the first pin creates the pins, the last one that goes deletes them', async () => {
    const server = pins(null);
    await savePin('p', 'ü/7', 'S', 'a', true);
    assert.equal(server.text, '{"S":{"a":true}}');
    assert.equal(server.requests[0].path, '/v1/projects/p/users/%C3%BC%2F7/overrides');
    assert.equal(await savePin('p', 'ü/7', 'S', 'a', undefined), undefined);
    assert.equal(server.text, null);
    await savePin('p', 'ü/7', 'S', 'a', undefined);
    assert.equal(server.requests.filter(({method}) => method === 'DELETE').length, 1);
});

test('a section goes with its last pin', async () => {
    const server = pins('{"S":{"a":1},"T":{"b":2}}');
    await savePin('p', 'u', 'S', 'a', undefined);
    assert.equal(server.text, '{"T":{"b":2}}');
});

test('a pin by another user during a save is kept', async () => {
    let isFirst = true;
    const server = pins('{"S":{"a":1}}', (state) => {
        if (isFirst) state.change('{"S":{"a":1,"c":3}}');
        isFirst = false;
    });
    await savePin('p', 'u', 'S', 'b', 2, {value: undefined});
    assert.equal(server.text, '{"S":{"a":1,"c":3,"b":2}}');
});

test('a save gives up after five attempts', async () => {
    let count = 0;
    pins('{"S":{"a":1}}', (state) => {
        count += 1;
        state.change('{"S":{"a":1}}');
    });
    await assert.rejects(savePin('p', 'u', 'S', 'b', 2), {status: 412});
    assert.equal(count, 5);
});

test('another value than the one that was shown is not replaced', async () => {
    const server = pins('{"S":{"a":5}}');
    const error = await savePin('p', 'u', 'S', 'a', 2, {value: 1}).catch((thrown) => thrown);
    assert.ok(error instanceof ChangedPinError);
    assert.equal(error.value, 5);
    assert.match(error.message, /It is 5 now\./);
    assert.equal(server.text, '{"S":{"a":5}}');
    await assert.rejects(savePin('p', 'u', 'S', 'b', 2, {value: 1}), /no longer pinned/);
});

test('the wanted value may be there already, from an attempt whose answer was lost', async () => {
    const server = pins('{"S":{"a":2}}');
    await savePin('p', 'u', 'S', 'a', 2, {value: 1});
    assert.equal(server.text, '{"S":{"a":2}}');
});

test('a pin is returned as the server keeps it', async () => {
    answerRequests(({method}) => (method === 'GET' ? {text: '{"S":{"a":1.5}}', etag: '"1"'} : {}));
    assert.equal(await savePin('p', 'u', 'S', 'a', parseJSON('1.50000')), 1.5);
    let reads = 0;
    answerRequests(({method}) => {
        if (method !== 'GET') return {};
        reads += 1;
        return reads === 1 ? {text: '{"S":{"a":1}}', etag: '"1"'} : lost();
    });
    assert.equal(await savePin('p', 'u', 'S', 'a', 7), 7, 'the sent one when it cannot be read');
    assert.ok(new NoAnswerError() instanceof Error);
});
