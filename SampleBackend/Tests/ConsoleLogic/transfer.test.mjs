import {answerRequests} from './browser.mjs';
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {fixture} from './fixtures.mjs';
import {jsonText, parseJSON} from '../../Sources/Console/Pages/json/json-text.js';
import {importedDraft, statedDraft}
    from '../../Sources/Console/Pages/transfer/imported-draft.js';
import {commonItems} from '../../Sources/Console/Pages/transfer/common-items.js';
import {repeatedDefaults}
    from '../../Sources/Console/Pages/transfer/repeated-defaults.js';
import {settingCount} from '../../Sources/Console/Pages/template/removals.js';
import {adding, contradictions, convert, draftFile, formatOf, formats, freeName, isTemplate,
    ownDoubts} from '../../Sources/Console/Pages/transfer/template-transfer.js';

for (const [name, text, format] of [
    ['parameters of Parse', '{"params": {"a": 1}}', 'PARSE'],
    ['parameters of Parse with a list', '{"params": {}, "masterKeyOnly": {}}', 'PARSE'],
    ['flags of a REST interface', '{"items": [{"key": "a", "environments": {}}]}', 'LAUNCHDARKLY'],
    ['items of something else', '{"items": [{"key": "a"}]}', null],
    ['flags of an SDK', '{"flags": {}, "segments": {}}', 'LAUNCHDARKLY'],
    ['values of flags', '{"flagValues": {"a": 1}}', 'LAUNCHDARKLY'],
    ['params beside something else', '{"params": {}, "parameters": {}}', null],
    ['params that are no object', '{"params": [1]}', null],
    ['a user with an address', '{"version": {"updateUser": {"email": "a@b.c"}}}', 'FIREBASE'],
    ['a legacy version', '{"version": {"isLegacy": false}}', 'FIREBASE'],
    ['a configuration document', '{"meta": {}, "config_sections": {"a": {}}}', 'ACTIVECONFIG'],
    ['an entity tag of Firebase', '{"etag": "etag-123", "parameters": {}}', 'FIREBASE'],
    ['a user with a name', '{"version": {"updateUser": {"name": "ada"}}}', 'ACTIVECONFIG'],
    ['a rollout', '{"parameters": {"a": {"conditionalValues": {"b": {"rolloutValue": {}}}}}}',
        'FIREBASE'],
    ['a personalization in a group', '{"parameterGroups": {"g": {"parameters": {"a":'
        + '{"conditionalValues": {"b": {"personalizationValue": {}}}}}}}}', 'FIREBASE'],
    ['a personalization as default value', '{"parameters": {"a": {"defaultValue":'
        + '{"personalizationValue": {}}}}}', 'FIREBASE'],
    ['a rollout in a group', '{"parameterGroups": {"g": {"parameters": {"a":'
        + '{"conditionalValues": {"b": {"rolloutValue": {}}}}}}}}', 'FIREBASE'],
    ['a user with a name beside a rollout', '{"version": {"updateUser": {"name": "ci"}},'
        + '"parameterGroups": {"g": {"parameters": {"a": {"conditionalValues":'
        + '{"b": {"rolloutValue": {}}}}}}}}', 'ACTIVECONFIG'],
    ['plain parameters', '{"parameters": {"a": {"defaultValue": {"value": "1"}}}}', null],
    ['nothing', '{}', null],
]) {
    test(`a file with ${name} is of ${format ?? 'any format'}`, () => (
        assert.equal(formatOf(parseJSON(text)), format)));
}

test('a doubt about a condition is not repeated where the server has one', () => {
    const template = {conditions: [{name: 'A'}, {name: 'B'}, {name: 'C'}]};
    const report = [
        {path: 'conditions[0]', message: "device.os == 'iOS' is probably never true: Clients send …"},
        {path: 'conditions[1]', message: 'percent depends on the user’s ID here'}];
    assert.deepEqual(ownDoubts(['A', 'B', 'C'].map((condition) => ({condition, doubts: ['x', 'y']})),
        {template, report}).map(({message}) => message), [
        'the condition B: x y', 'the condition C: x y']);
});

test('the formats of files are those of the server', () => {
    assert.deepEqual(formats.map(([format]) => format),
        fixture('ConfigServerTests/Fixtures/console-names.json').importFormats);
});

test('a template has parameters, groups or conditions', () => {
    assert.ok(isTemplate({parameters: {}}) && isTemplate({parameterGroups: {}})
        && isTemplate({conditions: []}));
    assert.ok(!isTemplate({params: {}}) && !isTemplate(null) && !isTemplate([]));
});

test('a file is converted by the server', async () => {
    const requests = answerRequests(() => ({body: {template: {}, report: []}}));
    const file = parseJSON('{"a":1.10}');
    assert.deepEqual(await convert('p', {format: 'PARSE', file, section: ''}),
        {template: {}, report: []});
    assert.equal(requests[0].path, '/v1/projects/p/remoteConfig:import');
    assert.equal(requests[0].text, '{"format":"PARSE","file":{"a":1.10},"section":null}');
});

const project = parseJSON('{"conditions":[{"name":"A","expression":"1"},{"name":"S",'
    + '"expression":"same"}],"parameters":{"x":{"defaultValue":{"value":"own"}}},'
    + '"parameterGroups":{"G":{"parameters":{"k":{}}}}}');
const file = parseJSON('{"conditions":[{"name":"A","expression":"2","tagColor":"BLUE"},{"name":"S",'
    + '"expression":"same"},{"name":"N","expression":"3"}],"parameters":{"x":{"defaultValue":'
    + '{"value":"given"}},"10":{"conditionalValues":{"A":{"value":"1"}}},"9":{}},'
    + '"parameterGroups":{"G":{"description":"d","parameters":{"k":{"a":1},"new":'
    + '{"conditionalValues":{"N":{}}}}},"H":{"parameters":{"z":{}}}}}');

test('conditions of both with another expression contradict each other', () => {
    assert.deepEqual(contradictions(project, file),
        [{name: 'A', own: '1', given: '2', users: ['Default.10']}]);
    assert.deepEqual(contradictions(file, project).map(({users}) => users), [[]]);
    assert.deepEqual(contradictions({}, file), []);
});

test('additional settings of a file are added, common ones stay', () => {
    const template = adding(project, file);
    assert.equal(jsonText(template), '{"conditions":[{"name":"A","expression":"1"},{"name":"S",'
        + '"expression":"same"},{"name":"N","expression":"3"}],"parameters":{"x":{"defaultValue":'
        + '{"value":"own"}},"10":{"conditionalValues":{"A":{"value":"1"}}},"9":{}},'
        + '"parameterGroups":{"G":{"parameters":{"k":{},"new":{"conditionalValues":{"N":{}}}}},'
        + '"H":{"parameters":{"z":{}}}}}');
    assert.equal(jsonText(project.parameterGroups), '{"G":{"parameters":{"k":{}}}}');
});

test('a condition may be replaced by that of the file', () => {
    const template = adding(project, file, new Map([['A', 'replace']]));
    assert.equal(jsonText(template.conditions[0]), '{"name":"A","expression":"2"}');
});

test('a condition may be added under another name, which new settings use', () => {
    const template = adding(project, file, new Map([['A', 'rename']]));
    assert.deepEqual(template.conditions.map(({name, expression}) => `${name}: ${expression}`),
        ['A: 1', 'S: same', 'A 2: 2', 'N: 3']);
    assert.equal(jsonText(template.parameters['10']),
        '{"conditionalValues":{"A 2":{"value":"1"}}}');
    assert.equal(jsonText(file.conditions[0]), '{"name":"A","expression":"2","tagColor":"BLUE"}');
});

test('items of both are equal, or named with what differs', () => {
    assert.deepEqual(commonItems(project, file).equal, ['the condition S']);
    assert.deepEqual(commonItems(project, file).differing.map(({name}) => name),
        ['Default.x', 'G.k', 'the section G']);
    const setting = (value, more) => ({parameters: {a: {defaultValue: {value}, ...more}}});
    const differing = (own, given) => commonItems(own, given).differing
        .map(({difference}) => difference);
    assert.deepEqual(differing(setting('5'), setting('6')),
        ['5 in the project, 6 in the file']);
    assert.deepEqual(differing(setting('5'), setting('5', {valueType: 'STRING'})), []);
    assert.deepEqual(differing(setting('5'), setting('5', {conditionalValues: {A: {}},
        valueType: 'NUMBER'})), ['conditional values differ; type differs']);
    assert.deepEqual(commonItems({}, file), {equal: [], differing: []});
});

test('an exported draft is a file of ActiveConfig with its base and its author', () => {
    const template = {parameters: {a: {defaultValue: {value: '1'}}}, version: {description: 'd'}};
    const text = draftFile({template, base: '7'}, {name: 'Ann'}, 'p');
    const read = parseJSON(text);
    assert.equal(formatOf(read), 'ACTIVECONFIG');
    assert.deepEqual(read, {...template,
        version: {description: 'd', project: 'p', versionNumber: '7', updateUser: {name: 'Ann'}}});
});

test('a file states the version with which its draft began, in its own project', () => {
    const read = parseJSON(draftFile(
        {template: {version: {description: 'd'}}, base: '7'}, {name: 'Ann'}, 'p'));
    assert.deepEqual(statedDraft(read, 'p'), {base: '7', description: 'd'});
    assert.deepEqual(statedDraft(read, 'other'), {base: null, description: 'd'});
    assert.deepEqual(statedDraft({version: {versionNumber: '7'}}, 'p'),
        {base: '7', description: ''});
    for (const other of [{}, {version: {}}, {version: {versionNumber: 'x'}},
        {version: {versionNumber: '7', updateTime: '2026-01-01T00:00:00Z'}}]) {
        assert.equal(statedDraft(other, 'p'), null);
    }
});

/** A workspace of version 3, of whose versions `kept` have these templates. */
const workspaceOf = (kept) => ({project: 'p', versionNumber: '3', newestVersion: {versionNumber: '3'},
    checkNewest: async () => {},
    load: async () => assert.fail('version 3 is read again'),
    templateOf: async (number) => kept[number] ?? null,
    fetchTemplate: async (number) => ({template: kept[number]})});
const stated = (base) => ({version: {versionNumber: base, description: 'd'}});

test('the draft of a file is merged with what was published since', async () => {
    const requests = answerRequests(({body}) => ({body: {
        template: {merged: Object.keys(body.resolutions)}, versionNumber: '3', etag: 'e',
        conflicts: [{path: 'a'}], problems: []}}));
    const merged = await importedDraft(workspaceOf({2: {c: 2}, 3: {c: 3}}), stated('2'), {mine: 1});
    assert.deepEqual(merged, {base: '2', description: 'd', template: {merged: ['a']},
        over: {versionNumber: '3', etag: 'e', baseTemplate: {c: 3}}, conflicts: [{path: 'a'}],
        problems: []});
    assert.deepEqual(requests[0].body, {base: '2', mine: {mine: 1}, resolutions: {}});
});

for (const [what, base, expected] of [
    ['over the current version stays as it is', '3',
        {base: '3', over: {versionNumber: '3', etag: '"etag-p-3"', baseTemplate: {c: 3}}}],
    ['whose version is gone is not merged', '1', {base: '1', over: null}],
    ['over a version that the project never had is not merged', '9', {base: null, over: null}],
]) {
    test(`the draft of a file ${what}`, async () => {
        assert.deepEqual(await importedDraft(workspaceOf({3: {c: 3}}), stated(base), {mine: 1}),
            {description: 'd', template: {mine: 1}, conflicts: [], problems: [], ...expected});
    });
}

test('an empty project gets the whole file', () => {
    const template = adding({}, file);
    assert.equal(jsonText(template), jsonText(file));
    assert.notEqual(template.parameters['10'], file.parameters['10']);
});

test('a free name counts up', () => {
    const names = (...list) => ({conditions: list.map((name) => ({name}))});
    assert.equal(freeName('A', {}, {}), 'A 2');
    assert.equal(freeName('A', names('A', 'A 2'), names('A 3')), 'A 4');
});

test('settings are counted in all sections', () => {
    assert.equal(settingCount(file), 6);
    assert.equal(settingCount({}), 0);
});

test('settings that a flat file leaves out are those with a default value of an earlier name', () => {
    const value = {defaultValue: {value: 'x'}};
    assert.deepEqual(repeatedDefaults({parameters: {a: value, b: {}}, parameterGroups: {
        Home: {parameters: {a: value, b: value, c: {...value, masterKeyOnly: true}}},
        Shop: {parameters: {b: value, c: value, d: {defaultValue: {useInAppDefault: true}}}},
    }}), ['Home.a', 'Shop.b']);
    assert.deepEqual(repeatedDefaults({}), []);
});
