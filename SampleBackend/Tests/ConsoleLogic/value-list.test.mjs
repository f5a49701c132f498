import assert from 'node:assert/strict';
import {test} from 'node:test';

import {listedLines, listedValues} from '../../Sources/Console/Pages/template/value-list.js';

for (const [text, values] of [
    ['alice, bob, carol\ndave', ['alice', 'bob', 'carol', 'dave']],
    ['a;b\tc\r\nd', ['a', 'b', 'c', 'd']],
    ['one user', ['one user']],
    ['a,,a, ,b\n', ['a', 'b']],
    ['\uFEFFuser', ['user']],
    ['"Doe, John", "say ""hi""" ,x', ['Doe, John', 'say "hi"', 'x']],
    ['the "best" user', ['the "best" user']],
    ['"open', ['"open']],
    ['"a" b,c', ['"a" b', 'c']],
    ['', []], [' \n', []],
]) {
    test(`${JSON.stringify(text)} has the values ${values.join(' | ') || 'none'}`, () => {
        assert.deepEqual(listedValues(text), values);
    });
}

test('a hundred thousand IDs are split in one pass', () => {
    const text = Array.from({length: 100_000}, (_, index) => `user-${index}`).join('\n');
    assert.equal(listedValues(text).length, 100_000);
});

test('a pattern keeps its commas and quotes', () => {
    assert.deepEqual(listedLines('^a{1,3}$\n"b";c\n\n^a{1,3}$'), ['^a{1,3}$', '"b";c']);
});
