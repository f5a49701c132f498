import assert from 'node:assert/strict';
import {test} from 'node:test';

import {comparisonRemark, digitsRemark, draftRemarks, expressionRemarks, signalRemark,
    valueRemarks}
    from '../../Sources/Console/Pages/template/number-digits.js';

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

for (const [text, compared] of [
    ['12345678901234567890', '1.2345678901234567e+19'], ['-9007199254740993', '-9007199254740992'],
    ['+9007199254740993', '9007199254740992'], ['9007199254740993.', '9007199254740992'],
    ['123456789012.3456789', '123456789012.34567'], ['12345678901234567000', null], ['1.50', null],
    ['.5', null], ['7.', null], ['-0', null], ['', null], ['gold', null], ['9007199254740991', null],
]) {
    test(`a condition compares with ${text} as ${compared ?? 'it is'}`, () => {
        const remark = comparisonRemark(text);
        if (compared === null) assert.equal(remark, null);
        else assert.ok(remark.startsWith(`It is compared as ${compared}: `), remark);
        const ofSignal = signalRemark(text);
        assert.equal(ofSignal?.startsWith(`Rules that compare numbers take it as ${compared}: `),
            compared === null ? undefined : true);
    });
}

for (const [expression, numbers] of [
    [`app.customSignal['n'] == ${long}`, [long]],
    [`!(app.customSignal['n']>=-${long}) && app.customSignal['m'] < ${long}`, [`-${long}`, long]],
    [`app.customSignal['n'] == ${long} || app.customSignal['m'] == ${long}`, [long]],
    [`app.customSignal['${long}'].exactlyMatches(['${long}', 'a\\'${long}'])`, []],
    [`user.id == '${long}' && percent('a.${long}') <= 12.345678`, []],
    [`app.customSignal['n`, []], ['', []],
]) {
    test(`the numbers of ${expression || 'no expression'} are checked`, () => {
        assert.deepEqual(expressionRemarks(expression).map((remark) => remark.split(':')[0]), numbers);
    });
}

test('a draft is checked where it changes conditions', () => {
    const condition = (name, value, more) => (
        {name, expression: `app.customSignal['n'] == ${value}`, ...more});
    const base = {conditions: [condition('old', long), condition('changed', '1')]};
    const draft = {conditions: [condition('old', long, {tagColor: 'BLUE'}),
        condition('changed', long), condition('new', long), {name: 'server', condition: {}}]};
    assert.deepEqual(draftRemarks(draft, base).map(({setting, condition: name}) => [setting, name]),
        [['', 'changed'], ['', 'new']]);
});
