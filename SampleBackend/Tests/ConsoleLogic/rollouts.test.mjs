import {answerRequests, Clock} from './browser.mjs';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';

import {parseJSON} from '../../Sources/Console/Pages/json/json-text.js';
import {perform, requestActs} from '../../Sources/Console/Pages/requests/request-acts.js';
import {followRequests, hasFuture} from '../../Sources/Console/Pages/requests/request-following.js';
import {scheduleBadge, scheduleNews, scheduleTexts}
    from '../../Sources/Console/Pages/requests/schedule-texts.js';
import {firstRollout, intervalText, percentsIn, rolloutConditions, rolloutMeaning, rolloutProblems,
    rolloutToSend}
    from '../../Sources/Console/Pages/rollouts/rollout-input.js';
import {actText, boundText, checkBadge, isRollingOut, rolloutBadge, rolloutTexts, stepLines,
    stepTime} from '../../Sources/Console/Pages/rollouts/rollout-texts.js';
import {dueTime, inTimeOrder, waitingPart}
    from '../../Sources/Console/Pages/schedules/schedule-state.js';
import {planRollout, startRollout} from '../../Sources/Console/Pages/server/rollouts.js';
import {rolloutBound} from '../../Sources/Console/Pages/template/percent.js';

let clock;

beforeEach(() => {
    clock = new Clock().start();
});

afterEach(() => clock.end());

const zone = 'Europe/Berlin';

const beta = {name: 'Beta users', percent: 1};

const live = {conditions: [beta], isInRequest: false};
const inRequest = {...live, isInRequest: true};

/** @type {EnteredRollout} */
const entered = {condition: 'Beta users', percents: '1, 5, 25, 50, 100', interval: '1', unit: 'days',
    isNow: true, times: null, maximum: '1', minimum: '100', onProblems: 'hold'};

/** @type {RolloutPlan} */
const plan = {condition: 'Beta users', percents: [1, 5, 25], intervalMinutes: 60,
    maximumProblemPercent: 1, minimumClients: 100, onProblems: 'hold'};

const [first, second, third] = ['08', '09', '10'].map((hour) => `2026-12-01T${hour}:00:00Z`);

/** @type {Rollout} */
const running = {...plan, state: 'running', percent: 5, nextPercent: 25, nextTime: third, steps: [
    {percent: 1, time: first, versionNumber: '7'}, {percent: 5, time: second, versionNumber: '8'},
    {percent: 25, time: third}]};

/** @type {Rollout} */
const held = {...running, state: 'held', nextTime: undefined, reason: 'Too many problems.',
    steps: running.steps.slice(0, 2)};

/** @type {Schedule} */
const schedule = {at: '2026-12-01T09:00:00+01:00', time: first, zone, state: 'published',
    versionNumber: '7', rollout: running};

/** @type {ChangeRequest} */
const request = {
    id: 'r1', etag: 'tag.8', state: 'published', title: 'Roll out Beta users',
    author: {actor: 'ada-token', person: 'Ada'}, editors: [], baseVersionNumber: '6',
    creationTime: '2026-12-01T07:00:00Z', updateTime: second, votes: [], schedule,
};

const doubt = () => ({signal: new AbortController().signal, onDoubt: () => {}});

/** Runs an action while time advances through its pauses. */
async function timed(promise) {
    let isOver = false;
    const ended = promise.finally(() => {
        isOver = true;
    });
    ended.catch(() => {});
    for (let second = 0; second < 60 && !isOver; second += 1) await clock.pass(1000);
    return ended;
}

// What is entered.

for (const [expression, bound] of [
    ["percent('beta') <= 5", 5], ['percent between 2 and 7.5', 7.5],
    ["device.os == 'ios' && percent('beta') <= 0.5", 0.5], ["percent('beta') > 5", null],
    ["percent('a') <= 5 || percent('b') <= 7", null], ["user.id == 'percent <= 5'", null], ['', null],
]) {
    test(`${expression || 'nothing'} is rolled out ${bound === null ? 'by nothing' : `from ${bound}`}`,
        () => assert.equal(rolloutBound(expression), bound));
}

test('the conditions with one bound can be rolled out', () => assert.deepEqual(
    rolloutConditions({conditions: [{name: 'A', expression: 'true'},
        {name: 'B', expression: 'percent <= 3'}, {name: 'C', condition: {}},
        {name: 'D', expression: 'percent <= 100'}]}),
    [{name: 'B', percent: 3}]));

for (const [text, percents, problem] of [
    ['1, 5, 25', [1, 5, 25], ''], ['0.5% 10% 100%', [0.5, 10, 100], ''], ['1;2', [1, 2], ''],
    // No decimals with a comma: the form says what is meant.
    ['2,5', [2, 5], ''],
    ['', [], /Enter percentages/], ['5', [], /at least two/], ['5, 5', [], /above the one before/],
    ['0, 5', [], /above 0/], ['5, 101', [], /“101” is not/], ['5, x', [], /“x” is not/],
    [Array.from({length: 21}, (_, index) => index + 1).join(), [], /at most 20/],
]) {
    test(`percentages entered as “${text.slice(0, 20)}” are ${problem ? 'refused' : 'taken'}`, () => {
        const found = percentsIn(text);
        assert.deepEqual(found.percents, percents);
        assert.match(found.problem, problem || /^$/);
    });
}

for (const [name, more, member, problem] of [
    ['no interval', {interval: ''}, 'interval', /at least one minute/],
    ['an interval of half a minute', {interval: '0.5', unit: 'minutes'}, 'interval', /one minute/],
    ['31 days', {interval: '31'}, 'interval', /At most 30 days/],
    ['a rollout of 65 days', {interval: '13'}, 'interval', /All steps take 65 days/],
    ['1,5 percent of problems', {maximum: '1,5'}, 'maximum', /with a point: 1.5/],
    ['no number of apps', {minimum: ''}, 'minimum', /whole number/],
    ['too many apps', {minimum: '1000001'}, 'minimum', /1,000,000/],
    ['another percentage than the request', {percents: '2, 5'}, 'percents', /begin with 1\.$/],
]) {
    test(`${name} is not planned`, () => {
        assert.match(rolloutProblems({...entered, ...more}, inRequest)[member], problem);
        assert.throws(() => rolloutToSend({...entered, ...more}, inRequest), ({message}) => (
            message.startsWith('Nothing was planned. ') && problem.test(message)));
    });
}

test('a rollout is sent with minutes and numbers', () => {
    assert.deepEqual(rolloutToSend(entered, inRequest), {...plan, percents: [1, 5, 25, 50, 100],
        intervalMinutes: 1440});
    const now = Date.parse('2026-11-30T12:00:00Z');
    const times = {start: {local: '2026-12-01T09:00'}, end: {local: 'x'}, hasEnd: true, zone};
    assert.deepEqual(rolloutToSend({...entered, interval: '1.5', unit: 'hours', maximum: ' ',
        minimum: '0', percents: '1 5 25', onProblems: 'takeBack', isNow: false, times}, inRequest,
    now),
    {condition: 'Beta users', percents: [1, 5, 25], intervalMinutes: 90, minimumClients: 0,
        onProblems: 'takeBack', at: '2026-12-01T09:00:00+01:00', zone});
    assert.throws(() => rolloutToSend({...entered, isNow: false, times}, inRequest,
        Date.parse('2027-01-01')), /has passed/);
});

test('an interval is named in its longest whole unit', () => assert.deepEqual(
    [1, 90, 120, 1440, 2880].map(intervalText),
    ['1 minute', '90 minutes', '2 hours', '1 day', '2 days']));

test('the form says what is meant', () => {
    assert.equal(rolloutMeaning({...entered, percents: '2,5'}), '2%, then 5%: 2 steps, each 1 day '
        + 'after the one before, the last one 1 day after the first.');
    assert.equal(rolloutMeaning({...entered, percents: '5'}), '');
    assert.equal(rolloutMeaning({...entered, interval: ''}), '');
});

test('a form begins above the percentage that is live, or with that of the request', () => {
    assert.equal(firstRollout({...beta, percent: 0}, false).percents, '1, 5, 25, 50, 100');
    assert.equal(firstRollout({...beta, percent: 10}, false).percents, '25, 50, 100');
    assert.equal(firstRollout({...beta, percent: 10}, true).percents, '10, 25, 50, 100');
    assert.equal(firstRollout({...beta, percent: 50}, false).percents, '75, 100');
    assert.equal(firstRollout({...beta, percent: 99.5}, true).percents, '99.5, 100');
});

test('a rollout of a request begins with its percentage, one of what is live above it', () => {
    const problem = (percents, target) => rolloutProblems({...entered, percents}, target).percents;
    assert.equal(problem('1, 5', inRequest), '');
    assert.match(problem('2, 5', inRequest), /at 1% in this request: begin with 1\.$/);
    assert.equal(problem('2, 5', live), '');
    assert.match(problem('0.5, 5', live), /begin above 1\.$/);
    assert.match(problem('x', live), /“x” is not/);
});

// How it is described.

for (const [name, rollout, badge, texts] of [
    ['runs', running, 'Rolling out', ['“Beta users” is at 5%, step 2 of 3.',
        `Next step to 25%: ${stepTime(third, zone)}.`]],
    ['is at its last step', {...running, percent: 25, nextPercent: undefined}, 'Rolling out',
        ['“Beta users” is at 25%, step 3 of 3.', 'This is the last step. The rollout ends when apps '
            + `report no problems: ${stepTime(third, zone)}.`]],
    ['is held', held, 'Held', ['“Beta users” is held at 5%, step 2 of 3. Too many problems.',
        'It goes on to 25% when somebody resumes it.']],
    ['is held at its last step', {...held, percent: 25, nextPercent: undefined, reason: undefined},
        'Held', ['“Beta users” is held at 25%, step 3 of 3.', 'It ends when somebody resumes it.']],
    ['is complete', {...running, state: 'completed', percent: 25}, 'Rolled out',
        ['“Beta users” is at 25%: the rollout is complete.']],
    ['was stopped', {...held, state: 'stopped', reason: undefined}, 'Stopped',
        ['The rollout of “Beta users” was stopped at 5%.']],
    ['was taken back', {...held, state: 'stopped', percent: 1, takenBackVersionNumber: '9'},
        'Stopped', ['The rollout of “Beta users” was stopped, and taken back as version 9. Too many '
            + 'problems.']],
    ['has a state of a newer server', {...running, state: 'paused'}, 'paused', []],
]) {
    test(`a rollout that ${name} says so`, () => {
        assert.deepEqual(rolloutBadge(rollout)[0], badge);
        assert.deepEqual(rolloutTexts(rollout, zone), texts);
        assert.deepEqual(scheduleTexts({...schedule, rollout}), texts);
        assert.equal(scheduleBadge({...schedule, rollout})[0], badge);
    });
}

test('a rollout that waits says when it starts, and what follows', () => {
    const waiting = {...schedule, state: 'waiting', outlook: 'willPublish',
        rollout: {...running, state: 'waiting', percent: undefined}};
    assert.equal(scheduleBadge(waiting)[0], 'Will be published');
    const [start, rest] = scheduleTexts(waiting);
    assert.match(start, /^Will be published /);
    assert.equal(rest, '“Beta users” goes to 1%, 5%, 25%, 1 hour after each other. If more than 1% '
        + 'of the apps that it reaches report new problems, it is held. Each step waits up to an hour for '
        + 'reports of 100 apps.');
    const failed = {...waiting, state: 'conflict', reason: 'Both changed it.'};
    assert.match(scheduleTexts(failed)[0], /^Was not published .*Both changed it\.$/);
});

test('the bounds of a rollout are named', () => {
    assert.equal(boundText({...plan, onProblems: 'takeBack', minimumClients: 1}), 'If more than 1% '
        + 'of the apps that it reaches report new problems, the last step is taken back, and it is '
        + 'held. Each step waits up to an hour for reports of 1 app.');
    assert.equal(boundText({...plan, maximumLostStreamPercent: 20, minimumClients: 0}),
        'If more than 1% of the apps that it reaches report new problems, or more than 20% of the '
            + 'connections break, it is held.');
    assert.equal(boundText({...plan, maximumProblemPercent: undefined, minimumClients: 0}),
        'Problems that apps report do not hold it.');
    assert.match(boundText({...plan, ...parseJSON('{"maximumProblemPercent": 1.0}')}),
        /more than 1% of/);
});

test('what apps report is named; an unknown result is shown as it is', () => assert.deepEqual(
    ['good', 'waiting', 'worse', 'odd'].map((result) => checkBadge({result})[0]),
    ['Good', 'Waits for reports', 'Worse', 'odd']));

for (const [name, rollout, lines] of [
    ['that runs', running, [['1%', 'Published', '7'], ['5%', 'Live', '8'], ['25%', 'Next']]],
    ['that waits', {...running, state: 'waiting', percent: undefined,
        steps: plan.percents.map((percent) => ({percent, time: third}))},
    [['1%', 'Planned'], ['5%', 'Planned'], ['25%', 'Planned']]],
    ['that is held', held, [['1%', 'Published', '7'], ['5%', 'Live', '8'], ['25%', 'When resumed']]],
    ['whose step was taken back', {...held, percent: 1, steps: [...held.steps,
        {percent: 1, time: third, versionNumber: '9', isTakenBack: true}]},
    [['1%', 'Published', '7'], ['5%', 'Published', '8'], ['1%', 'Taken back to this, live', '9'],
        ['5%', 'When resumed'], ['25%', 'When resumed']]],
    ['that was stopped', {...held, state: 'stopped'},
        [['1%', 'Published', '7'], ['5%', 'Live', '8'], ['25%', 'Not published']]],
    ['that was taken back', {...held, state: 'stopped', percent: 1, takenBackVersionNumber: '8',
        steps: held.steps.slice(0, 1)},
    [['1%', 'Published', '7'], ['5%', 'Not published'], ['25%', 'Not published']]],
]) {
    test(`the steps of a rollout ${name} are listed`, () => assert.deepEqual(
        stepLines(rollout).map(({percent, state, versionNumber}) => (
            [`${percent}%`, state, ...versionNumber ? [versionNumber] : []])), lines));
}

test('steps without a time have none', () => assert.deepEqual(
    stepLines(held).map(({time}) => time), [first, second, '']));

test('an act says what it will do', () => {
    assert.match(actText('hold', running), /stays at 5%/);
    assert.match(actText('resume', held), /publishes 25% when that was planned/);
    assert.match(actText('resume', {...held, nextPercent: undefined}), /ends the rollout/);
    assert.match(actText('takeBack', running), /from 5% back to 1%, and the rollout is held/);
    assert.match(actText('takeBack', {...running, percent: 1}), /first step.*rollout is stopped/);
    assert.match(actText('stop', running), /stays at 5%.*cannot be resumed/);
});

test('the news of a rollout are its steps and states, not what apps report', () => {
    assert.deepEqual(scheduleNews(schedule, {...schedule, rollout: {...running,
        check: {result: 'good'}}}), []);
    assert.deepEqual(scheduleNews(schedule, {...schedule, rollout: held}),
        rolloutTexts(held, zone));
    assert.equal(scheduleNews({...schedule, state: 'waiting', rollout: {...running,
        state: 'waiting', percent: undefined}}, schedule).length, 2);
});

test('the next step of a rollout that runs waits for its time; one that is held, for a person', () => {
    const now = {...request, schedule: {...schedule, rollout: held}};
    assert.deepEqual([waitingPart(schedule), waitingPart(now.schedule)], ['step', null]);
    assert.equal(dueTime(schedule), Date.parse(third));
    assert.deepEqual(inTimeOrder([now, request]), [request]);
    assert.deepEqual([schedule, now.schedule, {...schedule, rollout: {...running,
        state: 'completed'}}, undefined].map(isRollingOut), [true, true, false, false]);
});

test('a rollout is read again when a step comes, and at an interval for what apps report', async () => {
    const read = {due: 0, held: 0};
    const left = new AbortController();
    const follow = (name, rollout) => followRequests(() => [{...schedule, rollout}, undefined],
        15_000, left.signal, async () => {
            read[name] += 1;
        });
    follow('due', {...running, nextTime: new Date(0).toISOString()});
    follow('held', held);
    for (let passed = 0; passed < 31; passed += 1) await clock.pass(1000);
    assert.deepEqual([read.due > 10, read.held], [true, 2]);
    left.abort();
});

test('a published request is followed while its rollout has not ended', () => {
    const of = (rollout) => hasFuture({state: 'published', schedule: {...schedule, rollout}});
    assert.deepEqual([of(running), of(held), of({...held, state: 'stopped'}),
        hasFuture({state: 'published'}), hasFuture({state: 'closed'}), hasFuture({state: 'open'})],
    [true, true, false, false, false, true]);
});

// What is sent.

test('a plan is a dry run, for a request as it was read', async () => {
    const requests = answerRequests(() => ({body: request}));
    await planRollout('p', plan, null);
    await planRollout('p', plan, request);
    assert.deepEqual(requests.map(({method, path, headers, body}) => (
        [method, path, headers['If-Match'], body])), [
        ['POST', '/v1/projects/p/rollouts?validateOnly=true', undefined, plan],
        ['POST', '/v1/projects/p/rollouts?validateOnly=true', '"tag.8"',
            {...plan, changeRequest: 'r1'}]]);
});

test('a rollout that was started without an answer is found', async () => {
    const own = {...request, id: 'r2', author: {actor: 'bob'},
        creationTime: new Date().toISOString()};
    let rollouts = [{...own, id: 'old', creationTime: '2020-01-01T00:00:00Z'}, {...own, id: 'theirs',
        author: {actor: 'eve'}}, own];
    answerRequests(({method}) => {
        if (method === 'POST') throw new Error('The connection broke.');
        return {body: {rollouts}};
    });
    assert.equal((await timed(startRollout('p', plan, 'bob', doubt()))).id, 'r2');
    rollouts = rollouts.slice(0, 2);
    await assert.rejects(timed(startRollout('p', plan, 'bob', doubt())), /Start it again/);
    answerRequests(() => ({status: 400, body: {error: {message: 'No.', status: 'X'}}}));
    await assert.rejects(startRollout('p', plan, 'bob', doubt()), /No\./);
});

const acts = requestActs('p', request, 'bob-token');

test('the acts on a rollout are sent for the state that is shown', async () => {
    const requests = answerRequests(() => ({body: {...request, etag: 'new.8'}}));
    for (const act of [acts.hold(''), acts.hold('Wait.'), acts.resume(false), acts.resume(true),
        acts.resume(false, true), acts.takeBack('Bad.'), acts.stopRollout(), acts.rollOut(plan)]) {
        assert.equal((await perform('p', request, act, doubt())).request.etag, 'new.8');
    }
    const sent = requests.filter(({method}) => method !== 'GET');
    assert.ok(sent.every(({headers}) => headers['If-Match'] === '"tag.8"'));
    assert.deepEqual(sent.map(({method, path, body}) => (
        [method, path.replace('/v1/projects/p/', ''), body])), [
        ['POST', 'rollouts/r1:hold', {}], ['POST', 'rollouts/r1:hold', {reason: 'Wait.'}],
        ['POST', 'rollouts/r1:resume', {}], ['POST', 'rollouts/r1:resume', {ignoreReports: true}],
        ['POST', 'rollouts/r1:resume', {now: true}],
        ['POST', 'rollouts/r1:takeBack', {reason: 'Bad.'}],
        ['DELETE', 'scheduledPublishes/r1', undefined],
        ['POST', 'rollouts', {...plan, changeRequest: 'r1'}]]);
});

for (const [name, act, rollout, outcome] of [
    ['a hold', acts.hold(''), held, 'done'],
    ['a hold that came too late', acts.hold(''), {...running, percent: 25}, 'unclear'],
    ['a resumption', acts.resume(false), {...running, percent: 25}, 'done'],
    ['a resumption that was held', acts.resume(false), held, 'unclear'],
    ['a step taken back', acts.takeBack(''), {...held, percent: 1}, 'done'],
    ['a rollout taken back', acts.takeBack(''), {...held, state: 'stopped', percent: 5}, 'done'],
    ['a stop', acts.stopRollout(), {...held, state: 'stopped'}, 'done'],
    ['a start', acts.rollOut(plan), running, 'done'],
    ['a start with other steps', acts.rollOut({...plan, percents: [1, 2]}), running, 'unclear'],
]) {
    test(`the outcome of ${name} is known after a lost answer`, async () => {
        answerRequests(({method}) => {
            if (method !== 'GET') throw new Error('The connection broke.');
            return {body: {...request, etag: 'new.8', schedule: {...schedule, rollout}}};
        });
        assert.equal((await timed(perform('p', request, act, doubt()))).outcome, outcome);
    });
}

test('an act on a rollout that is in another state shows that state', async () => {
    answerRequests(({method}) => (method === 'GET'
        ? {body: {...request, etag: 'new.8', schedule: {...schedule, rollout: held}}}
        : {status: 409, body: {error: {message: 'It is held.', status: 'ROLLOUT_STATE'}}}));
    const answer = await perform('p', request, acts.takeBack(''), doubt());
    assert.deepEqual([answer.outcome, answer.news], ['changed', rolloutTexts(held, zone)]);
});
