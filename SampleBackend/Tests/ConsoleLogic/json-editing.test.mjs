import assert from 'node:assert/strict';
import {test} from 'node:test';

import {bracketPair, closingEdit, errorIndex, indentEdit, indentsLess, lineBreakEdit, lineOf,
    tokens} from '../../Sources/Console/Pages/controls/json-editing.js';

/** Applies an edit to a text with `|` at the caret, or at both ends of the selection. */
function edited(marked, edit) {
    const start = marked.indexOf('|');
    const end = marked.lastIndexOf('|') === start ? start : marked.lastIndexOf('|') - 1;
    const text = marked.replaceAll('|', '');
    const change = edit(text, start, end);
    if (!change) return null;
    const result = text.slice(0, change.from) + change.text + text.slice(change.to);
    const ends = change.start === change.end ? [change.start] : [change.start, change.end];
    return ends.reverse().reduce(
        (shown, place) => `${shown.slice(0, place)}|${shown.slice(place)}`, result);
}

test('a line is cut into names, values, brackets and what is none of them', () => {
    assert.deepEqual(
        tokens('  {"a\\"b" : "x", "n": -1.5e3, "t": [true, nul]} '), [
            ['', '  '], ['bracket', '{'], ['name', '"a\\"b"'], ['', ' : '], ['string', '"x"'],
            ['', ', '], ['name', '"n"'], ['', ': '], ['number', '-1.5e3'], ['', ', '],
            ['name', '"t"'], ['', ': '], ['bracket', '['], ['word', 'true'], ['', ', '],
            ['invalid', 'nul'], ['bracket', ']'], ['bracket', '}'], ['', ' ']]);
});

for (const line of ['"open', '"open\\', '{"a": 1', '01 +2', "'a'", '"\\', '\t\u00a0x"', '', '{{]"']) {
    test(`the tokens of ${JSON.stringify(line)} are its text`, () => {
        assert.equal(tokens(line).map(([, text]) => text).join(''), line);
    });
}

test('a name may be in another line than its colon', () => {
    assert.deepEqual(tokens('"a"'), [['string', '"a"']]);
    assert.deepEqual(tokens('"a"  :'), [['name', '"a"'], ['', '  :']]);
});

for (const [text, index] of [['', null], [' \n', null], ['[1]', null], ['[1,]', 3],
    ['{"a": 1 "b": 2}', 8], ['{', 1], ['["a\nb"]', 3], ['["\\x"]', 2], ['["\\u12"]', 2],
    ['[1, "ab\\', 8]]) {
    test(`the error in ${JSON.stringify(text)} is at ${index}`, () => {
        assert.equal(errorIndex(text), index);
    });
}

test('a place is a line and a column from zero', () => {
    const text = 'ab\n\ncd';
    assert.deepEqual([0, 2, 3, 4, 6].map((index) => lineOf(text, index)), [
        {line: 0, column: 0}, {line: 0, column: 2}, {line: 1, column: 0}, {line: 2, column: 0},
        {line: 2, column: 2}]);
});

for (const [marked, pair] of [
    ['|{"a": [1]}', [0, 9]], ['{|"a": [1]}', [0, 9]], ['{"a": |[1]}', [6, 8]],
    ['{"a": [1]|}', [6, 8]], ['{"a": [1]}|', [0, 9]], ['{"}": 1}|', [0, 7]],
    ['{"a|": [1]}', null], ['|{]', null], ['{|', null], ['|"{}"', null], ['"{|}"', null],
    ['["open\n]|', [0, 7]], ['|', null]]) {
    test(`the brackets at the caret of ${JSON.stringify(marked)}`, () => {
        assert.deepEqual(bracketPair(marked.replace('|', ''), marked.indexOf('|')), pair);
    });
}

for (const [before, after] of [
    ['{|', '{\n  |'], ['{|}', '{\n  |\n}'], ['  "a": [|]', '  "a": [\n    |\n  ]'],
    ['  "a": 1,|', '  "a": 1,\n  |'], ['{\n  "a": |1|\n}', '{\n  "a": \n  |\n}'],
    ['  |  "a"', '  \n  |"a"'], ['|', '\n|'], ['[1,|  2]', '[1,\n|2]']]) {
    test(`a line break in ${JSON.stringify(before)} is indented`, () => {
        assert.equal(edited(before, lineBreakEdit), after);
    });
}

for (const [before, after] of [['{\n    |', '{\n  }|'], ['{\n  |', '{\n}|'], ['|', null],
    ['{\n |', '{\n}|'], ['{\n  "a|', null], ['{\n  |x|', null]]) {
    test(`a closing bracket in ${JSON.stringify(before)}`, () => {
        assert.equal(edited(before, (...place) => closingEdit(...place, '}')), after);
    });
}

for (const [before, isLess, after] of [
    ['ab|c', false, '  ab|c'], ['  ab|c', true, 'ab|c'], ['abc|', true, null],
    ['a\n|b\nc|', false, 'a\n|  b\n  c|'], ['|  a\n b\nc|\nd', true, '|a\nb\nc|\nd'],
    ['|a\n|b', false, '|  a\n|b'], [' |  a', true, '| a'], ['|', false, '  |']]) {
    test(`${isLess ? 'less' : 'more'} indentation of ${JSON.stringify(before)}`, () => {
        assert.equal(edited(before, (...place) => indentEdit(...place, isLess)), after);
    });
}

const none = {ctrlKey: true, metaKey: false, altKey: false};

for (const [layout, event, isLess] of [
    ['QWERTY', {key: ']', code: 'BracketRight'}, false],
    ['QWERTY', {key: '[', code: 'BracketLeft'}, true],
    ['QWERTY', {key: '.', code: 'Period'}, false], ['QWERTY', {key: ',', code: 'Comma'}, true],
    ['QWERTZ', {key: '.', code: 'Period'}, false], ['QWERTZ', {key: ',', code: 'Comma'}, true],
    // The browser enlarges the page by Ctrl++.
    ['QWERTZ', {key: '+', code: 'BracketRight'}, null],
    ['QWERTZ', {key: 'ü', code: 'BracketLeft'}, null],
    // AltGr, by which a bracket is typed.
    ['QWERTZ', {key: '[', code: 'Digit8', altKey: true}, null],
    ['AZERTY', {key: ',', code: 'KeyM'}, true], ['AZERTY', {key: '.', code: 'Comma'}, false],
    ['Russian', {key: 'ю', code: 'Period'}, false], ['Russian', {key: 'б', code: 'Comma'}, true],
    ['any', {key: '.', code: 'Period', ctrlKey: false}, null],
    ['any', {key: ',', code: 'Comma', metaKey: true}, null],
]) {
    test(`${event.key} indents ${isLess} with ${layout}: ${JSON.stringify(event)}`, () => {
        assert.equal(indentsLess({...none, ...event}), isLess);
    });
}
