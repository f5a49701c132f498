import assert from 'node:assert/strict';
import {test} from 'node:test';

import {initialState, isUnsaved, mirrorOf, patchedBy, restored}
    from '../../Sources/Console/Pages/drafts/draft-state.js';
import {afterEvent, table} from '../../Sources/Console/Pages/drafts/draft-sync.js';
import {fingerprint} from '../../Sources/Console/Pages/json/fingerprint.js';

const template = (value) => ({parameters: {a: {defaultValue: {value}}}});
const current = {template: template('1'), version: {versionNumber: '1'}, number: '1',
    etag: '"1"'};
const draft = (value, more = {}) => ({template: template(value), base: '1',
    baseTemplate: current.template, etag: '"1"', changes: null, ...more});
const savedOf = ({template: saved, base}, tag = '"d1"') => ({template: saved, base, tag});
const mine = draft('2');
const next = draft('3');
const theirs = draft('9');
const loaded = {...initialState, current, newestVersion: current.version};

/** A state in each phase with the draft `mine`, which the server lacks unless it is saved. */
const states = {
    saved: {...loaded, draft: mine, saved: savedOf(mine)},
    saving: {...loaded, phase: 'saving', draft: mine, sent: mine},
    merging: {...loaded, phase: 'merging', draft: mine, sent: mine},
    waiting: {...loaded, phase: 'waiting', draft: mine, sent: mine, problem: 'No answer.'},
    refused: {...loaded, phase: 'refused', draft: mine, sent: mine, problem: 'No.'},
    stopped: {...loaded, phase: 'stopped', draft: mine, sent: mine},
};
const isRequest = ({type}) => ['store', 'delete', 'read'].includes(type);
const failure = (reason, token = 1) => ({type: 'failed', reason, message: 'It failed.', token});
const differences = {conditions: [], groups: [], parameters: [{}]};
const events = {
    edit: {type: 'edit', draft: next},
    retry: {type: 'retry'},
    check: {type: 'check', hasDialog: false},
    waited: {type: 'waited'},
    stored: {type: 'stored', answer: {changes: differences}, tag: '"d2"', token: 1},
    deleted: {type: 'deleted', token: 1},
    conflict: failure('conflict'),
    refused: failure('refused'),
    unanswered: failure('unanswered'),
    unavailable: failure('unavailable'),
    read: {type: 'read', draft: theirs, saved: savedOf(theirs), token: 1},
    found: {type: 'found', found: {draft: theirs, saved: savedOf(theirs)}, seen: states.saved},
    renew: {type: 'renew'},
    replaced: {type: 'replaced', current: {template: template('5'), version: null, number: '2',
        etag: '"2"'}, found: {draft: null, saved: null}, dropped: ['a 2']},
    stop: {type: 'stop'},
};

/** Phase and effects after each event; what is missing changes nothing. */
const expected = {
    saved: {
        edit: 'saving keep change store', check: 'saved look', found: 'saved change',
        renew: 'saving keep store', replaced: 'saved keep change',
        stop: 'stopped',
    },
    saving: {
        edit: 'saving keep change', stored: 'saved notify keep change',
        // The draft is stored again: the answer was to the deletion of an earlier one.
        deleted: 'saving notify store', conflict: 'merging read', refused: 'refused keep change',
        unanswered: 'waiting wait keep change', unavailable: 'waiting wait keep change',
        renew: 'saving keep', replaced: 'saving keep change',
        stop: 'stopped',
    },
    merging: {
        edit: 'merging keep change', conflict: 'waiting wait keep change',
        refused: 'refused keep change', unanswered: 'waiting wait keep change',
        unavailable: 'waiting wait keep change', read: 'saving record change store',
        renew: 'merging keep', replaced: 'merging keep change',
        stop: 'stopped',
    },
    waiting: {
        edit: 'saving keep change store', retry: 'saving store', check: 'saving store',
        waited: 'saving store', renew: 'saving keep store', replaced: 'saved keep change',
        stop: 'stopped',
    },
    refused: {
        edit: 'saving keep change store', retry: 'saving store', renew: 'saving keep store',
        replaced: 'saved keep change',
        stop: 'stopped',
    },
    stopped: {
        edit: 'stopped keep change', stored: 'stopped keep', deleted: 'stopped keep',
        renew: 'stopped', stop: 'stopped',
    },
};

for (const [phase, state] of Object.entries(states)) {
    for (const [name, event] of Object.entries(events)) {
        const row = expected[phase][name];
        test(`${name} while ${phase}: ${row ?? 'nothing'}`, () => {
            const before = structuredClone(state);
            const result = afterEvent(state, event);
            assert.deepEqual(structuredClone(state), before);
            if (row === undefined) assert.deepEqual(result, {state, effects: []});
            else {
                assert.equal([result.state.phase, ...result.effects.map(({type}) => type)].join(' '),
                    row);
            }
        });
    }
}

test('each phase has the events of its row, and those of all', () => {
    const failures = ['conflict', 'refused', 'unanswered', 'unavailable'];
    for (const [phase, handlers] of Object.entries(table)) {
        const listed = Object.keys(expected[phase])
            .map((name) => (failures.includes(name) ? 'failed' : name));
        assert.deepEqual(new Set(Object.keys(handlers)),
            new Set([...listed, 'loaded', 'newest', 'noted', 'published', 'publishing', 'stop']));
    }
});

/** Follows events; returns the last state, and the requests on the way. */
function followed(state, ...list) {
    const requests = [];
    let now = state;
    for (const event of list) {
        const {state: then, effects} = afterEvent(now, event);
        now = then;
        requests.push(...effects.filter(isRequest));
    }
    return {state: now, requests};
}

test('one request runs at a time in any order of events (seeds 1 to 500)', () => {
    for (let seed = 1; seed <= 500; seed += 1) {
        let random = seed;
        let state = loaded;
        let open = 0;
        for (let step = 0; step < 40; step += 1) {
            random = (random * 1103515245 + 12345) % 2147483648;
            const kinds = Object.keys(events);
            const name = kinds[random % kinds.length];
            // An answer comes only for a request.
            const isAnswer = ['stored', 'deleted', 'read', 'conflict', 'refused', 'unanswered',
                'unavailable'].includes(name);
            const fits = {saving: state.sent ? name !== 'deleted' && name !== 'read'
                : name !== 'stored' && name !== 'read', merging: name !== 'stored' && name !== 'deleted'};
            if (name === 'stop' || (isAnswer && !(fits[state.phase] ?? false))) continue;
            if (isAnswer) open -= 1;
            const result = afterEvent(state, {...events[name], token: state.token});
            state = result.state;
            open += result.effects.filter(isRequest).length;
            assert.equal(open, ['saving', 'merging'].includes(state.phase) ? 1 : 0, `seed ${seed}`);
            if (state.phase === 'saved') assert.ok(!isUnsaved(state), `seed ${seed}`);
            else if (!['saving', 'merging'].includes(state.phase)) assert.ok(isUnsaved(state));
        }
    }
});

test('an edit during a save is saved after it', () => {
    const {state, requests} = followed(states.saving, events.edit, events.stored);
    assert.equal(state.phase, 'saving');
    assert.equal(requests[0].draft, next);
    assert.deepEqual(requests[0].patched, savedOf(mine, '"d2"'));
});

test('a refusal of an earlier draft does not count', () => {
    const {state, requests} = followed(states.saving, events.edit, events.refused);
    assert.equal(state.phase, 'saving');
    assert.equal(state.problem, null);
    assert.equal(requests[0].draft, next);
});

test('an answer to an earlier token is dropped, and the draft sent with the new one', () => {
    const {state, requests} = followed(states.saving, events.renew, events.stored);
    assert.equal(state.saved, null);
    assert.deepEqual(requests.map(({type, token}) => [type, token]), [['store', 2]]);
    const read = followed(states.merging, events.renew, events.read);
    assert.equal(read.state.saved, null);
});

test('a draft that the server finds equal to its base ends, and is deleted', () => {
    const same = {...events.stored, answer: {changes: {conditions: [], groups: [], parameters: []}}};
    const {state, requests} = followed(states.saving, same);
    assert.equal(state.draft, null);
    assert.deepEqual(requests, [{type: 'delete', tag: '"d2"', token: 1}]);
    const end = followed(state, events.deleted);
    assert.equal(end.state.phase, 'saved');
    assert.equal(end.state.saved, null);
});

test('a save without an answer is not taken for the edit of another', () => {
    const {state} = followed(states.saving, events.unanswered, events.edit);
    assert.deepEqual(
        state.unanswered, [{fingerprint: fingerprint(mine.template), base: '1'}]);
    const merged = followed(state, events.conflict,
        {...events.read, draft: mine, saved: savedOf(mine)});
    assert.equal(merged.state.draft, next);
    assert.deepEqual(merged.state.overwritten, []);
    assert.deepEqual(merged.state.unanswered, []);
});

test('a save without an answer for an earlier token is none of the new one', () => {
    assert.deepEqual(followed(states.saving, events.renew, events.unanswered).state.unanswered, []);
});

test('a merge that results in the draft of the server ends the problem', () => {
    const {state} = followed({...states.merging, problem: 'No answer.'},
        {...events.read, draft: mine, saved: savedOf(mine)});
    assert.deepEqual([state.phase, state.problem], ['saved', null]);
});

test('a draft taken back after a save without an answer is looked for', () => {
    const {state, requests} = followed(
        states.saving, events.unanswered, {type: 'edit', draft: null});
    assert.equal(state.phase, 'merging');
    assert.deepEqual(requests, [{type: 'read', token: 1}]);
});

test('a draft that one side discarded and the other edited is kept', () => {
    const discarded = followed(states.saved, {type: 'edit', draft: null}, events.conflict, events.read);
    assert.equal(discarded.state.draft, theirs);
    assert.equal(discarded.state.phase, 'saved');
    const gone = followed(states.merging, {type: 'read', draft: null, saved: null, token: 1});
    assert.equal(gone.state.draft, mine);
    assert.equal(gone.requests[0].patched.tag, null);
});

test('of two edits of a value this tab keeps its own, and names it', () => {
    const {state} = followed(states.merging, events.read);
    assert.deepEqual(state.draft.template, mine.template);
    assert.deepEqual(state.overwritten, [['parameters', 'a', 'defaultValue', 'value']]);
});

test('a merge is based on the later version', () => {
    const later = draft('9', {base: '2', baseTemplate: template('5')});
    const {state} = followed(states.merging, {...events.read, draft: later, saved: savedOf(later)});
    assert.equal(state.draft.base, '2');
    assert.deepEqual(state.draft.baseTemplate, template('5'));
    const tenth = draft('9', {base: '10', baseTemplate: template('5')});
    const ninth = {...states.merging, draft: draft('2', {base: '9'})};
    assert.equal(followed(ninth, {...events.read, draft: tenth, saved: savedOf(tenth)})
        .state.draft.base, '10');
});

test('an edit that equals its base ends the draft', () => {
    assert.equal(followed(states.saved, {type: 'edit', draft: draft('1')}).state.draft, null);
});

test('a draft is not taken over after an edit, or under a dialog', () => {
    const {state} = followed(states.saved, events.edit, events.found);
    assert.equal(state.draft, next);
    assert.deepEqual(afterEvent(states.saved, {type: 'check', hasDialog: true}).effects, []);
    const changed = {...states.saved, draft: next, saved: savedOf(next)};
    assert.equal(followed(changed, events.found).state.draft, next);
});

test('a draft that ended elsewhere reads the version before it changes the page', () => {
    const {state, effects} = afterEvent(states.saved,
        {type: 'found', found: {draft: null, saved: null}, seen: states.saved});
    assert.equal(state.draft, null);
    assert.deepEqual(effects, [{type: 'load'}]);
});

test('a version is shown with the draft that was read with it, unless that is older', () => {
    const version = {template: template('7'), version: {versionNumber: '2'}, number: '2',
        etag: '"2"'};
    const load = {type: 'loaded', current: version, found: {draft: theirs, saved: savedOf(theirs)}};
    const taken = afterEvent(states.saved, {...load, seen: states.saved}).state;
    assert.deepEqual([taken.current, taken.newestVersion, taken.draft],
        [version, version.version, theirs]);
    for (const phase of ['saving', 'merging', 'waiting', 'refused', 'stopped']) {
        const {state} = afterEvent(states[phase], {...load, seen: states[phase]});
        assert.deepEqual([state.current, state.draft, state.phase], [version, mine, phase]);
    }
});

test('a check reports a newer version once', () => {
    const event = {type: 'newest', version: {versionNumber: '2'}};
    const {state, effects} = afterEvent(states.saved, event);
    assert.deepEqual(effects, [{type: 'change'}]);
    assert.deepEqual(afterEvent(state, event), {state, effects: []});
});

test('a new draft is patched over the shown version', () => {
    assert.deepEqual(patchedBy(loaded), {template: current.template, base: '1', tag: null});
    assert.deepEqual(patchedBy(states.saved), savedOf(mine));
});

test('the tab keeps what the server lacks', () => {
    assert.equal(mirrorOf(states.saved), null);
    assert.deepEqual(mirrorOf(states.saving),
        {saved: null, draft: {template: mine.template, base: '1'}, unanswered: [], version: '1'});
});

for (const [name, kept, saved, result] of [
    ['go on where nothing else was saved', {saved: null, draft: mine}, null, '2'],
    ['go on over the draft they began with', {saved: savedOf(mine), draft: next}, savedOf(mine), '3'],
    ['go on over a save that had no answer',
        {saved: null, draft: next,
            unanswered: [{fingerprint: fingerprint(mine.template), base: '1'}]}, savedOf(mine, '"d7"'), '3'],
    ['win over what was saved elsewhere', {saved: savedOf(mine), draft: next},
        savedOf(theirs, '"d7"'), '3'],
    ['stay discarded', {saved: savedOf(mine), draft: null}, savedOf(mine), null],
    ['are dropped if discarded before others saved', {saved: savedOf(mine), draft: null},
        savedOf(theirs, '"d7"'), undefined],
]) {
    test(`unsaved edits ${name} after a reload`, () => {
        const found = restored(kept, saved, current.template);
        assert.deepEqual(found && found.template, result && template(result));
    });
}
