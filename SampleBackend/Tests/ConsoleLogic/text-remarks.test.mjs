import assert from 'node:assert/strict';
import {test} from 'node:test';

import {textRemarks} from '../../Sources/Console/Pages/template/text-remarks.js';

for (const [text, valueType, ...words] of [
    ['Hello', 'STRING'], ['Hello ${user.name}!', 'STRING', '“${user.name}” is sent as written'],
    ['Hello ${user.id}', 'STRING', '“${user.id}” is replaced by the user’s ID.'],
    ['${user.id} ${a}', 'STRING', '“${user.id}” is replaced', '“${a}” is sent as written'],
    ['{"a":"${user.id}"}', 'JSON', 'replaces it in settings of the type Text'],
    ['${user.id}', 'NUMBER'],
    ['{{name}}', 'STRING', '“{{name}}”'], ['{"a": {"b": {}}}', 'JSON'],
    ['{"a":{"b":1}}', 'JSON'], ['{"a":"${b}"}', 'JSON', '“${b}”'], ['$5 {a}', 'STRING'],
    ['a\u200Bb\u200B\u202E', 'STRING', 'U+200B, U+202E.'], ['\u0007', 'STRING', 'U+0007'],
    ['Zwei\nZeilen\t👩‍💻 नमस्ते', 'STRING'], ['${a}\uFEFFb', 'STRING', '“${a}”', 'U+FEFF'],
    ['${a}', 'NUMBER'], ['a ', 'STRING', 'The text ends with white space'],
    ['\na', 'STRING', 'begins with'], [' ', 'STRING', 'begins and ends with'],
    ['\u00A0a', 'STRING', 'begins with'], [' {}\n', 'JSON'], [' 1 ', 'NUMBER'],
]) {
    test(`${JSON.stringify(text)} as ${valueType} has ${words.length} remarks`, () => {
        const remarks = textRemarks(text, valueType);
        assert.equal(remarks.length, words.length, remarks.join(' '));
        words.forEach((each, index) => assert.ok(remarks[index].includes(each), remarks[index]));
    });
}
