import assert from 'node:assert/strict';
import {test} from 'node:test';

import {conditionalBeginning, forEverybody, isConditional}
    from '../../Sources/Console/Pages/template/boolean-values.js';
import {ruleOf, signalProblems} from '../../Sources/Console/Pages/users/custom-signals.js';
import {treeDoubts} from '../../Sources/Console/Pages/conditions/value-doubts.js';
import {definedValues, meantValue, missingRegions, suggestedValues, unknownValue}
    from '../../Sources/Console/Pages/template/defined-values.js';

/** Names that stand for more than one value of a field. */
function ambiguousNames(element) {
    const codes = new Map();
    for (const [code, name] of definedValues(element)) {
        if (name) codes.set(name, [...codes.get(name) ?? [], code]);
    }
    return [...codes].filter(([, all]) => all.length > 1);
}

for (const element of ['device.country', 'device.language', 'device.os', 'timeZone']) {
    test(`each name of ${element} stands for one value`, () => {
        assert.ok(definedValues(element).length > 7);
        assert.deepEqual(ambiguousNames(element), []);
    });
}

test('each country is its own canonical region', () => {
    const dead = definedValues('device.country')
        .filter(([code]) => new Intl.Locale(`und-${code}`).region !== code);
    assert.deepEqual(dead, []);
});

test('each language is its own canonical tag', () => {
    const dead = definedValues('device.language')
        .filter(([code]) => Intl.getCanonicalLocales(code)[0] !== code);
    assert.deepEqual(dead, []);
});

for (const [element, text, value] of [
    ['device.country', 'Germany', 'DE'], ['device.country', 'vietnam', 'VN'],
    ['device.country', 'Yemen', 'YE'], ['device.country', 'Zimbabwe', 'ZW'],
    ['device.country', 'DD', 'DE'], ['device.country', 'uk', 'GB'],
    ['device.country', 'Atlantis', 'Atlantis'], ['device.country', 'xq', 'xq'],
    ['device.language', 'Hebrew', 'he'], ['device.language', 'iw', 'he'],
    ['device.language', 'tl', 'fil'], ['device.language', 'Filipino', 'fil'],
    ['device.language', 'pt-br', 'pt-BR'], ['device.language', 'zh_hans_cn', 'zh-Hans-CN'],
    ['device.language', 'zh-CN', 'zh-Hans'], ['device.language', 'zh_tw', 'zh-Hant'],
    ['device.language', 'zh-HK', 'zh-Hant-HK'], ['device.language', 'klingon', 'klingon'], ['device.language', 'qq-de', 'qq-de'],
    ['device.os', 'iOS', 'ios'], ['device.os', 'iOS and iPadOS', 'ios'],
    ['timeZone', 'Asia/Calcutta', 'Asia/Kolkata'], ['timeZone', 'europe/kyiv', 'Europe/Kyiv'],
    ['timeZone', 'Europe/Kiev', 'Europe/Kyiv'], ['timeZone', 'utc', 'UTC'],
    ['timeZone', 'gmt', 'GMT'], ['user.id', 'DD', 'DD'], ['app.version', '1.0', '1.0'],
]) {
    test(`${text} stands for the ${element} ${value}`, () => {
        assert.equal(meantValue({element, key: null}, text), value);
    });
}

test('an outdated code that clients send stays', () => {
    const known = {keys: new Set(), values: () => ['UK', 'iw']};
    assert.equal(meantValue({element: 'device.country', key: null}, 'UK', known), 'UK');
    assert.equal(meantValue({element: 'device.language', key: null}, 'iw', known), 'iw');
});

for (const [element, value, known] of [
    ['device.country', 'Atlantis', false], ['device.country', 'DE', true],
    ['device.language', 'Elvish', false], ['device.language', 'de', true],
    ['device.language', 'de-AT', true], ['device.language', 'zh-Hans-CN', true],
    ['device.language', 'zh-CN', false], ['device.language', 'pt_br', true],
    ['device.os', 'beos', false], ['device.os', 'ios', true],
    ['app.version', 'soon', true], ['user.id', 'x', true],
]) {
    test(`${value} is ${known ? 'not ' : ''}marked as an unknown ${element}`, () => {
        assert.equal(unknownValue({element, key: null}, value) === null, known);
    });
}

test('a value that clients send is known', () => {
    const known = {keys: new Set(), values: () => ['beos']};
    assert.equal(unknownValue({element: 'device.os', key: null}, 'beos', known), null);
});

for (const [values, example] of [[['de'], 'de-DE'], [['pt', 'de-AT'], 'pt-BR'],
    [['de', 'de-AT'], null], [['en-US'], null], [['Elvish'], null], [[], null]]) {
    test(`${values.join(', ') || 'no language'} needs ${example ?? 'no region'}`, () => {
        const sentence = missingRegions(values);
        assert.equal(sentence && /such as ([^:]+):/.exec(sentence)?.[1], example);
    });
}

test('a language that clients send has the name of its region', () => {
    const known = {keys: new Set(), values: () => ['de-AT', 'x_y']};
    const suggested = suggestedValues({element: 'device.language', key: null}, known);
    assert.deepEqual(suggested.slice(-2), [['de-AT', 'Austrian German'], ['x_y', '']]);
});

for (const [pairs, problems] of [
    [[['plan', 'gold'], ['', '']], [null, null]],
    [[['plan', '']], [{part: 'value', message: 'Enter the value.'}]],
    [[['', 'gold']], [{part: 'name', message: 'Enter the name of the signal.'}]],
    [[['plan', 'a'], ['plan', 'b']],
        [null, {part: 'name', message: 'The signal “plan” is entered twice.'}]],
]) {
    test(`${JSON.stringify(pairs)} are checked as rules are`, () => {
        assert.deepEqual(signalProblems(
            pairs.map(([name, value]) => ruleOf('app.customSignal', name, value))), problems);
    });
}

test('a language that is compared without a region is a doubt of a condition', () => {
    const rule = (comparison, ...values) => (
        {kind: 'rule', element: 'device.language', comparison, values});
    assert.match(treeDoubts(rule('exactlyMatches', 'de')).join(), /with its region, such as de-DE/);
    assert.deepEqual(treeDoubts(rule('exactlyMatches', 'de-AT')), []);
    assert.deepEqual(treeDoubts(rule('in', 'de')), []);
});

test('each value of a condition that no app sends is named, with the one that is meant', () => {
    const rule = (element, comparison, ...values) => (
        {kind: 'rule', element, comparison, values});
    assert.deepEqual(treeDoubts({kind: 'all', operands: [
        rule('device.country', 'in', 'us', 'DE', 'uk'), rule('device.os', '==', 'iOS'),
        rule('device.language', 'in', 'pt-BR'), rule('user.id', 'in', 'us')]}), [
        '“us” is not a known country: apps send US.',
        '“uk” is not a known country: apps send GB.',
        '“iOS” is not a known system: apps send ios.']);
    assert.deepEqual(treeDoubts(rule('device.country', 'in', 'xq')),
        ['“xq” is not a known country: apps send codes such as DE.']);
});

for (const [type, like, value] of [
    ['BOOLEAN', {value: 'true'}, {value: 'false'}], ['BOOLEAN', {value: 'FALSE'}, {value: 'true'}],
    ['BOOLEAN', {useInAppDefault: true}, {value: ''}], ['STRING', {value: 'true'}, {value: 'true'}],
    ['BOOLEAN', {value: 'yes'}, {value: 'yes'}], ['NUMBER', undefined, {value: ''}],
]) {
    test(`a conditional value of ${type} beside ${JSON.stringify(like)} begins`, () => (
        assert.deepEqual(conditionalBeginning(type, like), value)));
}

test('a value for everybody leaves no conditional value', () => {
    const before = {valueType: 'BOOLEAN', description: 'd', defaultValue: {value: 'false'},
        conditionalValues: {beta: {value: 'true'}, ios: {useInAppDefault: true}}};
    assert.ok(isConditional(before));
    const after = forEverybody(before, 'false');
    assert.deepEqual(after,
        {valueType: 'BOOLEAN', description: 'd', defaultValue: {value: 'false'}});
    assert.ok(!isConditional(after));
    assert.ok(!isConditional({conditionalValues: {}}));
});
