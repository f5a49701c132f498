import {answerRequests, Clock, settled} from './browser.mjs';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';

import {fixture} from './fixtures.mjs';
import {call, isMissing, NoAnswerError, projectPath, receive, ServerError, setCSRFToken, setForbiddenHandler,
    setSignedOutHandler} from '../../Sources/Console/Pages/server/api.js';
import {parseJSON} from '../../Sources/Console/Pages/json/json-text.js';
import {newestRequest} from '../../Sources/Console/Pages/server/newest-request.js';
import {acceptance, LiveValidation, problemsWithin, sentence, validate, validateEdit}
    from '../../Sources/Console/Pages/server/validation.js';
import {etagOf, readNewest, readVersion} from '../../Sources/Console/Pages/server/versions.js';
import {warningTexts} from '../../Sources/Console/Pages/review/warning-field.js';

let clock;

beforeEach(() => {
    clock = new Clock().start();
});

afterEach(() => {
    clock.end();
    setCSRFToken('');
    setSignedOutHandler(async () => false);
    setForbiddenHandler(() => {});
});

const failure = (status, error = {}) => ({status, body: {error}});

test('an answer has its status, tree, tag and warning', async () => {
    answerRequests(() => ({status: 201, text: '{"a": 1.10}', etag: '"t"', warning: '199 - "w"'}));
    const answer = await call('GET', '/v1/x');
    assert.equal(String(answer.body.a), '1.10');
    assert.deepEqual({...answer, body: null},
        {status: 201, body: null, etag: '"t"', warning: '199 - "w"'});
});

test('an answer that came with the session replaces one request', async () => {
    const sent = answerRequests(() => ({text: '{"a": 2}', etag: '"u"'}));
    receive([{path: '/v1/x', status: 200, etag: '"t"', body: {a: 1}},
        {path: '/v1/y', status: 204, etag: null, body: null}]);
    assert.deepEqual(await call('GET', '/v1/x'),
        {status: 200, etag: '"t"', body: {a: 1}, warning: null});
    assert.equal(sent.length, 0);
    assert.equal((await call('GET', '/v1/x')).etag, '"u"');
    assert.equal(sent.length, 1);
    await call('GET', '/v1/y', {ifNoneMatch: '"v"'});
    assert.equal(sent.length, 2);
});

test('answers that came with the session end with a change and after five seconds', async () => {
    const sent = answerRequests(() => ({status: 204}));
    const answers = [{path: '/v1/x', status: 200, etag: null, body: {}}];
    receive(answers);
    await call('PUT', '/v1/y');
    await call('GET', '/v1/x');
    assert.equal(sent.length, 2);
    receive(answers);
    await clock.pass(5000);
    await call('GET', '/v1/x');
    assert.equal(sent.length, 3);
});

test('an empty answer has no tree', async () => {
    answerRequests(() => ({status: 204}));
    assert.equal((await call('DELETE', '/v1/x')).body, null);
    answerRequests(() => ({status: 304}));
    assert.equal((await call('GET', '/v1/x', {ifNoneMatch: '"t"'})).status, 304);
});

test('an edit without problems names a limit of the whole template', () => {
    const other = {path: 'parameters.a', message: 'its value is not a number'};
    assert.equal(acceptance([]), 'The server accepts this.');
    assert.equal(acceptance([other]), 'The server accepts this.');
    assert.equal(acceptance([other, {path: '', message: 'its values have 7; use at most 5'}]),
        'You can keep this, but not publish the draft: its values have 7; use at most 5.');
});

test('a request has its fields, and digits as they are', async () => {
    setCSRFToken('csrf');
    const requests = answerRequests(() => ({body: {}}));
    await call('PUT', '/v1/x', {body: parseJSON('{"a": 1.10}'), ifMatch: '"t"', ifNoneMatch: '*',
        contentType: 'application/json-patch+json'});
    assert.deepEqual(requests[0].headers, {Accept: 'application/json',
        'Content-Type': 'application/json-patch+json', 'If-Match': '"t"', 'If-None-Match': '*',
        'X-CSRF-Token': 'csrf'});
    assert.equal(requests[0].text, '{"a":1.10}');
});

test('a request has no condition without a tag', async () => {
    const requests = answerRequests(() => ({body: {}}));
    await call('PUT', '/v1/x', {body: {}, ifMatch: null, ifNoneMatch: null});
    assert.deepEqual(Object.keys(requests[0].headers), ['Accept', 'Content-Type']);
});

test('a request without a body says no type of it', async () => {
    const requests = answerRequests(() => ({body: {}}));
    await call('GET', '/v1/x');
    assert.deepEqual(requests[0].headers, {Accept: 'application/json'});
});

test('an error of the server has its message, code and details', async () => {
    answerRequests(() => failure(400, {message: 'No.', status: 'INVALID', details: [{path: 'a'}]}));
    const error = await call('GET', '/v1/x').catch((thrown) => thrown);
    assert.ok(error instanceof ServerError);
    assert.deepEqual([error.status, error.message, error.code, error.details],
        [400, 'No.', 'INVALID', [{path: 'a'}]]);
});

for (const answer of [{status: 502, text: '<html>'}, {status: 502}, {status: 502, text: '[]'},
    {status: 502, text: '{"error": {"details": "x"}}'}]) {
    test(`an error with the body ${answer.text} names the status`, async () => {
        answerRequests(() => answer);
        const error = await call('GET', '/v1/x').catch((thrown) => thrown);
        assert.ok(error instanceof ServerError);
        assert.equal(error.message, 'The server answered with status 502.');
        assert.deepEqual(error.details, []);
    });
}

test('a broken connection, and a response that is not JSON, count as no response', async () => {
    answerRequests(() => {
        throw new Error('broken');
    });
    await assert.rejects(call('GET', '/v1/x'), NoAnswerError);
    answerRequests(() => ({text: '{'}));
    await assert.rejects(call('GET', '/v1/x'), NoAnswerError);
});

for (const [name, options, limit] of [
    ['a request', {}, 30_000], ['a large request', {body: 'x'.repeat(100_000)}, 120_000],
    ['a request with a limit', {limit: 5_000}, 5_000]]) {
    test(`${name} waits ${limit} ms for an answer`, async () => {
        answerRequests(() => new Promise(() => {}));
        let error = null;
        call('POST', '/v1/x', options).catch((thrown) => {
            error = thrown;
        });
        await clock.pass(limit - 1);
        assert.equal(error, null);
        await clock.pass(1);
        assert.ok(error instanceof NoAnswerError);
        assert.equal(clock.count, 0);
    });
}

test('an aborted request says so, and leaves no timer', async () => {
    const abort = new AbortController();
    answerRequests(() => new Promise(() => {}));
    const ended = call('GET', '/v1/x', {signal: abort.signal}).catch((error) => error.name);
    await settled();
    abort.abort();
    assert.equal(await ended, 'AbortError');
    assert.equal(clock.count, 0);
    await assert.rejects(call('GET', '/v1/x', {signal: abort.signal}), {name: 'AbortError'});
});

test('a call is repeated once after signing in again', async () => {
    let isSignedIn = false;
    const requests = answerRequests(() => (isSignedIn ? {body: {a: 1}} : failure(401)));
    setSignedOutHandler(async () => {
        isSignedIn = true;
        return true;
    });
    assert.deepEqual((await call('PUT', '/v1/x', {body: {b: 1}, ifMatch: '"t"'})).body, {a: 1});
    assert.equal(requests.length, 2);
    assert.deepEqual(requests[1].headers, requests[0].headers);
    assert.equal(requests[1].text, requests[0].text);
});

test('a call that is refused again after signing in is not repeated forever', async () => {
    const requests = answerRequests(() => failure(401));
    setSignedOutHandler(async () => true);
    await assert.rejects(call('GET', '/v1/x'), {status: 401});
    assert.equal(requests.length, 2);
});

test('a refused call of the sign-in itself asks for no other one', async () => {
    answerRequests(() => failure(401));
    setSignedOutHandler(() => assert.fail('it was asked'));
    await assert.rejects(call('POST', '/console/session', {body: {}}), {status: 401});
});

test('a call that was aborted while the user signed in is not repeated', async () => {
    const abort = new AbortController();
    const requests = answerRequests(() => failure(401));
    setSignedOutHandler(async () => {
        abort.abort();
        return true;
    });
    await assert.rejects(call('GET', '/v1/x', {signal: abort.signal}), {name: 'AbortError'});
    assert.equal(requests.length, 1);
});

test('a forbidden call is reported, except the request for the session', async () => {
    let count = 0;
    setForbiddenHandler(() => {
        count += 1;
    });
    answerRequests(() => failure(403));
    await assert.rejects(call('GET', '/v1/x'), {status: 403});
    await assert.rejects(call('GET', '/console/session'), {status: 403});
    await assert.rejects(call('DELETE', '/console/session'), {status: 403});
    assert.equal(count, 2);
});

for (const [args, path] of [
    [['default', 'draft'], '/v1/projects/default/draft'],
    [['a/b ü', 'remoteConfig:diff', {from: 3, to: '5'}],
        '/v1/projects/a%2Fb%20%C3%BC/remoteConfig:diff?from=3&to=5'],
    [['p', 'audit', {pageToken: undefined, pageSize: 100, x: ''}],
        '/v1/projects/p/audit?pageSize=100'],
    [['p', 'x', {q: 'a&b=c+d'}], '/v1/projects/p/x?q=a%26b%3Dc%2Bd'],
    [['p', 'x', {flag: false, zero: 0}], '/v1/projects/p/x?flag=false&zero=0'],
]) {
    test(`${path} is the path of a resource`, () => assert.equal(projectPath(...args), path));
}

test('only 404 of the server is missing', () => {
    assert.ok(isMissing(new ServerError(404, null)));
    assert.ok(!isMissing(new ServerError(410, null)));
    assert.ok(!isMissing(new NoAnswerError()));
});

test('a version is read without its metadata', async () => {
    const requests = answerRequests(() => (
        {body: {a: 1, version: {versionNumber: '3'}}, etag: 'W/"etag-p-3"'}));
    assert.deepEqual(await readVersion('p', '3'),
        {template: {a: 1}, version: {versionNumber: '3'}, number: '3', etag: '"etag-p-3"'});
    assert.equal(requests[0].path, '/v1/projects/p/remoteConfig?versionNumber=3');
});

test('a version has its entity tag although a proxy drops the field', async () => {
    answerRequests(() => ({body: {a: 1, version: {versionNumber: '3'}}}));
    assert.equal((await readVersion('p')).etag, '"etag-p-3"');
});

for (const number of ['0', '7']) {
    test(`version ${number} of a project that was only created is not published`, async () => {
        const updateType = 'REMOTE_CONFIG_UPDATE_TYPE_UNSPECIFIED';
        answerRequests(() => ({body: {version: {versionNumber: number, updateType}}}));
        assert.deepEqual(await readVersion('p'),
            {template: {}, version: null, number, etag: `"etag-p-${number}"`});
    });
}

test('before the first publish the current version is empty, and others are missing', async () => {
    answerRequests(() => failure(404));
    assert.deepEqual(await readVersion('p'),
        {template: {}, version: null, number: '0', etag: '"etag-p-0"'});
    await assert.rejects(readVersion('p', '2'), {status: 404});
    assert.equal(await readNewest('p'), null);
    answerRequests(() => failure(500));
    await assert.rejects(readVersion('p'), {status: 500});
    await assert.rejects(readNewest('p'), {status: 500});
});

for (const {project, version, tag} of fixture('ConfigServerTests/Fixtures/console-names.json')
    .entityTags) {
    test(`the tag ${tag} names the project and the version`, () => (
        assert.equal(etagOf(project, String(version)), tag)));
}

test('of several requests only the newest continues', () => {
    const left = new AbortController();
    const next = newestRequest(left.signal);
    const [one, two] = [next(), next()];
    assert.deepEqual([one.aborted, two.aborted], [true, false]);
    left.abort();
    assert.ok(two.aborted);
    assert.ok(next().aborted, 'a page that was left starts no request');
});

test('a template is validated without being stored', async () => {
    const requests = answerRequests(() => ({body: {n: 1}, warning: '199 - "w"'}));
    assert.deepEqual(await validate('p', {a: 1}),
        {problems: [], normalized: {n: 1}, warning: '199 - "w"'});
    assert.equal(requests[0].path, '/v1/projects/p/remoteConfig?validateOnly=true');
    assert.equal(requests[0].headers['If-Match'], '*');
});

for (const [name, answer, problems] of [
    ['details', failure(400, {details: [{path: 'a', message: 'b'}]}), [{path: 'a', message: 'b'}]],
    ['a message', failure(400, {message: 'Too bad.'}), [{path: '', message: 'Too bad.'}]],
    ['its size', failure(413, {message: 'Too large.'}), [{path: '', message: 'Too large.'}]],
]) {
    test(`a template is refused with ${name}`, async () => {
        answerRequests(() => answer);
        assert.deepEqual(await validate('p', {}), {problems, normalized: null, warning: null});
    });
}

test('other errors of a validation are thrown', async () => {
    answerRequests(() => failure(500));
    await assert.rejects(validate('p', {}), {status: 500});
    await assert.rejects(validateEdit(
        {project: 'p', patched: {template: {}, base: '1', tag: null}}, {}), {status: 500});
});

test('an edit is validated by its changes of the stored draft', async () => {
    const requests = answerRequests(() => ({body: {}}));
    const before = {a: 1, b: {}};
    assert.deepEqual(await validateEdit(
        {project: 'p', patched: {template: before, base: '4', tag: '"t"'}}, {...before, a: 2}), []);
    const [{path, headers, body}] = requests;
    assert.equal(path, '/v1/projects/p/draft?validateOnly=true');
    assert.equal(headers['If-Match'], '"t"');
    assert.equal(headers['Content-Type'], 'application/json-patch+json');
    assert.deepEqual(body, [{op: 'replace', path: '/a', value: 2}]);
});

test('an edit without a stored draft is validated over its version', async () => {
    const requests = answerRequests(() => ({body: {}}));
    await validateEdit({project: 'p', patched: {template: {}, base: '4', tag: null}}, {a: 1});
    assert.equal(requests[0].path, '/v1/projects/p/draft?validateOnly=true&baseVersion=4');
    assert.equal(requests[0].headers['If-None-Match'], '*');
});

for (const status of [404, 405, 409, 412, 413]) {
    test(`an edit is validated whole after the status ${status}`, async () => {
        const requests = answerRequests(({method}) => (
            method === 'PATCH' ? failure(status) : {body: {}}));
        assert.deepEqual(await validateEdit(
            {project: 'p', patched: {template: {}, base: '4', tag: '"t"'}}, {a: 1}), []);
        assert.deepEqual(requests.map(({method}) => method), ['PATCH', 'PUT']);
        assert.deepEqual(requests[1].body, {a: 1});
    });
}

test('problems of an edit are those of its validation', async () => {
    const requests = answerRequests(() => failure(400, {details: [{path: 'a', message: 'b'}]}));
    assert.deepEqual(await validateEdit(
        {project: 'p', patched: {template: {}, base: '4', tag: '"t"'}}, {a: 1}),
    [{path: 'a', message: 'b'}]);
    assert.equal(requests.length, 1);
});

test('problems within a path are those at it and below', () => {
    const problems = ['a', 'a.b', 'a["x"]', 'a[0].c', 'ab', 'b.a', ''].map((path) => ({path}));
    assert.deepEqual(problemsWithin(problems, 'a').map(({path}) => path),
        ['a', 'a.b', 'a["x"]', 'a[0].c']);
});

for (const [problem, text] of [
    [{message: 'it is wrong'}, 'It is wrong.'], [{message: 'Is it?'}, 'Is it?'],
    [{message: 'no key', column: 7}, 'Column 7: No key.'], [{message: 'done!'}, 'Done!'],
    [{message: 'é'}, 'É.'],
]) test(`the problem "${problem.message}" is shown as "${text}"`, () => (
    assert.equal(sentence(problem), text)));

/** Live validation of a workspace without a draft, with its reports. */
function live() {
    const reports = [];
    const validation = new LiveValidation({project: 'p',
        patched: {template: {}, base: '1', tag: null}}, (report) => reports.push(report));
    return {validation, reports};
}

test('a check while typing waits until the keys rest', async () => {
    const requests = answerRequests(() => ({body: {}}));
    const {validation, reports} = live();
    validation.check({a: 1});
    await clock.pass(200);
    validation.check({a: 2});
    await clock.pass(249);
    assert.equal(requests.length, 0);
    await clock.pass(1);
    assert.deepEqual(requests.map(({body}) => body), [[{op: 'add', path: '/a', value: 2}]]);
    assert.deepEqual(reports.map(({state}) => state), ['checking', 'checking', 'done']);
});

test('a stopped check reports nothing more', async () => {
    let answer;
    answerRequests(() => new Promise((resolve) => {
        answer = resolve;
    }));
    const {validation, reports} = live();
    validation.check({a: 1});
    await clock.pass(250);
    validation.stop();
    answer({body: {}});
    await clock.pass(10_000);
    assert.deepEqual(reports.map(({state}) => state), ['checking']);
});

test('a check without an answer in five seconds is unknown', async () => {
    answerRequests(() => new Promise(() => {}));
    const {validation, reports} = live();
    validation.check({a: 1});
    await clock.pass(250 + 5000);
    assert.deepEqual(reports.at(-1), {state: 'unknown', problems: [],
        message: 'The server does not answer. Check the connection, and try again.'});
});

for (const {field, texts} of fixture('SampleBackendTests/Fixtures/warning-fields.json')) {
    test(`the warnings of ${field} are ${texts.length}`, () => (
        assert.deepEqual(warningTexts(field), texts)));
}

for (const [field, texts] of [
    ['199 - "one"', ['one']], ['199 - "a \\"b\\" \\\\ c",199 - ""', ['a "b" \\ c', '']],
    ['199 - "In a: b, c", 299 host:80 "two" "Sun, 06 Nov 1994 08:49:37 GMT"', ['In a: b, c', 'two']],
    ['199 - "a \\"b\\" \\\\"', ['a "b" \\']], ['199 agent "a" "Wed, 21 Oct 2015 07:28:00 GMT"', ['a']],
    ['nonsense', ['nonsense']], ['', []], ['199 - "a", nonsense', ['199 - "a", nonsense']],
    ['199 - "a', ['199 - "a']],
]) test(`the warning field ${field || 'that is empty'} is read`, () => (
    assert.deepEqual(warningTexts(field), texts)));
