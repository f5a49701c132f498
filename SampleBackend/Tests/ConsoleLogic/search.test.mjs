import {answerRequests} from './browser.mjs';
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {fixture} from './fixtures.mjs';
import {parseJSON} from '../../Sources/Console/Pages/json/json-text.js';
import {settingsAt} from '../../Sources/Console/Pages/settings/setting-actions.js';
import {SettingHistories} from '../../Sources/Console/Pages/settings/setting-history.js';
import {filterOf, filterParameters, isChangedSince, isFiltering, matching, noFilter, prepareSearch,
    sectionToken, settingsOf} from '../../Sources/Console/Pages/settings/setting-index.js';
import {settingParameter} from '../../Sources/Console/Pages/template/template.js';
import {relativeTime} from '../../Sources/Console/Pages/text/formats.js';
import {hasWords, searchWords} from '../../Sources/Console/Pages/text/search.js';
import {defaultOf, isDifferent, isSameValue, reasonText, rowsOf, rowText}
    from '../../Sources/Console/Pages/users/user-settings.js';

const template = parseJSON('{"parameters":{"title":{"defaultValue":{"value":"Hello World"},'
    + '"description":"Greets"},"limit":{"valueType":"NUMBER","defaultValue":{"value":"10"},'
    + '"conditionalValues":{"Beta":{"value":"20"},"Old apps":{"useInAppDefault":true}}}},'
    + '"parameterGroups":{"Home":{"parameters":{"title":{"valueType":"JSON","defaultValue":'
    + '{"value":"{\\"color\\": 1}"}}}},"outside":{"parameters":{"x":{"valueType":"BOOLEAN"}}}}}');

/** Names of the settings that pass a filter. */
const found = (filter, base = {}) => matching(template, base, {...noFilter, ...filter})
    .map(({name}) => name);

const all = ['Default.title', 'Default.limit', 'Home.title', 'outside.x'];

for (const [filter, names] of [
    [{}, all],
    [{find: 'title'}, ['Default.title', 'Home.title']],
    [{find: 'TITLE home'}, ['Home.title']],
    [{find: '  world   hello '}, ['Default.title']],
    [{find: 'greets'}, ['Default.title']],
    [{find: 'beta'}, ['Default.limit']],
    [{find: 'in-app default'}, ['Default.limit']],
    [{find: '20'}, ['Default.limit']],
    [{find: 'number'}, ['Default.limit']],
    [{find: 'text'}, ['Default.title']],
    [{find: 'color'}, ['Home.title']],
    [{find: 'default.l'}, ['Default.limit']],
    [{find: 'nothing like this'}, []],
    [{type: 'STRING'}, ['Default.title']],
    [{type: 'JSON'}, ['Home.title']],
    [{type: 'OTHER'}, []],
    [{condition: 'Beta'}, ['Default.limit']],
    [{condition: 'constructor'}, []],
    [{section: 'outside'}, ['Default.title', 'Default.limit']],
    [{section: 'group:outside'}, ['outside.x']],
    [{section: 'group:Home', find: 'title'}, ['Home.title']],
    [{changed: 'draft'}, all],
]) {
    test(`the filter ${JSON.stringify(filter)} finds ${names.join(', ') || 'nothing'}`, () => {
        assert.deepEqual(found(filter), names);
        prepareSearch(template);
        assert.deepEqual(found(filter), names);
    });
}

test('only settings that differ from the base are changed', () => {
    assert.deepEqual(found({changed: 'draft'}, template), []);
    const edited = settingParameter(template, 'Home', 'title', parseJSON('{"weight": 1.00}'));
    const now = matching(edited, template, {...noFilter, changed: 'draft'});
    assert.deepEqual(now.map(({name}) => name), ['Home.title']);
    const [, limit] = settingsOf(template);
    assert.ok(!isChangedSince(template, limit));
    assert.ok(isChangedSince({}, limit));
});

test('settings are named for people, and found by their paths', () => {
    assert.deepEqual(settingsOf(template).map(({path}) => path), ['parameters.title',
        'parameters.limit', 'parameterGroups.Home.parameters.title',
        'parameterGroups.outside.parameters.x']);
    assert.deepEqual(settingsAt(template, new Set(['parameters.limit', 'parameters.gone']))
        .map(({name}) => name), ['Default.limit']);
    assert.equal(settingsOf(template), settingsOf(template));
});

test('a filter is the query of the address', () => {
    const filter = filterOf(new URLSearchParams('find=a+b&type=JSON&other=x'));
    assert.deepEqual(filter, {...noFilter, find: 'a b', type: 'JSON'});
    assert.deepEqual(filterParameters(filter), {find: 'a b', type: 'JSON'});
    assert.deepEqual(filterParameters(noFilter), {});
});

test('a filter of spaces leaves nothing out', () => {
    assert.ok(!isFiltering(noFilter));
    assert.ok(!isFiltering({...noFilter, find: '  '}));
    assert.ok(isFiltering({...noFilter, section: 'outside'}));
});

test('the group "outside" is another section than the one outside of groups', () => {
    assert.notEqual(sectionToken('outside'), sectionToken(null));
    assert.notEqual(sectionToken('group:a'), sectionToken('a'));
});

for (const {type, text, value} of fixture('RenderingTests/Fixtures/value-texts.json')) {
    test(`the ${type} ${JSON.stringify(text)} is ${value} in a document`, () => {
        const setting = {parameters: {a: {valueType: type, defaultValue: {value: text}}}};
        const own = defaultOf(setting, 'Default', 'a', '7');
        assert.ok(isSameValue(own, parseJSON(value)), String(own));
        assert.ok(!isDifferent(setting, 'Default', 'a',
            {source: 'CONDITION', value: parseJSON(value)}, '7'));
    });
}

for (const [left, right, isSame] of [
    ['9007199254740993', '9007199254740992', false], ['1.10', '1.1', true], ['1e2', '100', true],
    ['1', '"1"', false], ['[1.0]', '[1]', true], ['[1]', '[1,2]', false], ['[]', '{}', false],
    ['{"a":1.0,"b":2}', '{"b":2,"a":1}', true], ['{"a":1}', '{"b":1}', false],
    ['{"a":1}', '{"a":1,"b":1}', false], ['null', 'false', false], ['"a"', '"a"', true],
]) {
    test(`${left} and ${right} are ${isSame ? 'one value' : 'two values'} of a document`, () => {
        assert.equal(isSameValue(parseJSON(left), parseJSON(right)), isSame);
        assert.equal(isSameValue(parseJSON(right), parseJSON(left)), isSame);
    });
}

test('a value differs from the default by its value, not by where it comes from', () => {
    const one = {parameters: {a: {defaultValue: {value: 'x'}}, b: {}, c: {valueType: 'JSON',
        defaultValue: {value: '{'}}}};
    assert.ok(!isDifferent(one, 'Default', 'a', {source: 'CONDITION', value: 'x'}));
    assert.ok(isDifferent(one, 'Default', 'a', {source: 'OVERRIDE', value: 'y'}));
    assert.ok(!isDifferent(one, 'Default', 'a', {source: 'DEFAULT', value: 'y'}));
    assert.ok(isDifferent(one, 'Default', 'a', {source: 'CONDITION'}));
    assert.ok(isDifferent(one, 'Default', 'b', {source: 'CONDITION', value: 'x'}));
    assert.ok(isDifferent(one, 'Default', 'c', {source: 'CONDITION', value: 'x'}));
    assert.ok(isDifferent(one, 'Default', 'gone', {source: 'OVERRIDE', value: 'x'}));
    assert.ok(!isDifferent(one, 'Default', 'a', undefined));
});

for (const [reason, text] of [
    [{source: 'DEFAULT'}, 'Default value'],
    [{source: 'DEFAULT', falseConditions: ['A']}, 'Default value, since “A” is false'],
    [{source: 'CONDITION', condition: 'B', falseConditions: ['A', 'C']},
        'Condition “B” is true, since “A”, “C” are false'],
    [{source: 'DEFAULT', unevaluatedConditions: ['A']},
        'Default value; “A” would apply, but a value of its kind is not evaluated'],
    [{source: 'OVERRIDE', falseConditions: ['A']}, 'Pinned for this user'],
]) test(`a reason is shown as: ${text}`, () => assert.equal(reasonText(reason), text));

test('settings of two answers are one row each', () => {
    const answer = (settings) => ({settings});
    const rows = rowsOf(answer({S: {a: {value: 1}, b: {value: 2}}}),
        answer({S: {b: {value: 3}, c: {value: 4}}, '7': {d: {}}}));
    assert.deepEqual(rows.map(({section, key, now, draft}) => (
        [`${section}.${key}`, now?.value, draft?.value])),
    [['S.a', 1, undefined], ['S.b', 2, 3], ['7.d', undefined, undefined], ['S.c', undefined, 4]]
        .sort(([a], [b]) => rows.findIndex((row) => `${row.section}.${row.key}` === a)
            - rows.findIndex((row) => `${row.section}.${row.key}` === b)));
    assert.deepEqual(rowsOf(undefined, undefined), []);
});

test('a row is searched in its name, values and reasons', () => {
    const text = rowText({section: 'Home', key: 'Title', now: {value: 'Hi', source: 'DEFAULT'},
        draft: {value: parseJSON('1.10'), source: 'CONDITION', condition: 'Beta'}});
    for (const part of ['home.title', '"hi"', '1.10', 'default value', '“beta” is true']) {
        assert.ok(text.includes(part), part);
    }
});

for (const [seconds, text] of [[-5, 'now'], [59, 'now'], [60, '1m ago'], [3599, '59m ago'],
    [3600, '1h ago'], [86400, 'yesterday'], [3 * 86400, '3d ago'], [45 * 86400, 'last mo.'],
    [800 * 86400, '2y ago']]) {
    test(`a change ${seconds} s ago was ${text}`, () => {
        const now = Date.parse('2026-06-01T12:00:00Z');
        const time = new Date(now - seconds * 1000).toISOString();
        assert.equal(relativeTime(time, now).replace(/ min\. ago/, 'm ago')
            .replace(/ hr\. ago/, 'h ago').replace(/ days ago/, 'd ago').replace(/ yrs? ago/, 'y ago')
            .replace('in 0s', 'now'), text);
    });
}

const history = {baseVersionNumber: '2', settings: {Home: {title: ['5', '3']}},
    versions: [{versionNumber: '5', updateTime: 't'}, {versionNumber: '3'}]};

test('histories are read once for each version', async () => {
    const requests = answerRequests(() => ({body: history}));
    const histories = new SettingHistories({project: 'p'});
    const {signal} = new AbortController();
    assert.equal(await histories.load('0', signal), false);
    assert.equal(await histories.load('5', signal), true);
    assert.equal(await histories.load('5', signal), false);
    assert.equal(requests.length, 1);
    assert.deepEqual(histories.of({section: 'Home', key: 'title'})
        .map(({versionNumber}) => versionNumber), ['5', '3']);
    assert.deepEqual(histories.of({section: 'Home', key: 'constructor'}), []);
    assert.equal(histories.lastChange({section: 'None', key: 'x'}), null);
});

test('histories that could not be read are read again', async () => {
    answerRequests(() => ({status: 500, body: {error: {message: 'Broken.'}}}));
    const histories = new SettingHistories({project: 'p'});
    const {signal} = new AbortController();
    assert.equal(await histories.load('5', signal), true);
    assert.equal(histories.problem, 'Broken.');
    answerRequests(() => ({body: history}));
    assert.equal(await histories.load('5', signal), true);
    assert.equal(histories.problem, null);
});

test('the histories of an older version do not replace those of a newer one', async () => {
    const answers = [];
    answerRequests(() => new Promise((resolve) => {
        answers.push(resolve);
    }));
    const histories = new SettingHistories({project: 'p'});
    const {signal} = new AbortController();
    const [older, newer] = [histories.load('4', signal), histories.load('5', signal)];
    await new Promise((resolve) => setImmediate(resolve));
    answers[1]({body: history});
    assert.equal(await newer, true);
    answers[0]({body: {...history, settings: {}}});
    assert.equal(await older, false);
    assert.equal(histories.of({section: 'Home', key: 'title'}).length, 2);
});

test('a search finds all of its words, in any order and case', () => {
    assert.deepEqual(searchWords('  Beta\tapps\u00a0OLD\n'), ['beta', 'apps', 'old']);
    assert.deepEqual(searchWords(' '), []);
    assert.ok(hasWords('old apps\nin beta', searchWords('Beta apps')));
    assert.ok(!hasWords('old apps\nin beta', searchWords('beta gamma')));
    assert.ok(hasWords('anything', searchWords('')));
});
