import {emptyStorages} from './browser.mjs';

import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';

import {conflictSummary, deletingSide, deletionText, dependentValues, leftOut, lossText}
    from '../../Sources/Console/Pages/merge/dependent-values.js';
import {orderText} from '../../Sources/Console/Pages/merge/conflict-view.js';
import {KeptChoices} from '../../Sources/Console/Pages/merge/kept-choices.js';

beforeEach(emptyStorages);

const condition = {name: 'New checkout', expression: 'percent <= 10'};
const limit = (value) => ({parameterGroups: {Home: {parameters: {
    limit: {defaultValue: {value: '1'},
        ...value && {conditionalValues: {'New checkout': {value}}}},
    other: {conditionalValues: {'New checkout': {value: 'as before'}}}}}}});
const base = {conditions: [condition], ...limit()};
const used = {conditions: [condition], ...limit('500')};
const deleted = {conditions: [], parameterGroups: {Home: {parameters: {
    limit: {defaultValue: {value: '1'}}, other: {}}}}};
const conflict = (sides) => ({path: 'conditions["New checkout"]', kind: 'CONDITION',
    name: 'New checkout', base: condition, ...sides});
const deletedThere = conflict({mine: condition});
const deletedHere = conflict({theirs: condition});

test('a value that I set for a condition that was deleted there is named before it is lost', () => {
    assert.equal(deletingSide(deletedThere), 'theirs');
    const values = dependentValues(deletedThere, {base, mine: used, theirs: deleted});
    assert.deepEqual(values, [
        {setting: 'Home.limit', condition: 'New checkout', value: {value: '500'}}]);
    assert.equal(lossText(deletedThere, values, 'Bob'),
        'Not present: your value 500 for Home.limit is removed too.');
    assert.equal(deletionText(deletedThere, 'Bob'),
        'Bob deleted this condition; you have a new value for it.');
});

test('a value that they set for a condition that I deleted is named, too', () => {
    assert.equal(deletingSide(deletedHere), 'mine');
    const values = dependentValues(deletedHere, {base, mine: deleted, theirs: used});
    assert.equal(lossText(deletedHere, values, 'Bob'),
        'Not present: Bob’s value 500 for Home.limit is removed too.');
    assert.equal(deletionText(deletedHere, 'Bob'),
        'You deleted this condition; Bob has a new value for it.');
});

test('values that changed are lost as those that are new', () => {
    const changed = dependentValues(deletedThere,
        {base: used, mine: {conditions: [condition], ...limit('600')}, theirs: deleted});
    assert.deepEqual(changed.map(({value}) => value.value), ['600']);
    assert.deepEqual(dependentValues(deletedThere, {base: used, mine: used, theirs: deleted}), []);
});

test('conflicts in which no condition was deleted lose no other values', () => {
    const templates = {base, mine: used, theirs: used};
    for (const each of [conflict({mine: {name: 'a'}, theirs: {name: 'b'}}),
        {...deletedThere, kind: 'PARAMETER'}, {...deletedThere, base: undefined}]) {
        assert.equal(deletingSide(each), null);
        assert.equal(deletionText(each, 'Bob'), null);
        assert.deepEqual(dependentValues(each, templates), []);
    }
});

test('the order of conditions names the settings for which it decides', () => {
    const order = {path: 'conditions', kind: 'CONDITION_ORDER', mine: ['a', 'b'], theirs: ['b', 'a']};
    const settings = [...'uvwxyz'].map((key) => ({section: 'Home', key}));
    assert.equal(orderText({...order, conditions: ['a', 'b'], settings: settings.slice(0, 2)}),
        'For Home.u, Home.v, this decides which of “a”, “b” counts first.');
    assert.equal(orderText({...order, conditions: ['a', 'b'], settings}), 'For Home.u, Home.v, '
        + 'Home.w, Home.x, Home.y and 1 more, this decides which of “a”, “b” counts first.');
    assert.equal(orderText({...order, conditions: [], settings: []}),
        'No value depends on this choice.');
    assert.equal(orderText(deletedThere), null);
});

test('the merge lists what the choices leave out', () => {
    const items = [{conflict: deletedThere,
        dependents: dependentValues(deletedThere, {base, mine: used, theirs: deleted})}];
    assert.deepEqual(leftOut(items, () => undefined, 'Bob'), []);
    assert.deepEqual(leftOut(items, () => 'mine', 'Bob'), []);
    assert.deepEqual(leftOut(items, () => 'theirs', 'Bob'),
        ['your value 500 for “New checkout” of Home.limit']);
});

test('a deleted condition does not count as changed by both', () => {
    assert.equal(conflictSummary([deletedThere]),
        '1 condition that one of you deleted and the other one uses: choose below.');
    assert.equal(conflictSummary([deletedThere, conflict({mine: {}, theirs: {}})]),
        '1 thing you both changed, 1 condition that one of you deleted and the other one uses: '
            + 'choose below.');
    assert.equal(conflictSummary([]),
        'You changed different things, so there is nothing to choose.');
});

const choice = (sides, path = 'parameters.a') => (
    {conflict: {path, kind: 'PARAMETER', key: 'a', ...sides}, dependents: []});
const owner = {user: 'ada', project: 'p'};
const between = choice({mine: '8', theirs: '30'});

test('choices of a merge survive a reload, for the draft they were made for', () => {
    const kept = new KeptChoices(owner, '3');
    kept.choose(between, 'mine');
    const other = choice({mine: '1'}, '__proto__');
    kept.choose(other, 'theirs');
    assert.equal(new KeptChoices(owner, '3').of(between), 'mine');
    assert.equal(new KeptChoices(owner, '3').of(other), 'theirs');
    assert.deepEqual(Object.entries(new KeptChoices(owner, '3').resolutions),
        [['parameters.a', 'mine'], ['__proto__', 'theirs']]);
    for (const [other, base] of [
        [owner, '4'], [{...owner, project: 'q'}, '3'], [{...owner, user: 'bob'}, '3']]) {
        assert.deepEqual(new KeptChoices(other, base).resolutions, {});
    }
    kept.forget();
    assert.deepEqual(new KeptChoices(owner, '3').resolutions, {});
});

test('a choice does not count for other sides', () => {
    const kept = new KeptChoices(owner, '3');
    kept.choose(between, 'theirs');
    assert.deepEqual(kept.dropOutdated([between]), []);
    const newer = choice({mine: '8', theirs: '6'});
    assert.equal(kept.of(newer), undefined);
    assert.deepEqual(kept.dropOutdated([newer]), [newer.conflict]);
    assert.deepEqual(kept.resolutions, {});
    assert.deepEqual(new KeptChoices(owner, '3').resolutions, {});
    assert.deepEqual(kept.dropOutdated([newer]), []);
});

test('a choice does not count when more depends on it', () => {
    const kept = new KeptChoices(owner, '3');
    const item = {conflict: deletedThere, dependents: []};
    kept.choose(item, 'theirs');
    const dependents = dependentValues(deletedThere, {base, mine: used, theirs: deleted});
    assert.equal(kept.of({...item, dependents}), undefined);
});

for (const text of ['{', '7', 'null', '{"base": "3"}', '{"base": "3", "choices": [["a", "mine"]]}']) {
    test(`kept choices that are ${text} are none`, () => {
        sessionStorage.setItem('activeconfig.merge.ada.p', text);
        assert.equal(new KeptChoices(owner, '3').of(between), undefined);
    });
}
