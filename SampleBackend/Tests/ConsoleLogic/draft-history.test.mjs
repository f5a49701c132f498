import './browser.mjs';
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {afterPublish, byteLimit, nextStep, noHistory, recorded, withinBudget}
    from '../../Sources/Console/Pages/drafts/draft-history.js';
import {baseAfter, stepBetween, templateAfter, treesOfStep}
    from '../../Sources/Console/Pages/drafts/draft-step.js';
import {names} from '../../Sources/Console/Pages/json/json.js';
import {jsonText, parseJSON} from '../../Sources/Console/Pages/json/json-text.js';
import {nameOfStep} from '../../Sources/Console/Pages/drafts/step-name.js';
import {mergeTrees} from '../../Sources/Console/Pages/json/tree-merge.js';

const values = (content) => ({parameters: Object.fromEntries(
    Object.entries(content).map(([key, value]) => [key, {defaultValue: {value}}]))});
const stepOf = (before, after, bases = ['1', '1']) => stepBetween(
    {template: before, base: bases[0]}, {template: after, base: bases[1]}, nameOfStep);
/** A history of the edits from one template to the next. */
const historyOf = (...templates) => templates.slice(1).reduce(
    (history, template, index) => recorded(history, stepOf(templates[index], template)), noHistory);
const shown = (template, base = '1', version = '1') => ({template, base, version});
/** Undoes or redoes one step; returns the template and the history. */
const stepped = (history, isUndo, template) => {
    const {from, to, history: rest} = nextStep(history, isUndo, shown(template));
    return [templateAfter(from, to, template).template, rest];
};

test('steps are undone and redone in their order', () => {
    const [one, two, three] = [values({a: '1'}), values({a: '2'}), values({a: '2', b: '3'})];
    let [template, history] = stepped(historyOf(one, two, three), true, three);
    assert.deepEqual(template, two);
    [template, history] = stepped(history, true, template);
    assert.deepEqual(template, one);
    assert.equal(nextStep(history, true, shown(template)), null);
    [template, history] = stepped(history, false, template);
    assert.deepEqual(template, two);
    [template, history] = stepped(history, false, template);
    assert.deepEqual(template, three);
    assert.equal(nextStep(history, false, shown(template)), null);
});

test('an edit ends what can be redone', () => {
    const [one, two, three] = [values({a: '1'}), values({a: '2'}), values({a: '3'})];
    const [template, history] = stepped(historyOf(one, two), true, two);
    const next = recorded(history, stepOf(template, three));
    assert.equal(nextStep(next, false, shown(three)), null);
    assert.equal(nextStep(next, true, shown(three)).name, 'a 3');
});

test('a step that changes nothing is none', () => {
    assert.equal(stepOf(values({a: '1'}), values({a: '1'})), null);
    assert.equal(recorded(noHistory, null).done.length, 0);
});

test('undo takes back its own change, not those of others', () => {
    const history = historyOf(values({a: '1', b: '1'}), values({a: '2', b: '1'}));
    const [template] = stepped(history, true, values({a: '2', b: '9', c: '5'}));
    assert.deepEqual(template, values({a: '1', b: '9', c: '5'}));
});

test('undo keeps a value that others changed since, and says so', () => {
    const step = stepOf(values({a: '1', b: '1'}), values({a: '2', b: '2'}));
    const {template, kept} = templateAfter(step.after, step.before, values({a: '9', b: '2'}));
    assert.deepEqual(template, values({a: '9', b: '1'}));
    assert.deepEqual(kept, [['parameters', 'a', 'defaultValue', 'value']]);
});

test('a step that others have overwritten is passed over', () => {
    const [one, two, three] = [
        values({a: '1', b: '1'}), values({a: '2', b: '1'}), values({a: '2', b: '2'})];
    const history = historyOf(one, two, three);
    const next = nextStep(history, true, shown(values({a: '2', b: '9'})));
    assert.equal(next.name, 'a 2');
    assert.deepEqual(next.history.done, []);
    assert.equal(nextStep(history, true, shown(values({a: '9', b: '9'}))), null);
});

for (const [name, from, to, base, result] of [
    ['an edit of a draft', '1', '1', '1', '1'],
    ['an edit of a draft that others have merged with a version', '1', '1', '2', '2'],
    ['an edit whose draft others have discarded', '1', '1', null, null],
    ['the first edit', '1', null, '1', '1'],
    ['the first edit, again', null, '1', null, '1'],
    ['the first edit, again, over the draft of another tab', null, '1', '2', '2'],
    ['a merge with a version', '2', '1', '2', '1'],
    ['a merge with a version, again', '1', '2', '1', '2'],
    ['a merge with a version, which another merge followed', '2', '1', '3', undefined],
    ['a merge with a version whose draft is gone', '2', '1', null, undefined],
]) {
    test(`the base after ${name} is ${result}`, () => {
        assert.equal(baseAfter({base: from}, {base: to}, base), result);
    });
}

test('a merge that no longer applies is passed over', () => {
    const [one, two] = [values({a: '1'}), values({a: '2', b: '1'})];
    const merge = recorded(noHistory, stepOf(one, two, ['1', '2']));
    assert.equal(nextStep(merge, true, shown(two, '2', '2')).base, '1');
    assert.equal(nextStep(merge, true, shown(two, '3', '3')), null);
});

test('edits of the description that follow each other are one step', () => {
    const plain = values({a: '1'});
    const [first, second] = ['W', 'Why'].map((description) => ({...plain, version: {description}}));
    const history = historyOf(plain, first, second);
    assert.equal(history.done.length, 1);
    const [template, rest] = stepped(history, true, second);
    assert.deepEqual(template, plain);
    assert.deepEqual(stepped(rest, false, plain)[0], second);
    assert.equal(historyOf(plain, first, {...values({a: '2'}), version: first.version}).done.length, 2);
});

test('a publish ends the steps that it published', () => {
    const [one, two, three] = [values({a: '1'}), values({a: '2'}), values({a: '2', b: '1'})];
    const history = historyOf(one, two, three);
    assert.deepEqual(afterPublish(history, three, three), noHistory);
    assert.deepEqual(afterPublish(history, three, two).done.map(({name}) => name), ['add b']);
});

test('a publish of some changes keeps the steps of the others', () => {
    const [one, two, three] = [values({a: '1'}), values({a: '1', b: '1'}), values({a: '2', b: '1'})];
    const history = historyOf(one, two, three);
    assert.deepEqual(afterPublish(history, three, values({a: '2'})).done.map(({name}) => name),
        ['add b']);
    // A step of both would undo what is published.
    assert.deepEqual(afterPublish(historyOf(one, three), three, values({a: '2'})), noHistory);
});

test('the oldest steps go when there are more than a hundred', () => {
    const templates = Array.from({length: 103}, (_, index) => values({a: String(index)}));
    const {done} = historyOf(...templates);
    assert.equal(done.length, 100);
    assert.deepEqual([done[0].name, done.at(-1).name], ['a 3', 'a 102']);
});

test('the oldest steps go when all take too many bytes', () => {
    const long = (letter) => values({a: letter.repeat(byteLimit / 10)});
    const {done} = historyOf(...[...'abcdefgh'].map(long));
    assert.ok(2 * jsonText(done).length <= byteLimit);
    assert.equal(done.at(-1).after.template.parameters.a.defaultValue.value[0], 'h');
    assert.ok(done.length >= 2 && done.length < 7);
});

test('a step that is too large for the storage is kept in the page only', () => {
    const history = historyOf(values({a: '1'}), values({a: 'x'.repeat(byteLimit)}));
    assert.equal(history.done.length, 1);
    assert.deepEqual(withinBudget(history, {isStored: true}), noHistory);
});

test('a step of a large template is small', () => {
    const large = values(Object.fromEntries(
        Array.from({length: 3000}, (_, index) => [`setting${index}`, 'value'])));
    const changed = {parameters: {...large.parameters, setting7: {defaultValue: {value: 'x'}}}};
    assert.ok(jsonText(stepOf(large, changed)).length < 500);
    const {setting9, ...fewer} = large.parameters;
    assert.ok(jsonText(stepOf(large, {parameters: fewer})).length < 500);
});

/** Repeatable random numbers below a limit. */
function randomNumbers(seed) {
    let state = seed;
    return (limit) => {
        state = (state * 1103515245 + 12345) % 2147483648;
        return Math.floor((state / 2147483648) * limit);
    };
}

/** A tree with random members, lists of named items, and values. */
function randomTree(random, depth = 3) {
    const letters = [...'abcdef'].sort(() => random(3) - 1).slice(0, random(6) + 1);
    if (depth === 0) return String(random(3));
    if (random(4) === 0) return letters.map((name) => ({name, value: randomTree(random, depth - 1)}));
    return Object.fromEntries(letters.map((name) => [name, randomTree(random, depth - 1)]));
}

/** A tree with some parts of another one. */
function mixed(random, tree, other, depth = 0) {
    const isTree = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isTree(tree) || !isTree(other) || random(6) === 0) return random(3) ? tree : other;
    const keys = [...new Set([...names(tree), ...names(other)])].filter(() => random(8) > 0);
    return Object.fromEntries(keys.map((name) => [name, !(name in other) ? tree[name]
        : name in tree ? mixed(random, tree[name], other[name], depth + 1) : other[name]])
        .filter(([, value]) => value !== undefined));
}

test('the parts of a step merge as the whole trees do (seeds 1 to 3000)', () => {
    for (let seed = 1; seed <= 3000; seed += 1) {
        const random = randomNumbers(seed);
        const before = {root: randomTree(random)};
        const after = {root: mixed(random, before.root, randomTree(random))};
        const current = {root: mixed(random, after.root, randomTree(random))};
        const parts = parseJSON(jsonText(treesOfStep(before, after) ?? [{}, {}]));
        for (const [from, to] of [[0, 1], [1, 0]]) {
            const whole = [before, after];
            const [conflicts, partConflicts] = [[], []];
            const expected = mergeTrees(whole[from], current, whole[to], [], conflicts);
            const found = mergeTrees(parts[from], current, parts[to], [], partConflicts);
            assert.deepEqual(found, expected, `seed ${seed}`);
        }
    }
});

test('undo restores a template exactly, with the order of its members (seeds 1 to 3000)', () => {
    for (let seed = 1; seed <= 3000; seed += 1) {
        const random = randomNumbers(seed);
        const before = {root: randomTree(random)};
        const after = {root: mixed(random, before.root, randomTree(random))};
        const [old, now] = treesOfStep(before, after) ?? [{}, {}];
        assert.equal(jsonText(mergeTrees(now, after, old)), jsonText(before), `seed ${seed}`);
        assert.equal(jsonText(mergeTrees(old, before, now)), jsonText(after), `seed ${seed}`);
    }
});

const group = (parameters, more = {}) => ({parameterGroups: {G: {...more, parameters}}});
const setting = (value, more = {}) => ({defaultValue: {value}, ...more});
const condition = (name, expression = 'true') => ({name, expression});

for (const [name, before, after] of [
    ['isOn true', group({isOn: setting('false')}), group({isOn: setting('true')})],
    ['title empty', group({title: setting('x')}), group({title: setting('')})],
    ['color In-app default', group({color: setting('x')}),
        group({color: {defaultValue: {useInAppDefault: true}}})],
    ['text abcdefghijklmnopqrstuvwxyz01234…', values({text: ''}),
        values({text: 'abcdefghijklmnopqrstuvwxyz0123456789'})],
    ['a 2 for Germany', values({a: '1'}),
        {parameters: {a: setting('1', {conditionalValues: {Germany: {value: '2'}}})}}],
    ['a, no value for Germany',
        {parameters: {a: setting('1', {conditionalValues: {Germany: {value: '2'}, B: {value: '3'}}})}},
        {parameters: {a: setting('1', {conditionalValues: {B: {value: '3'}}})}}],
    ['a', values({a: '1'}), {parameters: {a: setting('2', {description: 'x'})}}],
    ['add isOn', group({}), group({isOn: setting('true')})],
    ['delete isOn', group({isOn: setting('true')}), group({})],
    ['rename a to b', values({a: '1'}), values({b: '1'})],
    ['move a', {...values({a: '1'}), ...group({})}, {parameters: {}, ...group({a: setting('1')})}],
    ['move 2 settings', {...values({a: '1', b: '1'}), ...group({})},
        {parameters: {}, ...group({a: setting('1'), b: setting('1')})}],
    ['add 2 settings', values({}), values({a: '1', b: '1'})],
    ['delete 2 settings', values({a: '1', b: '1'}), values({})],
    ['2 settings', values({a: '1', b: '1'}), values({a: '2', b: '2'})],
    ['add the condition X', {conditions: []}, {conditions: [condition('X')]}],
    ['the condition X', {conditions: [condition('X')]}, {conditions: [condition('X', 'false')]}],
    ['delete the condition X',
        {conditions: [condition('X')], parameters: {a: setting('1', {conditionalValues: {X: {value: '2'}}})}},
        {conditions: [], parameters: {a: setting('1')}}],
    ['rename the condition X to Y',
        {conditions: [condition('X')], parameters: {a: setting('1', {conditionalValues: {X: {value: '2'}}})}},
        {conditions: [condition('Y')], parameters: {a: setting('1', {conditionalValues: {Y: {value: '2'}}})}}],
    ['the order of the conditions', {conditions: [condition('X'), condition('Y')]},
        {conditions: [condition('Y'), condition('X')]}],
    ['add the section G', {}, group({})],
    ['delete the section G', group({a: setting('1')}), {}],
    ['rename the section G to H', group({a: setting('1')}),
        {parameterGroups: {H: {parameters: {a: setting('1')}}}}],
    ['the section G', group({}), group({}, {description: 'x'})],
    ['the description of the version', {}, {version: {description: 'x'}}],
    ['a 2, the condition X', {...values({a: '1'}), conditions: [condition('X')]},
        {...values({a: '2'}), conditions: [condition('X', 'false')]}],
    ['the draft', {more: 1}, {more: 2}],
]) {
    test(`a step is called ${name}`, () => assert.equal(stepOf(before, after).name, name));
}
