import assert from 'node:assert/strict';
import {test} from 'node:test';

import {isText, listedLines, listedValues} from '../../Sources/Console/Pages/template/value-list.js';

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

test('a text file has no bytes of a binary one', () => {
    assert.ok(isText('\ufeffu1\tu2\r\n\u0416\u200b \u{1f600}'));
    const decoder = new TextDecoder();
    for (const bytes of [[0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10], [0xff, 0xfe, 0x75, 0],
        [0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72], [0x75, 0, 0x31]]) {
        assert.ok(!isText(decoder.decode(new Uint8Array(bytes))), String(bytes));
    }
});
