import assert from 'node:assert/strict';
import {test} from 'node:test';

import {fixture} from './fixtures.mjs';
import {names} from '../../Sources/Console/Pages/json/json.js';
import {jsonText, parseJSON} from '../../Sources/Console/Pages/json/json-text.js';
import {mergeTrees} from '../../Sources/Console/Pages/json/tree-merge.js';

/** Merges three JSON texts; returns the text of the result, and the conflicts. */
function merged(...texts) {
    const conflicts = [];
    const trees = texts.map((text) => (text === undefined ? undefined : parseJSON(text)));
    const result = mergeTrees(...trees, [], conflicts);
    return [result === undefined ? undefined : jsonText(result), conflicts];
}

for (const row of fixture('TemplatesTests/Fixtures/merged-orders.json')) {
    test(`conditions are ordered when ${row.name}: ${row.base} ${row.mine} ${row.theirs}`, () => {
        const conflicts = [];
        const trees = [row.base, row.mine, row.theirs].map((letters) => ({
            conditions: [...letters].map((name) => ({name, expression: 'true'}))}));
        const {conditions} = mergeTrees(...trees, [], conflicts);
        assert.equal(conditions.map(({name}) => name).join(''), row.preferringMine);
        assert.deepEqual(conflicts, row.isConflict ? [['conditions']] : []);
    });
    test(`settings are ordered when ${row.name}: ${row.base} ${row.mine} ${row.theirs}`, () => {
        const conflicts = [];
        const trees = [row.base, row.mine, row.theirs].map((letters) => parseJSON(
            `{${[...letters].map((name) => `"${name}":{"defaultValue":{"value":""}}`).join(',')}}`));
        const result = mergeTrees(...trees, [], conflicts);
        assert.equal(names(result).join(''), row.preferringMine);
        assert.deepEqual(conflicts, []);
    });
}

/** Values of a member before, mine and theirs; the merged one; undefined stands for none. */
for (const [name, base, mine, theirs, result, isConflict = false] of [
    ['neither side changed it', 'a', 'a', 'a', 'a'],
    ['I changed it', 'a', 'b', 'a', 'b'],
    ['they changed it', 'a', 'a', 'c', 'c'],
    ['both changed it alike', 'a', 'b', 'b', 'b'],
    ['both changed it', 'a', 'b', 'c', 'b', true],
    ['I removed it', 'a', undefined, 'a', undefined],
    ['they removed it', 'a', 'a', undefined, undefined],
    ['both removed it', 'a', undefined, undefined, undefined],
    ['I removed what they changed', 'a', undefined, 'c', undefined, true],
    ['they removed what I changed', 'a', 'b', undefined, 'b', true],
    ['I added it', undefined, 'b', undefined, 'b'],
    ['they added it', undefined, undefined, 'c', 'c'],
    ['both added it alike', undefined, 'b', 'b', 'b'],
    ['both added it', undefined, 'b', 'c', 'b', true],
]) {
    test(`a member is merged when ${name}`, () => {
        const conflicts = [];
        const [old, own, other] = [base, mine, theirs]
            .map((value) => ({o: value === undefined ? {} : {v: value}}));
        assert.deepEqual(mergeTrees(old, own, other, [], conflicts),
            {o: result === undefined ? {} : {v: result}});
        assert.deepEqual(conflicts, isConflict ? [['o', 'v']] : []);
    });
}

test('a change inside of a condition is merged by its name', () => {
    assert.deepEqual(merged('[{"name":"a","e":1},{"name":"b","e":2}]',
        '[{"name":"b","e":2},{"name":"a","e":3}]', '[{"name":"a","e":1},{"name":"b","e":4}]'),
    ['[{"name":"b","e":4},{"name":"a","e":3}]', []]);
});

test('a conflict inside of a condition names it', () => {
    assert.deepEqual(merged('{"conditions":[{"name":"a","e":1}]}',
        '{"conditions":[{"name":"a","e":2}]}', '{"conditions":[{"name":"a","e":3}]}'),
    ['{"conditions":[{"name":"a","e":2}]}', [['conditions', 'a', 'e']]]);
});

test('lists without names are one value', () => {
    assert.deepEqual(merged('[1]', '[1,2]', '[0,1]'), ['[1,2]', [[]]]);
    assert.deepEqual(merged('[1]', '[1]', '[0,1]'), ['[0,1]', []]);
});

test('a list with a name twice is one value', () => {
    assert.deepEqual(merged('[]', '[{"name":"a"},{"name":"a"}]', '[{"name":"b"}]'),
        ['[{"name":"a"},{"name":"a"}]', [[]]]);
});

test('names that are numbers are names', () => {
    assert.deepEqual(merged('[{"name":1}]', '[{"name":1},{"name":2}]', '[{"name":1,"x":1}]'),
        ['[{"name":1,"x":1},{"name":2}]', []]);
});

test('a value that one side made an object is a conflict', () => {
    assert.deepEqual(merged('{"a":1}', '{"a":{"b":1}}', '{"a":[1]}'),
        ['{"a":{"b":1}}', [['a']]]);
});

test('digits are merged as they are written', () => {
    assert.deepEqual(merged('{"a":1.0,"b":1.0}', '{"a":1.00,"b":1.0}', '{"a":1.0,"b":1.10}'),
        ['{"a":1.00,"b":1.10}', []]);
});

test('a side that changed nothing gives the other one itself', () => {
    const [base, mine] = [parseJSON('{"a":{"b":1}}'), parseJSON('{"a":{"b":2}}')];
    assert.equal(mergeTrees(base, mine, parseJSON('{"a":{"b":1}}')), mine);
    assert.equal(mergeTrees(base, parseJSON('{"a":{"b":1}}'), mine), mine);
});

test('values that are absent on all sides stay absent', () => {
    assert.deepEqual(merged(undefined, undefined, undefined), [undefined, []]);
    assert.deepEqual(merged(undefined, '1', '2'), ['1', [[]]]);
});
