import {answerRequests, Clock} from './browser.mjs';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';

import {commentPlace, commentPlaces, placedComment}
    from '../../Sources/Console/Pages/requests/request-places.js';
import {hasOtherContent, listNews, makersText, newsOf, outdatedText, stateBadge, votesText}
    from '../../Sources/Console/Pages/requests/request-texts.js';
import {outcomeMessage, perform, requestActs} from '../../Sources/Console/Pages/requests/request-acts.js';
import {earlyText} from '../../Sources/Console/Pages/requests/publish-question.js';
import {requestImpact} from '../../Sources/Console/Pages/requests/request-impact.js';
import {RequestInput} from '../../Sources/Console/Pages/requests/request-input.js';
import {isOwnRequest, requestRights}
    from '../../Sources/Console/Pages/requests/request-rights.js';
import {takeRequest} from '../../Sources/Console/Pages/requests/requested-draft.js';
import {makeRequest} from '../../Sources/Console/Pages/server/change-requests.js';
import {PagedList} from '../../Sources/Console/Pages/server/paged-list.js';
import {forgetUser} from '../../Sources/Console/Pages/storage/stored-data.js';
import {approvalProblem, approvalsText, isLowered, protectionRefusal, readProtection, saveProtection}
    from '../../Sources/Console/Pages/server/protection.js';

let clock;

beforeEach(() => {
    clock = new Clock().start();
});

afterEach(() => clock.end());

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

const lost = () => {
    throw new Error('The connection broke.');
};

const failure = (status, code, message = `Refused with ${status}.`, details = undefined) => (
    {status, body: {error: {status: code, message, details}}});

const doubt = () => ({signal: new AbortController().signal, onDoubt: () => {}});

/** @type {ChangeRequest} */
const request = {
    id: 'r1', etag: 'tag.5', state: 'open', title: 'Look sooner', text: 'Why',
    author: {actor: 'ada-token', person: 'Ada'}, editors: [], baseVersionNumber: '5',
    creationTime: '2026-11-29T10:00:00Z', updateTime: '2026-11-29T10:00:00Z',
    requiredApprovals: 2, missingApprovals: 2, votes: [], comments: [], liveVersionNumber: '5',
    changes: {conditions: [], groups: [], parameters: []}, conflicts: [], problems: [],
};

const vote = (person, verdict, more = {}) => ({person, actor: `${person}-token`, verdict,
    liveVersionNumber: '5', time: '2026-11-29T11:00:00Z', ...more});

const off = {requiredApprovals: 0, selfApproval: false, rollbackWithoutApproval: false};
const on = {...off, requiredApprovals: 2};

const session = (more = {}) => ({name: 'bob-token', role: 'publisher', csrfToken: '', owner: 'Bob',
    bypass: false, ...more});
const noDraft = {draft: null, isUnsaved: false};

test('votes are counted of those that are needed, or alone', () => {
    assert.equal(votesText({...request, missingApprovals: 1}), '1 of 2');
    assert.equal(votesText({votes: [vote('Bob', 'approve'), vote('Eve', 'requestChanges'),
        vote('Cleo', 'approve', {outdated: true})]}), '1');
});

test('an unknown state is shown in words', () => {
    assert.deepEqual(stateBadge('needsAttention'), ['Needs attention', 'bad']);
    assert.deepEqual(stateBadge('waitingForTime'), ['Waiting for time', '']);
});

test('those who made a request are named by person, else by token', () => (
    assert.equal(makersText({author: {actor: 'environment'}, editors: [{actor: 'x', person: 'Bob'}]}),
        'Admin token, edited by Bob')));

for (const [name, missing, votes, text] of [
    ['an approval', 1, [], '1 approval is missing.'],
    ['approvals', 2, [], '2 approvals are missing.'],
    ['nothing but a consent', 0, [vote('Eve', 'requestChanges')], 'Eve asks for changes.'],
    ['both', 1, [vote('Eve', 'requestChanges'), vote('Cleo', 'requestChanges')],
        '1 approval is missing. Eve, Cleo ask for changes.'],
    ['nothing', 0, [vote('Bob', 'approve')], null],
]) {
    test(`a protected publish that lacks ${name} says so`, () => assert.equal(
        approvalProblem({...request, missingApprovals: missing, votes}), text));
}

test('a request for changes does not prevent a publish without a protection', () => (
    assert.equal(approvalProblem({...request, requiredApprovals: 0, missingApprovals: 0,
        votes: [vote('Eve', 'requestChanges')]}), null)));

test('an outdated approval says why it does not count', () => {
    assert.equal(outdatedText(vote('Bob', 'approve'), request), null);
    assert.match(outdatedText(vote('Bob', 'approve', {outdated: true}), request),
        /: the request was edited since\.$/);
    assert.match(outdatedText(vote('Bob', 'approve', {outdated: true}),
        {liveVersionNumber: '7'}), /edited since, or a version after 5 changed what it uses/);
});

test('a comment can be about all that the request changes, by its path', () => {
    const difference = {change: 'CHANGED', parts: [], name: '', section: '', key: ''};
    const changes = {parameters: [{...difference, section: 'Home', key: 'my title'},
        {...difference, section: 'Default', key: 'a'}],
    conditions: [{...difference, name: 'New users'}], groups: [{...difference, name: 'Home'}]};
    assert.deepEqual(commentPlaces({...request, changes}), [['', 'The whole request'],
        ['parameterGroups.Home.parameters["my title"]', 'Home.my title'],
        ['parameters.a', 'Default.a'], ['conditions["New users"]', 'The condition New users'],
        ['parameterGroups.Home', 'The section Home']]);
    assert.equal(commentPlace('conditions.Beta'), 'the condition Beta');
    assert.equal(commentPlace('some/thing'), 'some/thing');
    assert.equal(placedComment('Too often.', 'parameters.a'), 'Default.a: Too often.');
    assert.equal(placedComment('', 'parameters.a'), '');
});

test('the news of a request name what is new', () => {
    const now = {...request, etag: 'other.6', title: 'Sooner', text: '', state: 'closed',
        liveVersionNumber: '6', baseVersionNumber: '6', votes: [vote('Bob', 'approve')],
        comments: [{actor: 'ci', text: 'Checked', time: '2026-11-29T11:00:00Z'}]};
    assert.deepEqual(newsOf(request, now), ['The title is now “Sooner”.', 'The text was changed.',
        'What it changes was edited.', 'Bob approved.', 'ci commented.',
        'Version 6 was published.', 'The request is closed now.']);
    assert.deepEqual(newsOf(now, now), []);
});

test('votes and comments leave what a request changes as it is, an edit does not', () => {
    const voted = {...request, etag: 'other.5', votes: [vote('Bob', 'approve')],
        comments: [{actor: 'ci', text: 'x', time: ''}]};
    assert.equal(hasOtherContent(request, voted), false);
    assert.deepEqual(newsOf(request, voted), ['Bob approved.', 'ci commented.']);
    assert.equal(hasOtherContent(request, {...request, baseVersionNumber: '6'}), true);
    assert.equal(hasOtherContent(request, {...request, changes: {...request.changes,
        conditions: [{change: 'ADDED', name: 'x', section: '', key: '', parts: []}]}}), true);
});

test('a comment on what was edited meanwhile says that it was', () => {
    const edited = {...request, baseVersionNumber: '6'};
    const done = {outcome: 'done', request: edited};
    assert.deepEqual(outcomeMessage(done, 'You have commented.', request, {}), {kind: 'warning',
        text: 'You have commented. This request has changed: look at what is new.',
        news: ['What it changes was edited.']});
    assert.deepEqual(outcomeMessage(done, 'It is replaced.', request, {isEdit: true}),
        {kind: 'success', text: 'It is replaced.'});
    assert.equal(outcomeMessage({outcome: 'left'}, '', request, {}), null);
    assert.deepEqual(outcomeMessage({outcome: 'unapproved', message: 'No.'}, '', request, {}),
        {kind: 'warning', text: 'No.'});
});

test('the news of a list name the requests, up to three', () => {
    const other = {...request, id: 'r2', title: 'Other'};
    const scheduledOther = {...other, schedule: {state: 'waiting', at: '', time: ''}};
    const approved = {...request, state: 'approved', missingApprovals: 1,
        votes: [vote('Bob', 'approve')]};
    assert.deepEqual(listNews([request, other], [other, request]), []);
    assert.deepEqual(listNews([request], [approved]),
        ['“Look sooner”: Approved, 1 of 2 approvals.']);
    assert.deepEqual(listNews([other], [scheduledOther, request]),
        ['“Other”: Scheduled.', '“Look sooner” is new.']);
    assert.deepEqual(listNews([request, other], [request]),
        ['“Other” is no longer in this list.']);
    const many = ['a', 'b', 'c', 'd'].map((id) => ({...request, id}));
    assert.deepEqual(listNews([], many), ['4 requests in this list changed.']);
});

test('a publish that is published by others is not news of a vote that stays', () => (
    assert.deepEqual(newsOf({...request, votes: [vote('Bob', 'approve')]},
        {...request, votes: [vote('Bob', 'approve', {outdated: true})]}), [])));

test('whoever created the token of a request has made it', () => {
    const author = {actor: 'robot', creator: 'Bob'};
    assert.equal(isOwnRequest({author, editors: []}, session()), true);
    assert.equal(isOwnRequest({author, editors: []}, session({owner: 'Eve'})), false);
    assert.match(rights({author}).approve, /made or edited/);
});

for (const [name, more, by, isOffered] of [
    ['the last approval', {missingApprovals: 1}, {}, true],
    ['one of two approvals', {missingApprovals: 2}, {}, false],
    ['an approval of one who asked for changes', {missingApprovals: 1,
        votes: [vote('Bob', 'requestChanges')]}, {}, true],
    ['an approval while somebody asks for changes', {missingApprovals: 1,
        votes: [vote('Eve', 'requestChanges')]}, {}, false],
    ['no approval', {missingApprovals: 0}, {}, false],
    ['an approval of an editor', {missingApprovals: 1}, {role: 'editor'}, false],
    ['an approval of a program', {missingApprovals: 1}, {owner: null}, false],
    ['an approval over a conflict', {missingApprovals: 1, conflicts: [{}]}, {}, false],
]) {
    test(`approving and publishing is ${isOffered ? '' : 'not '}offered for ${name}`, () => (
        assert.equal(rights(more, by).approveAndPublish === null, isOffered)));
}

test('an approval is sent with the publish', async () => {
    const requests = answerRequests(() => ({body: {version: {versionNumber: '6'}}}));
    await perform('p', request, acts.publish({approves: true}), doubt());
    assert.deepEqual(requests[0].body, {approve: true});
});

// What the user may do.

/** The refusals of a request. */
const rights = (more = {}, by = {}, protection = on, workspace = noDraft) => requestRights(
    {...request, ...more}, session(by), protection, workspace);

test('a reviewer may vote, and publish when enough people approve', () => {
    const {approve, requestChanges, publish, comment, close, bypass} = rights();
    assert.deepEqual([approve, requestChanges, comment, close], [null, null, null, null]);
    assert.equal(publish, '2 approvals are missing.');
    assert.match(bypass, /may not publish without approval/);
    assert.equal(rights({missingApprovals: 0}).publish, null);
    assert.match(rights({missingApprovals: 0}, {bypass: true}).bypass, /publish it/);
    assert.equal(rights({}, {bypass: true}).bypass, null);
});

test('who made or edited a request does not vote on it, unless the protection allows it', () => {
    for (const made of [{author: {actor: 'other', person: 'Bob'}},
        {editors: [{actor: 'other', person: 'Bob'}]}]) {
        assert.match(rights(made).approve, /somebody else must vote/);
        assert.match(rights(made).requestChanges, /somebody else must vote/);
        assert.equal(rights(made, {}, {...on, selfApproval: true}).approve, null);
    }
});

test('a token of a program does not vote', () => {
    assert.match(rights({}, {owner: null}).approve, /no owner/);
    assert.equal(isOwnRequest({author: {actor: 'bob-token'}, editors: []}, session({owner: null})),
        true);
    assert.equal(isOwnRequest(
        {author: {actor: 'bob-token', person: 'Eve'}, editors: []}, session()), false);
});

test('where the server does not say what a token may do, acts are offered', () => {
    const {owner, bypass, ...silent} = session();
    const all = requestRights(request, silent, on, noDraft);
    assert.deepEqual([all.approve, all.bypass], [null, null]);
    assert.match(requestRights({...request, author: {actor: 'bob-token', person: 'Bob'}},
        silent, on, noDraft).approve, /somebody else/);
});

test('an approval that counts is not given again, an outdated one can be', () => {
    assert.match(rights({votes: [vote('Bob', 'approve')]}).approve, /already/);
    assert.equal(rights({votes: [vote('Bob', 'approve', {outdated: true})]}).approve, null);
    assert.equal(rights({votes: [vote('Bob', 'approve')]}).requestChanges, null);
});

test('roles and the end of a request refuse acts', () => {
    const viewer = rights({}, {role: 'viewer'});
    assert.ok(['approve', 'comment', 'edit', 'replace', 'take', 'close', 'publish']
        .every((act) => viewer[act]?.startsWith('Your role is viewer.')));
    const editor = rights({}, {role: 'editor'});
    assert.match(editor.close, /Only those who made it/);
    assert.equal(rights({author: {actor: 'x', person: 'Bob'}}, {role: 'editor'}).close, null);
    const ended = rights({state: 'closed'});
    assert.equal(ended.comment, 'The request is closed.');
    assert.equal(ended.publish, 'The request is closed.');
    assert.equal(ended.take, null);
});

test('conflicts and problems prevent a publish, also without approval', () => {
    const conflict = {path: 'parameters.a', kind: 'PARAMETER'};
    const all = rights({conflicts: [conflict]}, {bypass: true});
    assert.match(all.publish, /conflicts/);
    assert.equal(all.bypass, all.publish);
    assert.match(rights({problems: [{message: 'x'}]}).publish, /problems/);
});

test('only a saved draft replaces the content', () => {
    assert.equal(rights().replace, 'You have no draft.');
    assert.match(rights({}, {}, on, {draft: {}, isUnsaved: true}).replace, /not saved/);
    assert.equal(rights({}, {}, on, {draft: {}, isUnsaved: false}).replace, null);
});

// Acts.

const acts = requestActs('p', request, 'bob-token');

test('a vote is for the state that is shown', async () => {
    const requests = answerRequests(() => ({body: {...request, etag: 'new.5'}}));
    const answer = await perform('p', request, acts.approve('Good'), doubt());
    assert.deepEqual([answer.outcome, answer.request.etag], ['done', 'new.5']);
    const [{method, path, headers, body}] = requests;
    assert.deepEqual([method, path, headers['If-Match'], body],
        ['POST', '/v1/projects/p/changeRequests/r1:approve', '"tag.5"', {comment: 'Good'}]);
});

test('a request that has changed is read, and its news are shown', async () => {
    const requests = answerRequests(({method}) => (method === 'GET'
        ? {body: {...request, etag: 'new.5', title: 'Sooner'}}
        : failure(412, 'CHANGE_REQUEST_MISMATCH')));
    const answer = await perform('p', request, acts.edit('Mine', 'Why'), doubt());
    assert.deepEqual([answer.outcome, answer.news], ['changed', ['The title is now “Sooner”.']]);
    assert.deepEqual(requests[0].body, {title: 'Mine', text: 'Why'});
    assert.equal(requests.length, 2);
});

test('a conflict at the publish shows the request with its conflicts', async () => {
    answerRequests(({method}) => (method === 'GET'
        ? {body: {...request, etag: 'tag.6', liveVersionNumber: '6', state: 'needsAttention'}}
        : failure(409, 'MERGE_CONFLICT')));
    const answer = await perform('p', request, acts.publish(), doubt());
    assert.deepEqual([answer.outcome, answer.news, answer.request.state],
        ['changed', ['Version 6 was published.'], 'needsAttention']);
});

test('a conflict with what is shown already is a refusal', async () => {
    answerRequests(({method}) => (method === 'GET' ? {body: request}
        : failure(409, 'MERGE_CONFLICT', 'Both changed parameters.a.')));
    const answer = await perform('p', request, acts.publish(), doubt());
    assert.deepEqual([answer.outcome, answer.message], ['refused', 'Both changed parameters.a.']);
});

test('missing approvals and other refusals have their message', async () => {
    answerRequests(() => failure(403, 'APPROVAL_REQUIRED', 'Needs one more.'));
    assert.deepEqual(await perform('p', request, acts.publish(), doubt()),
        {outcome: 'unapproved', message: 'Needs one more.'});
    answerRequests(() => failure(400, 'INVALID_ARGUMENT', 'comment is too long.'));
    assert.deepEqual(await perform('p', request, acts.comment('x', ''), doubt()),
        {outcome: 'refused', message: 'comment is too long.'});
});

test('a publish without approval sends its reason, and answers the version', async () => {
    const requests = answerRequests(() => ({body: {version: {versionNumber: '6'}}}));
    const answer = await perform('p', request, acts.publish({bypass: 'Shop down & out'}), doubt());
    assert.deepEqual(answer, {outcome: 'done', version: {versionNumber: '6'}});
    assert.equal(requests[0].path,
        '/v1/projects/p/changeRequests/r1:publish?bypass=Shop%20down%20%26%20out');
});

for (const [name, act, now, outcome] of [
    ['an approval that was stored', acts.approve('x'),
        {votes: [vote('bob', 'approve')]}, 'done'],
    ['an approval that was not', acts.approve('x'), {etag: request.etag}, 'notDone'],
    ['an edit', acts.edit('Mine', ''), {title: 'Mine', text: undefined}, 'done'],
    ['an edit before which another came', acts.edit('Mine', ''), {title: 'Theirs'}, 'unclear'],
    ['a replacement', acts.replace(), {baseVersionNumber: '6'}, 'unclear'],
    ['a comment', acts.comment('x', 'parameters.a'), {comments: [
        {actor: 'bob-token', text: 'x', path: 'parameters.a', time: ''}]}, 'done'],
    ['a comment elsewhere', acts.comment('x', 'parameters.a'), {comments: [
        {actor: 'bob-token', text: 'x', time: ''}]}, 'unclear'],
    ['a closure', acts.close(''), {state: 'closed'}, 'done'],
    ['a publish', acts.publish(), {state: 'published', ending: {
        actor: 'bob-token', versionNumber: '6', time: ''}}, 'done'],
    ['a publish of somebody else', acts.publish(), {state: 'published', ending: {
        actor: 'eve-token', versionNumber: '6', time: ''}}, 'unclear'],
]) {
    test(`the outcome of ${name} is known after a lost answer`, async () => {
        let isLost = true;
        answerRequests(({method}) => {
            if (method !== 'GET' || isLost) {
                isLost = method !== 'GET';
                return lost();
            }
            return {body: {...request, etag: 'new.5', ...now}};
        });
        const answer = await timed(perform('p', request, act, doubt()));
        assert.equal(answer.outcome, outcome);
    });
}

test('an act whose outcome the store does not know is sent again, a comment is not', async () => {
    let unknown = 2;
    const answer = ({method}) => {
        if (method === 'GET') return {body: request};
        unknown -= 1;
        return unknown >= 0 ? failure(503, 'OUTCOME_UNKNOWN')
            : {body: {version: {versionNumber: '6'}}};
    };
    let requests = answerRequests(answer);
    assert.equal((await timed(perform('p', request, acts.publish(), doubt()))).outcome, 'done');
    assert.equal(requests.filter(({method}) => method === 'POST').length, 3);
    unknown = 1;
    requests = answerRequests(answer);
    const ended = await timed(perform('p', request, acts.comment('x', ''), doubt()));
    assert.equal(ended.outcome, 'notDone');
    assert.equal(requests.filter(({method}) => method === 'POST').length, 1);
});

// Making a request, and taking one.

const content = {title: 'T', text: '', template: {parameters: {}}, base: '"etag-p-5"'};

test('a request has the template that is shown, and the tag of its base', async () => {
    const requests = answerRequests(() => ({status: 201, body: {...request, id: 'r2'}}));
    assert.equal((await makeRequest('p', content, 'bob-token', doubt())).id, 'r2');
    assert.deepEqual(requests[0].body,
        {title: 'T', template: {parameters: {}}, base: '"etag-p-5"'});
});

test('after a lost answer, a request is found, or not made', async () => {
    const made = {...request, id: 'r2', title: 'T', text: undefined, author: {actor: 'bob-token'},
        creationTime: new Date().toISOString()};
    const answers = (changeRequests) => answerRequests(({method}) => (
        method === 'POST' ? lost() : {body: {changeRequests}}));
    answers([request, made]);
    assert.equal((await timed(makeRequest('p', content, 'bob-token', doubt()))).id, 'r2');
    answers([request, {...made, creationTime: '2020-01-01T00:00:00Z'},
        {...made, author: {actor: 'eve-token'}}]);
    await assert.rejects(timed(makeRequest('p', content, 'bob-token', doubt())),
        /there is no such change request/);
});

test('a request becomes the draft over its own base, as one step', async () => {
    const requests = answerRequests(() => ({body: {parameters: {a: {}}, version: {}}}));
    const taken = [];
    const described = [];
    const workspace = {project: 'p', draft: null, templateOf: async (number) => ({base: number}),
        rebase: (...rest) => taken.push(rest), describe: (text) => described.push(text)};
    await takeRequest(workspace, request);
    assert.equal(requests[0].path, '/v1/projects/p/changeRequests/r1/template');
    assert.deepEqual(taken, [[{parameters: {a: {}}}, {versionNumber: '5',
        baseTemplate: {base: '5'}, etag: '"etag-p-5"'}, 'change request “Look sooner”']]);
    await assert.rejects(takeRequest({...workspace, templateOf: async () => null}, request),
        /Version 5, on which the request is based, is no longer kept/);
    await takeRequest({...workspace, templateOf: async () => null},
        {...request, baseVersionNumber: '0'});
    await takeRequest({...workspace, draft: {template: {version: {description: 'Mine'}}}}, request);
    assert.deepEqual(described, ['Look sooner', 'Look sooner', 'Mine']);
    assert.deepEqual(taken[1][1], {versionNumber: '0', baseTemplate: {}, etag: '"etag-p-0"'});
});

test('what was entered for a request is kept until it is used', () => {
    const owner = {user: 'bob', project: 'p'};
    const input = new RequestInput(owner, 'r.1');
    input.keep({comment: 'x'});
    input.keep({title: 'T', text: ''});
    assert.deepEqual(new RequestInput(owner, 'r.1').content, {comment: 'x', title: 'T', text: ''});
    assert.deepEqual(new RequestInput(owner, 'r2').content, {});
    input.forget('title', 'text');
    assert.deepEqual(input.content, {comment: 'x'});
    input.forget('comment');
    assert.equal(Object.keys(sessionStorage).length, 0);
    input.keep({comment: 'y'});
    forgetUser('eve');
    assert.deepEqual(input.content, {comment: 'y'});
    forgetUser('bob');
    assert.equal(Object.keys(sessionStorage).length, 0);
});

test('a page of a list is filled by several answers, also empty ones', async () => {
    const answers = [{entries: [], nextPageToken: 'a'}, {entries: [1, 2], nextPageToken: 'b'},
        {entries: [3], nextPageToken: 'c'}, {entries: [4]}];
    const asked = [];
    const list = new PagedList(async (page) => {
        asked.push(page);
        return answers.shift();
    }, new AbortController().signal, 3);
    await list.start();
    assert.deepEqual([list.list, list.nextPageToken], [[1, 2, 3], 'c']);
    assert.deepEqual(asked, [{pageSize: 3, pageToken: undefined}, {pageSize: 3, pageToken: 'a'},
        {pageSize: 1, pageToken: 'b'}]);
    await list.more();
    assert.deepEqual([list.list, list.nextPageToken], [[1, 2, 3, 4], undefined]);
});

test('a list is read again with as many items as it shows', async () => {
    const asked = [];
    const list = new PagedList(async (page) => {
        asked.push(page.pageSize);
        return {entries: Array(Math.min(2, page.pageSize)).fill('x'), nextPageToken: 'next'};
    }, new AbortController().signal, 3);
    await list.start();
    await list.more();
    assert.equal(list.list.length, 6);
    asked.length = 0;
    await list.again();
    assert.deepEqual([list.list.length, asked], [6, [6, 4, 2]]);
});

// Protection.

test('a protection is replaced as it was read', async () => {
    const requests = answerRequests(({method}) => (
        method === 'GET' ? {body: on, etag: '"protection-3"'} : {body: on}));
    const {etag, ...read} = await readProtection('p');
    assert.deepEqual(read, on);
    await saveProtection('p', read, etag);
    assert.deepEqual([requests[1].method, requests[1].headers['If-Match'], requests[1].body],
        ['PUT', '"protection-3"', on]);
});

test('the number of needed approvals is said where there are any', () => {
    assert.equal(approvalsText(null), null);
    assert.equal(approvalsText(off), null);
    assert.equal(approvalsText(on), 'A publish in this project needs 2 approvals.');
});

for (const [name, now, isLower] of [
    ['more approvals', {...on, requiredApprovals: 3}, false],
    ['fewer', {...on, requiredApprovals: 1}, true],
    ['none', off, true],
    ['own approval', {...on, selfApproval: true}, true],
    ['going back', {...on, rollbackWithoutApproval: true}, true],
]) {
    test(`a protection with ${name} ${isLower ? 'needs' : 'does not need'} the permission`, () => {
        assert.equal(isLowered(on, now), isLower);
        assert.equal(protectionRefusal(session(), on, now) !== null, isLower);
        assert.equal(protectionRefusal(session({bypass: true}), on, now), null);
        assert.equal(isLowered(off, now), false);
        assert.match(protectionRefusal(session({role: 'editor'}), off, now), /role publisher/);
    });
}

// Whom it reaches.

const owner = {user: 'bob-token', project: 'p'};

/** Answers the requests of a preview; the server has this version. */
const previewing = (newest) => answerRequests(({path}) => (path.endsWith('/template')
    ? {body: {edited: true}} : path.endsWith(':preview')
        ? {body: {versionNumber: newest, users: []}}
        : {body: {template: {merged: true}, versionNumber: newest, conflicts: [{path: 'a'}]}}));

test('a request over the current version is previewed as it is, its content read once', async () => {
    const requests = previewing('5');
    const {preview} = requestImpact(owner, request);
    const answer = await preview([{userID: '7', signals: {}}], new AbortController().signal);
    assert.deepEqual([answer.isMerged, answer.conflictCount], [false, 0]);
    await preview([], new AbortController().signal);
    assert.deepEqual(requests.map(({path}) => path), [
        '/v1/projects/p/changeRequests/r1/template', '/v1/projects/p/remoteConfig:preview',
        '/v1/projects/p/remoteConfig:preview']);
    assert.deepEqual(requests[1].body,
        {template: {edited: true}, users: [{userID: '7', signals: {}}]});
});

test('a request over an older version is merged first, and wins all conflicts', async () => {
    const requests = previewing('6');
    const {preview, conflicting} = requestImpact(owner, {...request, liveVersionNumber: '6'});
    const answer = await preview([], new AbortController().signal);
    assert.deepEqual([answer.isMerged, answer.conflictCount], [true, 1]);
    assert.deepEqual(requests[2].body,
        {base: '5', mine: {edited: true}, resolutions: {a: 'mine'}});
    assert.deepEqual(requests[3].body.template, {merged: true});
    assert.equal(conflicting(1), 'For 1 thing that was changed since, too, this uses the request.');
});

// The question before a publish.

const scheduled = {state: 'waiting', at: '2026-12-01T09:00:00+01:00', time: '2026-12-01T08:00:00Z',
    zone: 'Europe/Berlin'};

test('a publish says what becomes of the times of the request', () => {
    assert.equal(earlyText(request), null);
    assert.equal(earlyText({...request, schedule: {...scheduled, state: 'cancelled'}}), null);
    assert.match(earlyText({requiredApprovals: 0, schedule: scheduled}),
        /^The request is scheduled for .+\. Publishing it now cancels that\.$/);
    const all = earlyText({requiredApprovals: 1, schedule: {...scheduled,
        until: '2026-12-02T09:00:00+01:00', untilTime: '2026-12-02T08:00:00Z',
        rollout: {condition: 'Beta', percents: [5], intervalMinutes: 60, state: 'waiting', steps: []}}});
    assert.match(all, /; it is not taken back .+ either\. It stays as it is then: no step/);
    assert.match(all, /Approvals for that time do not count now\.$/);
});
