import {answerRequests, Clock} from './browser.mjs';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';

import {perform, requestActs} from '../../Sources/Console/Pages/requests/request-acts.js';
import {requestRights} from '../../Sources/Console/Pages/requests/request-rights.js';
import {newsOf, outdatedText} from '../../Sources/Console/Pages/requests/request-texts.js';
import {isInDoubt, scheduleBadge, scheduleNews, scheduleTexts}
    from '../../Sources/Console/Pages/requests/schedule-texts.js';
import {hasFailedEnd} from '../../Sources/Console/Pages/schedules/schedule-state.js';
import {followWaiting, waitingSchedules} from '../../Sources/Console/Pages/schedules/waiting-schedules.js';
import {makeRequest} from '../../Sources/Console/Pages/server/change-requests.js';
import {zonedText} from '../../Sources/Console/Pages/text/time-zones.js';

let clock;

beforeEach(() => {
    clock = new Clock().start();
});

afterEach(() => clock.end());

const [at, until] = ['2026-12-01T09:00:00+01:00', '2026-12-02T09:00:00+01:00'];
const [start, end] = [at, until].map((time) => zonedText(time, 'Europe/Berlin'));

/** @type {Schedule} */
const schedule = {at, time: '2026-12-01T08:00:00Z', zone: 'Europe/Berlin', state: 'waiting',
    outlook: 'willPublish', scheduler: {actor: 'ada-token', person: 'Ada'}};

const withEnd = {...schedule, until, untilTime: '2026-12-02T08:00:00Z', end: {state: 'waiting'}};

/** @type {ChangeRequest} */
const request = {
    id: 'r1', etag: 'tag.5', state: 'open', title: 'Look sooner',
    author: {actor: 'ada-token', person: 'Ada'}, editors: [], baseVersionNumber: '5',
    creationTime: '2026-11-29T10:00:00Z', updateTime: '2026-11-29T10:00:00Z', votes: [],
    liveVersionNumber: '5', schedule,
};

const doubt = () => ({signal: new AbortController().signal, onDoubt: () => {}});

for (const [name, shown, texts, badge] of [
    ['waits', schedule, [`Will be published ${start}.`], 'Will be published'],
    ['waits with an end', withEnd, [`Will be published ${start}.`,
        `After that, it is taken back ${end}.`], 'Will be published'],
    ['lacks an approval', {...schedule, outlook: 'needsApproval'},
        [`Will not be published ${start}: 1 approval is missing.`], 'Needs approval'],
    ['lacks an approval, with an end', {...withEnd, outlook: 'needsApproval'},
        [`Will not be published ${start}: 1 approval is missing.`,
            `If it is published, it is taken back ${end}.`], 'Needs approval'],
    ['conflicts', {...schedule, outlook: 'conflict'},
        [`Will not be published ${start}: it conflicts with what was published since.`], 'Conflict'],
    ['conflicts, with the place,', {...schedule, outlook: 'conflict',
        outlookReason: 'What was published since changed the same: a.b.'},
    [`Will not be published ${start}. What was published since changed the same: a.b.`], 'Conflict'],
    ['has problems', {...schedule, outlook: 'invalid'}, [`Will not be published ${start}: together `
        + 'with what was published since, it has problems.'], 'Has problems'],
    ['is of one who may not publish', {...schedule, outlook: 'notPermitted'}, [
        `Will not be published ${start}: the one who scheduled it may no longer publish here.`],
    'Not permitted'],
    ['waits for another one', {...schedule, outlook: 'waitsForPredecessor'}, [
        `Will be published ${start} if the request before it is published until then.`],
    'Waits for another request'],
    ['has an outlook of a newer server', {...schedule, outlook: 'x'},
        [`Will not be published ${start}.`], 'Scheduled'],
    ['was published', {...schedule, state: 'published', versionNumber: '7', outlook: undefined},
        [`Published as version 7, as scheduled: ${start}.`], 'Published'],
    ['was published late', {...schedule, state: 'published', versionNumber: '7', late: true},
        [`Published as version 7, later than scheduled: ${start}.`], 'Published'],
    ['has an end that waits', {...withEnd, state: 'published', versionNumber: '7'},
        [`Published as version 7, as scheduled: ${start}.`, `Will be taken back ${end}.`],
        'Published, its end waits'],
    ['was taken back', {...withEnd, state: 'published', versionNumber: '7',
        end: {state: 'published', versionNumber: '9', kept: ['parameters.a', 'conditions.B']}},
    [`Published as version 7, as scheduled: ${start}.`, `Taken back as version 9: ${end}. Changed `
        + 'since, and kept: Default.a, the condition B.'], 'Published'],
    ['was not taken back', {...withEnd, state: 'published', versionNumber: '7',
        end: {state: 'invalid', reason: 'Default.a is no number.'}},
    [`Published as version 7, as scheduled: ${start}.`,
        `Was not taken back ${end}. Default.a is no number.`],
    'Published, not taken back'],
    ['was changed before its end', {...withEnd, state: 'published', versionNumber: '7',
        end: {state: 'conflict', reason: 'Nothing was left to take back.',
            kept: ['parameters.a']}},
    [`Published as version 7, as scheduled: ${start}.`, `Was not taken back ${end}. Nothing was `
        + 'left to take back. Changed since, and kept: Default.a.'], 'Published, not taken back'],
    ['was taken back by hand', {...withEnd, state: 'published', versionNumber: '7',
        end: {state: 'published', reason: 'Nothing was left to take back.'}},
    [`Published as version 7, as scheduled: ${start}.`,
        `Ended ${end}. Nothing was left to take back.`], 'Published'],
    ['stays', {...withEnd, state: 'published', versionNumber: '7', end: {state: 'cancelled'}},
        [`Published as version 7, as scheduled: ${start}.`, `The end ${end} was cancelled.`],
        'Published'],
    ['conflicted', {...withEnd, state: 'conflict', reason: 'Both changed Default.a.',
        end: {state: 'dropped'}}, [`Was not published ${start}. Both changed Default.a.`],
    'Not published: conflict'],
    ['conflicted, without a reason', {...schedule, state: 'conflict'}, [
        `Was not published ${start}: it conflicts with what was published since.`],
    'Not published: conflict'],
    ['was missed', {...schedule, state: 'missed', reason: 'No server ran.'},
        [`Was not published ${start}. No server ran.`], 'Missed'],
    ['was not approved', {...schedule, state: 'notApproved'},
        [`Was not published ${start}: approvals were missing.`], 'Not published: not approved'],
    ['was cancelled', {...schedule, state: 'cancelled', reason: 'Published as version 6 before.'},
        [`The schedule for ${start} was cancelled. Published as version 6 before.`], 'Cancelled'],
]) {
    test(`a schedule that ${name} says so`, () => {
        assert.deepEqual(scheduleTexts(shown, '1 approval is missing.'), texts);
        assert.equal(scheduleBadge(shown)[0], badge);
    });
}

test('a warning is shown for what will not be published', () => {
    assert.deepEqual(['willPublish', 'waitsForPredecessor', 'needsApproval', 'conflict', undefined]
        .map((outlook) => isInDoubt({...schedule, outlook})), [false, false, true, true, false]);
    assert.equal(isInDoubt({...schedule, state: 'conflict', outlook: undefined}), false);
});

test('the news of a schedule name its time, or what has come of it', () => {
    assert.deepEqual(scheduleNews(undefined, undefined), []);
    assert.deepEqual(scheduleNews(schedule, {...schedule}), []);
    assert.deepEqual(newsOf({...request, schedule: undefined}, request),
        [`It is scheduled for ${start}.`]);
    assert.deepEqual(scheduleNews(schedule, {...withEnd, time: '2026-12-01T08:30:00Z'}),
        [`It is scheduled for ${start}, until ${end}.`]);
    assert.deepEqual(scheduleNews(schedule, {...schedule, state: 'cancelled'}),
        [`The schedule for ${start} was cancelled.`]);
    assert.deepEqual(scheduleNews(schedule, {...schedule, outlook: 'conflict'}).length, 1);
});

test('a vote for another time says why it does not count', () => {
    const vote = {person: 'Bob', actor: 'b', verdict: 'approve', liveVersionNumber: '5', time: '',
        outdated: true};
    assert.match(outdatedText(vote, request), /edited or moved to another time since\.$/);
});

// Rights and acts.

test('publishers schedule what can be merged, also before it is approved', () => {
    const off = {requiredApprovals: 0, selfApproval: false, rollbackWithoutApproval: false};
    const rights = (more = {}, role = 'publisher') => requestRights({...request, ...more},
        {name: 'bob-token', role, csrfToken: '', owner: 'Bob', bypass: false}, off,
        {draft: null, isUnsaved: false});
    assert.equal(rights({requiredApprovals: 1, missingApprovals: 1}).schedule, null);
    assert.match(rights({}, 'editor').schedule, /role publisher/);
    assert.match(rights({}, 'editor').moveSchedule, /role publisher/);
    assert.match(rights({}, 'editor').replace, /role publisher/);
    assert.equal(rights({schedule: undefined}, 'editor').replace, 'You have no draft.');
    assert.match(rights({conflicts: [{}]}).schedule, /conflicts/);
    assert.equal(rights({conflicts: [{}]}).moveSchedule, null);
    assert.equal(rights({state: 'published'}).schedule, 'The request is published.');
    // Its end can still wait.
    assert.equal(rights({state: 'published'}).moveSchedule, null);
    assert.equal(rights({state: 'published'}).endAnew, null);
    assert.match(rights({}, 'editor').endAnew, /role publisher/);
    assert.match(requestRights(request, {name: 'b', role: 'publisher', csrfToken: '', owner: 'Bob',
        bypass: false}, {...off, requiredApprovals: 1}, {draft: null, isUnsaved: false}).endAnew,
    /another end/);
});

const acts = requestActs('p', request, 'bob-token');
const times = {at, until: null, zone: 'Europe/Berlin'};

test('a schedule is set, moved and cancelled for the state that is shown', async () => {
    const scheduled = {...request, etag: 'new.5'};
    const requests = answerRequests(({method}) => ({status: method === 'POST' ? 201 : 200,
        body: scheduled}));
    const answer = await perform('p', request, acts.schedule(times), doubt());
    assert.deepEqual([answer.outcome, answer.request.etag], ['done', 'new.5']);
    await perform('p', request, acts.moveSchedule(times), doubt());
    await perform('p', request, acts.schedule({...times, until}), doubt());
    await perform('p', request, acts.cancelSchedule(), doubt());
    await perform('p', request, acts.endAnew(until), doubt());
    const sent = requests.filter(({method}) => method !== 'GET');
    assert.deepEqual(sent.map(({method, path, headers, body}) => (
        [method, path, headers['If-Match'], body])), [
        ['POST', '/v1/projects/p/scheduledPublishes', '"tag.5"',
            {changeRequest: 'r1', at, zone: 'Europe/Berlin'}],
        // Null ends an end that was there.
        ['PATCH', '/v1/projects/p/scheduledPublishes/r1', '"tag.5"', times],
        ['POST', '/v1/projects/p/scheduledPublishes', '"tag.5"',
            {changeRequest: 'r1', at, until, zone: 'Europe/Berlin'}],
        ['DELETE', '/v1/projects/p/scheduledPublishes/r1', '"tag.5"', undefined],
        ['PATCH', '/v1/projects/p/scheduledPublishes/r1', '"tag.5"', {until}]]);
});

test('an end fails when it was missed or refused, and not when it was cancelled', () => {
    const published = {...withEnd, state: 'published'};
    assert.deepEqual(['missed', 'conflict', 'notApproved', 'waiting', 'published', 'cancelled',
        'dropped'].map((state) => hasFailedEnd({...published, end: {state}})),
    [true, true, true, false, false, false, false]);
    assert.equal(hasFailedEnd({...withEnd, end: {state: 'missed'}}), false);
    assert.equal(hasFailedEnd(undefined), false);
});

for (const [name, act, now, outcome] of [
    ['a schedule', acts.schedule(times), {}, 'done'],
    ['a schedule for another time', acts.schedule({...times, at: until}), {}, 'unclear'],
    ['a schedule with an end', acts.schedule({...times, until}), {schedule: withEnd}, 'done'],
    ['a move', acts.moveSchedule(times), {}, 'done'],
    ['another end', acts.endAnew(until), {schedule: {...withEnd, state: 'published'}}, 'done'],
    ['another end that is not there', acts.endAnew(at),
        {schedule: {...withEnd, state: 'published'}}, 'unclear'],
    ['a cancellation', acts.cancelSchedule(), {schedule: {...schedule, state: 'cancelled'}}, 'done'],
    ['the end of an end', acts.cancelSchedule(), {schedule: {...withEnd, state: 'published',
        end: {state: 'cancelled'}}}, 'done'],
    ['a cancellation that came too late', acts.cancelSchedule(), {state: 'published',
        schedule: {...schedule, state: 'published', versionNumber: '6'}}, 'unclear'],
]) {
    test(`the outcome of ${name} is known after a lost answer`, async () => {
        answerRequests(({method}) => {
            if (method !== 'GET') throw new Error('The connection broke.');
            return {body: {...request, etag: 'new.5', ...now}};
        });
        let isOver = false;
        const ended = perform('p', request, act, doubt()).finally(() => {
            isOver = true;
        });
        while (!isOver) await clock.pass(1000);
        assert.equal((await ended).outcome, outcome);
    });
}

test('a request that is published by its schedule first shows that', async () => {
    answerRequests(({method}) => (method === 'GET'
        ? {body: {...request, etag: 'new.6', state: 'published', schedule: {...schedule,
            state: 'published', versionNumber: '6', outlook: undefined}}}
        : {status: 409, body: {error: {message: 'x', status: 'SCHEDULE_ENDED'}}}));
    const answer = await perform('p', request, acts.cancelSchedule(), doubt());
    assert.deepEqual([answer.outcome, answer.news], ['changed', ['The request is published now.',
        `Published as version 6, as scheduled: ${start}.`]]);
});

test('a publish before its time says that it cancels the schedule', async () => {
    const requests = answerRequests(() => ({body: {version: {versionNumber: '6'}}}));
    await perform('p', request, acts.publish({cancelsSchedule: true, approves: true}), doubt());
    await perform('p', request, acts.publish({cancelsSchedule: false}), doubt());
    assert.deepEqual(requests.map(({body}) => body), [{approve: true, cancelSchedule: true}, {}]);
});

test('a draft is scheduled by one call, with its end if it has one', async () => {
    const content = {title: 'T', text: 'Why', template: {parameters: {}}, base: '"etag-p-5"'};
    const requests = answerRequests(() => ({status: 201, body: {...request, id: 'r2'}}));
    assert.equal((await makeRequest('p', {...content, times}, 'bob', doubt())).id, 'r2');
    await makeRequest('p', {...content, times: {...times, until}}, 'bob', doubt());
    await makeRequest('p', {...content, times: null}, 'bob', doubt());
    const [first, second, third] = requests;
    assert.equal(first.path, '/v1/projects/p/scheduledPublishes');
    assert.deepEqual(first.body, {...content, at, zone: 'Europe/Berlin'});
    assert.deepEqual(second.body, {...content, ...times, until});
    assert.deepEqual([third.path, third.body], ['/v1/projects/p/changeRequests', content]);
});

test('what waits is read from all pages, the next time first', async () => {
    const later = {...request, id: 'r2', schedule: {...schedule, time: '2026-12-03T08:00:00Z'}};
    const past = {...request, id: 'r3', schedule: {...schedule, state: 'missed'}};
    const requests = answerRequests(({path}) => ({body: path.includes('pageToken')
        ? {scheduledPublishes: [request]}
        : {scheduledPublishes: [later, past], nextPageToken: 'x'}}));
    const {signal} = new AbortController();
    assert.deepEqual((await waitingSchedules('p', signal)).map(({id}) => id), ['r1', 'r2']);
    assert.equal(requests.length, 2);
    assert.ok(requests.every(({path}) => path.includes('waiting=true')));
    answerRequests(() => ({status: 500, body: {error: {message: 'x', status: 'INTERNAL'}}}));
    assert.deepEqual(await waitingSchedules('p', signal), []);
});

test('what waits is read again when the time of one has come, and at an interval', async () => {
    const soon = {...request, schedule: {...schedule, time: new Date(0).toISOString()}};
    const late = {...request, id: 'r2', schedule: {...schedule, time: '2200-01-01T00:00:00Z'}};
    const shown = [];
    const answers = [[soon, late], [], [late], [late], [soon]];
    const requests = answerRequests(() => ({body: {scheduledPublishes: answers.shift()}}));
    const left = new AbortController();
    const again = followWaiting('p', left.signal, (waiting) => shown.push(waiting.length));
    for (let second = 0; second < 14; second += 1) await clock.pass(1000);
    assert.deepEqual([shown, requests.length], [[2, 0], 2]);
    // What others have scheduled; the same is not shown again.
    for (let second = 0; second < 17; second += 1) await clock.pass(1000);
    assert.deepEqual([shown, requests.length], [[2, 0, 1], 4]);
    await again();
    left.abort();
    for (let second = 0; second < 20; second += 1) await clock.pass(1000);
    assert.deepEqual([shown, requests.length], [[2, 0, 1, 1], 5]);
});
