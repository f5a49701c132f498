import assert from 'node:assert/strict';
import {test} from 'node:test';

import {fixture} from './fixtures.mjs';
import {usesByCondition} from '../../Sources/Console/Pages/template/condition-uses.js';
import {names} from '../../Sources/Console/Pages/json/json.js';
import {jsonText, parseJSON} from '../../Sources/Console/Pages/json/json-text.js';
import {revertingCondition, revertingGroup, revertingSetting}
    from '../../Sources/Console/Pages/review/revert.js';
import {conditions, defaultSection, editingParametersAt, movingCondition, movingParameters,
    parameter, removingCondition, removingGroup, removingParameters, sections, settingAt,
    settingCondition, settingGroup, settingParameter, tagColors, withConditionalValue,
    withoutVersion} from '../../Sources/Console/Pages/template/template.js';
import {typeName, valueTypes} from '../../Sources/Console/Pages/template/value-types.js';

const text = '{"conditions":[{"name":"A","expression":"true"},{"name":"B","expression":"false"},'
    + '{"name":"C","expression":"true"}],"parameters":{"x":{"defaultValue":{"value":"1"},'
    + '"conditionalValues":{"A":{"value":"a"},"C":{"value":"c"}}},"y":{"defaultValue":{"value":"2"}}},'
    + '"parameterGroups":{"Home":{"description":"At home","parameters":{"x":{"conditionalValues":'
    + '{"B":{"value":"b"}}},"10":{"defaultValue":{"value":"3"}},"9":{}}},"Empty":{}},"unknown":1.0}';
const template = parseJSON(text);
const namesOf = (list) => list.map(({name}) => name).join('');

/** Edits the template; checks that the original is not changed. */
function edited(edit) {
    const result = edit(template);
    assert.equal(jsonText(template), text, 'an edit changed the template that it was given');
    return result;
}

test('the names that the server has too are the same', () => {
    const shared = fixture('TemplatesTests/Fixtures/template-names.json');
    assert.equal(defaultSection, shared.defaultSection);
    assert.deepEqual(valueTypes.map(([type]) => type).sort(), shared.valueTypes);
    assert.deepEqual([...tagColors].sort(), shared.tagColors);
});

test('a parameter without a type is a text', () => {
    assert.equal(typeName(undefined), 'Text');
    assert.equal(typeName('JSON'), 'JSON');
    assert.equal(typeName('LATER'), 'LATER');
});

test('sections are those outside of groups first, then the groups in their order', () => {
    assert.deepEqual(sections(template).map(({group, name, description, settings}) => (
        [group, name, description, settings.map(({key}) => key)])), [
        [null, 'Default', '', ['x', 'y']], ['Home', 'Home', 'At home', ['x', '10', '9']],
        ['Empty', 'Empty', '', []]]);
});

test('a template without parameters outside of groups has no such section', () => {
    assert.deepEqual(sections(parseJSON('{"parameters":{},"parameterGroups":{"a":{}}}'))
        .map(({group}) => group), ['a']);
    assert.deepEqual(sections({}), []);
    assert.deepEqual(conditions({}), []);
});

test('a parameter is found by its group and key', () => {
    assert.equal(parameter(template, 'Home', '10').defaultValue.value, '3');
    assert.equal(parameter(template, null, 'x').defaultValue.value, '1');
    assert.equal(parameter(template, 'None', 'x'), undefined);
    assert.equal(parameter(template, null, 'constructor'), undefined);
    assert.equal(parameter({}, null, 'x'), undefined);
});

test('the section Default has the parameters outside of groups and those of its group', () => {
    const both = parseJSON('{"parameters":{"a":{}},"parameterGroups":{"Default":{"parameters":'
        + '{"b":{}}}}}');
    assert.equal(settingAt(both, 'Default', 'a').group, null);
    assert.equal(settingAt(both, 'Default', 'b').group, 'Default');
    assert.equal(settingAt(both, 'Default', 'c'), undefined);
    assert.equal(settingAt(template, 'Home', 'x').group, 'Home');
    assert.equal(settingAt(template, 'Home', 'y'), undefined);
});

test('a setting is replaced at its place', () => {
    const result = edited((old) => settingParameter(old, 'Home', '10', {a: 1}));
    assert.deepEqual(names(result.parameterGroups.Home.parameters), ['x', '10', '9']);
    assert.equal(jsonText(parameter(result, 'Home', '10')), '{"a":1}');
});

test('an edit shares the unchanged parts', () => {
    const result = edited((old) => settingParameter(old, null, 'x', {}));
    assert.equal(result.parameterGroups, template.parameterGroups);
    assert.equal(result.conditions, template.conditions);
    assert.equal(result.parameters.y, template.parameters.y);
});

test('a renamed setting keeps its place', () => {
    const result = edited((old) => settingParameter(old, 'Home', '7', {}, '10'));
    assert.deepEqual(names(result.parameterGroups.Home.parameters), ['x', '7', '9']);
});

test('a setting that is gone meanwhile is added under its new name', () => {
    const result = edited((old) => settingParameter(old, 'Home', 'new', {}, 'gone'));
    assert.deepEqual(names(result.parameterGroups.Home.parameters), ['x', '10', '9', 'new']);
});

test('the first setting outside of groups makes their section', () => {
    assert.equal(jsonText(settingParameter({}, null, 'a', {})), '{"parameters":{"a":{}}}');
    assert.equal(jsonText(settingParameter(parseJSON('{"parameterGroups":{"g":{}}}'), 'g', 'a', {})),
        '{"parameterGroups":{"g":{"parameters":{"a":{}}}}}');
});

test('settings of several sections are edited together', () => {
    const result = edited((old) => editingParametersAt(old,
        [{group: null, key: 'x'}, {group: 'Home', key: '9'}], () => 'new'));
    assert.equal(result.parameters.x, 'new');
    assert.equal(result.parameterGroups.Home.parameters['9'], 'new');
    assert.equal(result.parameters.y, template.parameters.y);
});

test('settings are removed, and their section stays', () => {
    const result = edited((old) => removingParameters(old,
        [{group: 'Home', key: 'x'}, {group: 'Home', key: '10'}, {group: 'Home', key: '9'}]));
    assert.equal(jsonText(result.parameterGroups.Home),
        '{"description":"At home","parameters":{}}');
});

test('settings move to the end of another section', () => {
    const result = edited((old) => movingParameters(old,
        [{group: null, key: 'y'}, {group: 'Home', key: '9'}], 'Home'));
    assert.deepEqual(names(result.parameters), ['x']);
    assert.deepEqual(names(result.parameterGroups.Home.parameters), ['x', '10', '9', 'y']);
    const outside = edited((old) => movingParameters(old, [{group: 'Home', key: '10'}], null));
    assert.deepEqual(names(outside.parameters), ['x', 'y', '10']);
});

test('conditional values keep the order of the conditions', () => {
    const content = template.parameters.x;
    assert.deepEqual(names(withConditionalValue(template, content, 'B', {value: 'b'})
        .conditionalValues), ['A', 'B', 'C']);
    assert.deepEqual(names(withConditionalValue(template, content, 'A', undefined)
        .conditionalValues), ['C']);
    assert.equal(withConditionalValue(template, {}, 'B', {value: ''}).conditionalValues.B.value, '');
});

test('the last conditional value takes the list with it', () => {
    assert.equal(jsonText(withConditionalValue(
        template, {conditionalValues: {B: {}}}, 'B', undefined)), '{}');
});

test('a section is added, renamed in place, and described', () => {
    const added = edited((old) => settingGroup(old, 'New', 'About'));
    assert.equal(jsonText(added.parameterGroups.New), '{"parameters":{},"description":"About"}');
    const renamed = edited((old) => settingGroup(old, '7', '', 'Home'));
    assert.deepEqual(names(renamed.parameterGroups), ['7', 'Empty']);
    assert.deepEqual(names(renamed.parameterGroups['7']), ['parameters']);
    assert.equal(jsonText(settingGroup({}, 'a', '').parameterGroups), '{"a":{"parameters":{}}}');
});

test('a section is removed with its settings', () => {
    assert.deepEqual(names(edited((old) => removingGroup(old, 'Home')).parameterGroups), ['Empty']);
});

test('a renamed condition is renamed in the values for it, in their order', () => {
    const result = edited((old) => settingCondition(old, 0, {name: 'Z', expression: 'true'}));
    assert.equal(namesOf(result.conditions), 'ZBC');
    assert.deepEqual(names(result.parameters.x.conditionalValues), ['Z', 'C']);
    assert.equal(result.parameters.y, template.parameters.y);
    assert.equal(result.parameterGroups, template.parameterGroups);
});

test('a condition is added after the last, and changes no setting', () => {
    const result = edited((old) => settingCondition(old, 3, {name: 'D'}));
    assert.equal(namesOf(result.conditions), 'ABCD');
    assert.equal(result.parameters, template.parameters);
});

test('a removed condition goes with its values', () => {
    const result = edited((old) => removingCondition(old, 'B'));
    assert.equal(namesOf(result.conditions), 'AC');
    assert.equal(jsonText(result.parameterGroups.Home.parameters.x), '{"conditionalValues":{}}');
    assert.equal(result.parameters, template.parameters);
});

for (const [from, to, order] of [[0, 2, 'BCA'], [2, 0, 'CAB'], [1, 1, 'ABC'], [0, 1, 'BAC']]) {
    test(`a condition moves from ${from} to ${to}`, () => {
        assert.equal(namesOf(edited((old) => movingCondition(old, from, to)).conditions), order);
    });
}

test('the version is not part of the content', () => {
    assert.equal(jsonText(withoutVersion(parseJSON('{"a":1,"version":{"b":2}}'))), '{"a":1}');
});

test('a template without its version keeps the order of its members', () => {
    assert.equal(jsonText(withoutVersion(parseJSON('{"b":1,"10":2,"version":{},"9":3}'))),
        '{"b":1,"10":2,"9":3}');
});

test('the settings that use a condition are listed by it', () => {
    assert.deepEqual([...usesByCondition(template)],
        [['A', ['Default.x']], ['C', ['Default.x']], ['B', ['Home.x']]]);
    const more = settingParameter(template, 'Home', 'k', {conditionalValues: {A: {value: ''}}});
    assert.deepEqual(usesByCondition(more).get('A'), ['Default.x', 'Home.k']);
});

const base = parseJSON('{"conditions":[{"name":"A","e":1},{"name":"B","e":1},{"name":"C","e":1}],'
    + '"parameters":{"x":{"v":1}},"parameterGroups":{"G":{"description":"d","parameters":'
    + '{"k":{"v":1}}}}}');

for (const [name, change, place, expected] of [
    ['changed', '{"parameters":{"x":{"v":2}}}', ['Default', 'x'], '{"parameters":{"x":{"v":1}}}'],
    ['removed', '{"parameters":{}}', ['Default', 'x'], '{"parameters":{"x":{"v":1}}}'],
    ['added', '{"parameters":{"n":{}}}', ['Default', 'n'], '{"parameters":{}}'],
    ['changed in a group', '{"parameterGroups":{"G":{"parameters":{"k":{"v":2}}}}}', ['G', 'k'],
        '{"parameterGroups":{"G":{"parameters":{"k":{"v":1}}}}}'],
    ['removed with its group', '{"parameterGroups":{}}', ['G', 'k'],
        '{"parameterGroups":{"G":{"description":"d","parameters":{"k":{"v":1}}}}}'],
    ['added in a group', '{"parameterGroups":{"G":{"parameters":{"n":{}}}}}', ['G', 'n'],
        '{"parameterGroups":{"G":{"parameters":{}}}}'],
    ['unknown to both', '{"a":1}', ['G', 'none'], '{"a":1}'],
]) {
    test(`a setting that was ${name} is taken back`, () => {
        const [section, key] = place;
        assert.equal(jsonText(revertingSetting(parseJSON(change), base, {section, key})), expected);
    });
}

for (const [now, name, expected, moved = ''] of [
    ['A B* C', 'B', 'A B C'], ['A C', 'B', 'A B C'], ['B C', 'A', 'A B C'], ['A B', 'C', 'A B C'],
    ['C A', 'B', 'C A B', 'C'], ['B A C', 'B', 'A B C', 'B'], ['N A B C', 'N', 'A B C'],
    ['C', 'B', 'B C'], ['A N C', 'B', 'A B N C'], ['B* C A', 'B', 'B C A', 'A'],
    ['C B A*', 'C', 'B C A*', 'AC'],
]) {
    test(`the condition ${name} of ${now} is taken back`, () => {
        const list = now.split(' ').map((part) => (
            {name: part[0], e: part.endsWith('*') ? 2 : 1}));
        const result = revertingCondition({conditions: list}, base, {name}, {conditions:
            [...moved].map((each) => ({name: each, parts: [{name: 'position'}]}))});
        assert.equal(result.conditions.map((each) => (
            each.name + (each.e === 2 ? '*' : ''))).join(' '), expected);
    });
}

test('an added condition is taken back with its values', () => {
    const now = parseJSON('{"conditions":[{"name":"N"}],"parameters":{"x":{"conditionalValues":'
        + '{"N":{}}}}}');
    assert.equal(jsonText(revertingCondition(now, base, {name: 'N'}, {conditions: []})),
        '{"conditions":[],"parameters":{"x":{"conditionalValues":{}}}}');
});

for (const [name, now, expected] of [
    ['a description', '{"parameterGroups":{"G":{"description":"new","parameters":{"n":{}}}}}',
        '{"parameterGroups":{"G":{"description":"d","parameters":{"n":{}}}}}'],
    ['a removed section', '{"parameterGroups":{}}',
        '{"parameterGroups":{"G":{"description":"d","parameters":{"k":{"v":1}}}}}'],
]) {
    test(`${name} is taken back`, () => {
        assert.equal(jsonText(revertingGroup(parseJSON(now), base, {name: 'G'})), expected);
    });
}

test('an added section is taken back', () => {
    assert.equal(jsonText(revertingGroup(parseJSON('{"parameterGroups":{"N":{}}}'), base,
        {name: 'N'})), '{"parameterGroups":{}}');
});
