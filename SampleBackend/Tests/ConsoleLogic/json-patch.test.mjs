import assert from 'node:assert/strict';
import {test} from 'node:test';

import {appliedPatch} from './applied-patch.mjs';
import {fixtureText} from './fixtures.mjs';
import {isEqual} from '../../Sources/Console/Pages/json/json.js';
import {patch} from '../../Sources/Console/Pages/json/json-patch.js';
import {jsonText, parseJSON} from '../../Sources/Console/Pages/json/json-text.js';

for (const row of parseJSON(fixtureText('JSONTreeTests/Fixtures/ordered-patches.json'))) {
    test(`a patch is made and applied when ${row.name}`, () => {
        const [from, to] = [parseJSON(row.from), parseJSON(row.to)];
        assert.equal(jsonText(patch(from, to, {isOrdered: true})), jsonText(row.patch));
        assert.equal(jsonText(appliedPatch(from, row.patch)), row.to);
    });
}

test('without order, members that come in another order are no change', () => {
    const [from, to] = [parseJSON('{"a":1,"b":2}'), parseJSON('{"b":2,"a":1}')];
    assert.deepEqual(patch(from, to), []);
    assert.equal(patch(from, to, {isOrdered: true}).length, 1);
});

test('parts that are identical are not looked at', () => {
    const shared = new Proxy({}, {ownKeys: () => assert.fail('it was looked at')});
    assert.deepEqual(patch({a: shared, b: 1}, {a: shared, b: 2}),
        [{op: 'replace', path: '/b', value: 2}]);
});

/** Pseudorandom numbers, deterministic for a seed. */
function randomNumbers(seed) {
    let state = seed;
    return (limit) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor(state / 2 ** 32 * limit);
    };
}

test('a patch turns any tree into another one', () => {
    const seed = 20_261;
    const random = randomNumbers(seed);
    const tree = (depth) => {
        const size = depth ? random(4) : 0;
        switch (random(depth ? 3 : 2)) {
        case 0: return Array.from({length: size}, () => tree(depth - 1));
        case 1: return random(3);
        default: {
            const order = ['a', '1', '0', 'b/~', '__proto__'].slice(random(3));
            return parseJSON(`{${order.slice(0, size + 1).map((name) => (
                `${JSON.stringify(name)}:${jsonText(tree(depth - 1))}`)).join(',')}}`);
        }
        }
    };
    for (let step = 0; step < 2000; step += 1) {
        const [from, to] = [tree(3), tree(3)];
        const place = `seed ${seed}, step ${step}: ${jsonText(from)} to ${jsonText(to)}`;
        assert.ok(isEqual(appliedPatch(from, patch(from, to)), to), place);
        assert.equal(jsonText(appliedPatch(from, patch(from, to, {isOrdered: true}))),
            jsonText(to), place);
    }
});
