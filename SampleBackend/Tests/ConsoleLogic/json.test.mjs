import assert from 'node:assert/strict';
import {test} from 'node:test';

import {fingerprint} from '../../Sources/Console/Pages/json/fingerprint.js';
import {copy, entries, ExactNumber, isEqual, isObject, member, names, objectOf, setMember,
    withMember, withRenamed} from '../../Sources/Console/Pages/json/json.js';
import {formatted, jsonText, parseJSON, storedObject} from '../../Sources/Console/Pages/json/json-text.js';

/** Numbers that JavaScript reads as another number, or writes differently. */
const exactNumbers = ['9007199254740993', '1.10', '-0', '1e3', '1E+2', '1.0', '0.10',
    '0.10000000000000000000000000001', '123456789012345678901234567890', '1e-400', '1e400', '-0.0'];
const plainNumbers = ['0', '1', '-1', '0.1', '1.5', '9007199254740991', '1e+21', '1e-7'];

for (const text of exactNumbers) {
    test(`the number ${text} keeps its text`, () => {
        const tree = parseJSON(text);
        assert.ok(tree instanceof ExactNumber);
        assert.equal(String(tree), text);
        assert.equal(jsonText(tree), text);
        assert.equal(jsonText(parseJSON(`{"a": [${text}]}`)), `{"a":[${text}]}`);
    });
}

for (const text of plainNumbers) {
    test(`the number ${text} is one of JavaScript`, () => {
        assert.equal(parseJSON(text), Number(text));
        assert.equal(jsonText(parseJSON(text)), text);
    });
}

for (const text of ['{1.0: 2}', '[01]', '[1,]', '[1 2]', '{"a"}', '"a', '[+1]', '1 2', '', ' ',
    '[1.]', '"\t"', "'a'", '"\\x"', '{"a": 1,}', '[[[[[', 'nul', 'NaN', 'truefalse', '.5', '-',
    '1e', '{"a":1 "b":2}', '{,}', '[,]', '"\\ud8"', '\u00a01', '"\\', ']', 'undefined', '--1']) {
    test(`${JSON.stringify(text)} is not JSON`, () => {
        assert.throws(() => parseJSON(text), SyntaxError);
        assert.throws(() => formatted(text), SyntaxError);
    });
}

for (const [text, index] of [['[1,]', 3], ['{"a": 1', 7], ['', 0], ['[1] x', 4], ['{"a": tru}', 6],
    ['"abc', 4], ['"abc\\', 5], ['[\n  01\n]', 5], ['[1, "a\tb"]', 6], ['["\\x"]', 2],
    ['["a\\u00g0"]', 3]]) {
    test(`the fault in ${JSON.stringify(text)} is at ${index}`, () => {
        const error = assert.throws(() => parseJSON(text), (thrown) => {
            assert.equal(thrown.index, index);
            assert.match(thrown.message, new RegExp(`character ${index + 1}\\.$|JSON`));
            return true;
        });
        assert.equal(error, undefined);
    });
}

test('members keep their order, also those with names of digits', () => {
    const text = '{"Last":1,"2025":2,"10":{"b":1,"1":2,"a":3},"9":4,"007":5}';
    assert.equal(jsonText(parseJSON(text)), text);
    assert.deepEqual(names(parseJSON(text)), ['Last', '2025', '10', '9', '007']);
});

test('a member that is removed and set again goes to the end', () => {
    const tree = parseJSON('{"2":1,"1":2,"a":3}');
    setMember(tree, '2', undefined);
    assert.deepEqual(names(tree), ['1', 'a']);
    setMember(tree, '2', 4);
    assert.equal(jsonText(tree), '{"1":2,"a":3,"2":4}');
});

test('a member that is set again keeps its place', () => {
    const tree = parseJSON('{"10":1,"9":2}');
    setMember(tree, '10', 3);
    assert.equal(jsonText(tree), '{"10":3,"9":2}');
});

test('names of the prototype are members like others', () => {
    const text = '{"__proto__":{"a":1},"constructor":2,"toString":3,"hasOwnProperty":4}';
    const tree = parseJSON(text);
    assert.equal(jsonText(tree), text);
    assert.equal(Object.getPrototypeOf(tree), Object.prototype);
    assert.equal(member(parseJSON('{}'), 'constructor'), undefined);
    assert.equal(member(parseJSON('{}'), '__proto__'), undefined);
    assert.equal(jsonText(copy(tree)), text);
    assert.equal(jsonText(withMember(tree, '__proto__', 5)),
        '{"__proto__":5,"constructor":2,"toString":3,"hasOwnProperty":4}');
});

test('the last of several members with the same name takes precedence', () => {
    assert.equal(jsonText(parseJSON('{"a":1,"b":2,"a":3}')), '{"a":3,"b":2}');
});

test('escapes of strings are decoded', () => {
    assert.equal(parseJSON('"\\u0041\\n\\"\\\\\\/\\ud83d\\ude00"'), 'A\n"\\/😀');
    assert.equal(parseJSON('{"\\u0041": 1}').A, 1);
});

test('deep JSON is read', () => {
    const depth = 1000;
    assert.equal(jsonText(parseJSON('['.repeat(depth) + ']'.repeat(depth))),
        '['.repeat(depth) + ']'.repeat(depth));
});

test('JSON is written with an indentation', () => {
    assert.equal(jsonText(parseJSON('{"a":[1,{"b":null}],"c":{},"d":[]}'), '  '),
        '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ],\n  "c": {},\n  "d": []\n}');
});

test('undefined members are left out, and undefined is written as null', () => {
    assert.equal(jsonText({a: undefined, b: 1}), '{"b":1}');
    assert.equal(jsonText([undefined]), '[null]');
    assert.equal(jsonText(undefined), 'null');
});

test('formatting changes only white space outside of strings', () => {
    assert.equal(formatted('{"10": [9007199254740993,1.10,1e400], "9": {}, "9": [ ],'
        + '"\\u0041": "a, {\\": \\\\"}'),
    '{\n  "10": [\n    9007199254740993,\n    1.10,\n    1e400\n  ],\n  "9": {},\n  "9": [],\n'
        + '  "\\u0041": "a, {\\": \\\\"\n}');
    assert.equal(formatted(' "a" '), '"a"');
    assert.equal(formatted('[[],[[]]]'), '[\n  [],\n  [\n    []\n  ]\n]');
});

test('formatting twice changes nothing', () => {
    const text = formatted('{"a":[1,{"b":[]}],"c":"x:y"}');
    assert.equal(formatted(text), text);
});

test('a copy shares nothing that can be changed', () => {
    const tree = parseJSON('{"10":{"a":[1.0]},"9":2}');
    const other = copy(tree);
    assert.equal(jsonText(other), jsonText(tree));
    other['10'].a.push(3);
    assert.equal(jsonText(tree), '{"10":{"a":[1.0]},"9":2}');
    assert.equal(other['10'].a[0], tree['10'].a[0]);
});

test('a copy with another member shares the others', () => {
    const tree = parseJSON('{"a":{},"b":{}}');
    const other = withMember(tree, 'b', 1);
    assert.equal(other.a, tree.a);
    assert.equal(jsonText(tree), '{"a":{},"b":{}}');
    assert.equal(jsonText(withMember(undefined, 'b', 1)), '{"b":1}');
    assert.equal(jsonText(withMember(tree, 'a', undefined)), '{"b":{}}');
});

test('a renamed member keeps its place', () => {
    assert.equal(jsonText(withRenamed(parseJSON('{"a":1,"b":2,"c":3}'), 'b', '7', 4)),
        '{"a":1,"7":4,"c":3}');
});

for (const [left, right, isSame] of [
    ['1', '1', true], ['1', '1.0', false], ['1.0', '1.0', true], ['1.0', '1.00', false],
    ['0', '-0', false], ['"1"', '1', false], ['null', '0', false], ['null', 'null', true],
    ['{"a":1,"b":2}', '{"b":2,"a":1}', true], ['{"a":1}', '{"a":1,"b":2}', false],
    ['{"a":1}', '{"b":1}', false], ['[1,2]', '[2,1]', false], ['[]', '{}', false],
    ['[1]', '{"0":1}', false], ['{"__proto__":1}', '{}', false], ['1.0', '{"text":"1.0"}', false],
    ['{"text":"1.0"}', '1.0', false], ['[[1.10]]', '[[1.10]]', true], ['true', '"true"', false],
]) {
    test(`${left} and ${right} are ${isSame ? '' : 'not '}equal`, () => {
        assert.equal(isEqual(parseJSON(left), parseJSON(right)), isSame);
        assert.equal(isEqual(parseJSON(right), parseJSON(left)), isSame);
        assert.equal(fingerprint(parseJSON(left)) === fingerprint(parseJSON(right)), isSame);
    });
}

test('only objects are objects of a tree', () => {
    assert.deepEqual([{}, [], null, 'a', new ExactNumber('1.0'), undefined].map(isObject),
        [true, false, false, false, false, false]);
    assert.ok(isObject(parseJSON('{"__proto__":{}}')));
});

test('pairs make an object in their order', () => {
    assert.deepEqual(entries(objectOf([['b', 1], ['2', 2], ['1', 3]])),
        [['b', 1], ['2', 2], ['1', 3]]);
});

test('an object of the storage is empty if its text is missing or damaged', () => {
    for (const text of [null, '', '{"a":', 'x', '7', 'null', '[1]', '"a"']) {
        assert.deepEqual(storedObject(text), {}, String(text));
    }
    assert.deepEqual(storedObject('{"a":{"b":1}}'), {a: {b: 1}});
});
