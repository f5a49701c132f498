import assert from 'node:assert/strict';
import {test} from 'node:test';

import {digitsRemark, draftRemarks, valueRemarks} from '../../Sources/Console/Pages/template/number-digits.js';

for (const text of ['0', '-0', '7', '007', '1.10', '.5', '0.1', '1e19', '1E+3', '1.0', '-9007199254740991',
    '9007199254740992', '9000000000000000000', '0.30000000000000004', '1e-7', '', 'x', '1e400', '--1',
    '1.', '0x10', 'Infinity']) {
    test(`apps receive the number "${text}" as it is`, () => assert.equal(digitsRemark(text), null));
}

for (const [text, received, words] of [
    ['12345678901234567890', '1.2345678901234567e+19', 'beyond 64-bit integers'],
    ['-12345678901234567890', '-1.2345678901234567e+19', '-9223372036854775808'],
    ['9223372036854775808', '9.223372036854776e+18', 'gets its own default'],
    ['10000000000000000000', '1e+19', 'beyond 64-bit integers'],
    ['9223372036854775807', '9.223372036854776e+18', 'integer get all digits'],
    [' 9007199254740993 ', '9007199254740992', 'integer get all digits'],
    ['0.12345678901234567890', '0.12345678901234568', 'about 16 digits'],
    ['9007199254740993.0', '9007199254740992', 'about 16 digits'],
    ['1e-400', '0', 'about 16 digits'],
]) {
    test(`the remark on ${text} says that apps get ${received}`, () => {
        const remark = digitsRemark(text);
        assert.match(remark, new RegExp(`get ${received.replace('+', '\\+')}[.:]`));
        assert.ok(remark.includes(words), remark);
    });
}

test('numbers anywhere in a JSON value are checked, each once', () => {
    const remarks = valueRemarks(
        '{"a": [12345678901234567890, {"b": 12345678901234567890}], "c": 1.10, "10": 0.12345678901234567890}',
        'JSON');
    assert.deepEqual(remarks.map((remark) => remark.split(':')[0]).sort(),
        ['0.12345678901234567890', '12345678901234567890']);
    assert.deepEqual(valueRemarks('{"a": 1234567890123456', 'JSON'), []);
    assert.deepEqual(valueRemarks('"12345678901234567890"', 'JSON'), []);
    assert.deepEqual(valueRemarks('12345678901234567000', 'JSON').length, 1);
});

test('texts and booleans have no numbers', () => {
    assert.deepEqual(valueRemarks('12345678901234567890', 'STRING'), []);
    assert.deepEqual(valueRemarks('true', 'BOOLEAN'), []);
    assert.equal(valueRemarks('12345678901234567890', 'NUMBER').length, 1);
});

const long = '12345678901234567890';
const number = (value, values) => ({valueType: 'NUMBER', defaultValue: {value},
    ...(values && {conditionalValues: values})});

test('a draft is checked where it changes values', () => {
    const base = {parameters: {old: number(long), changed: number('1')},
        parameterGroups: {G: {parameters: {k: number('1', {beta: {value: long}, all: {value: '2'}}),
            text: {defaultValue: {value: long}}}}}};
    const draft = {parameters: {old: {...number(long), description: 'New'}, changed: number(long)},
        parameterGroups: {G: {parameters: {
            k: number('1', {beta: {value: long}, all: {value: long}}), text: number(long),
            own: {valueType: 'NUMBER', defaultValue: {useInAppDefault: true}}}}}};
    assert.deepEqual(
        draftRemarks(draft, base).map(({setting, condition}) => [setting, condition]),
        [['Default.changed', ''], ['G.k', 'all'], ['G.text', '']]);
    assert.deepEqual(draftRemarks(base, base), []);
    assert.equal(draftRemarks(base, {}).length, 2);
});
