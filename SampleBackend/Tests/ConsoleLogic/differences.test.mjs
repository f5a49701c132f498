import assert from 'node:assert/strict';
import {test} from 'node:test';

import {countsText, isFound, isLarge, lineOf, sectionsOf}
    from '../../Sources/Console/Pages/differences/difference-sections.js';
import {differenceSummary} from '../../Sources/Console/Pages/differences/diff-view.js';
import {ExactNumber} from '../../Sources/Console/Pages/json/json.js';
import {lineDifferences, needsLines} from '../../Sources/Console/Pages/json/line-differences.js';
import {valueText} from '../../Sources/Console/Pages/controls/value-view.js';

const marks = {same: ' ', old: '-', new: '+'};

/** A row as text, such as `-a [b]`, with marked words in brackets. */
const rowText = ({kind, parts}) => marks[kind] + parts.map(({text, isMarked}) => (
    isMarked ? `[${text}]` : text)).join('');

/** All rows of blocks; folded ones as their number. */
const blockTexts = (blocks) => blocks.flatMap(({before, folded, after}) => [
    ...before.map(rowText), ...(folded.length ? [`(${folded.length})`] : []), ...after.map(rowText)]);

const rows = (old, now, options) => blockTexts(lineDifferences(old, now, options).shown);

for (const [name, old, now, expected, options] of [
    ['nothing', 'a\nb', 'a\nb', [' a', ' b']],
    ['a line between', 'a\nc', 'a\nb\nc', [' a', '+b', ' c']],
    ['a line at the end', 'a', 'a\nb', [' a', '+b']],
    ['a removed line', 'a\nb\nc', 'a\nc', [' a', '-b', ' c']],
    ['a word', 'a b c', 'a x c', ['-a [b] c', '+a [x] c']],
    ['all words', 'abc', 'xyz', ['-abc', '+xyz']],
    ['only spaces in common', 'a b', 'x y', ['-a b', '+x y']],
    ['a sign', 'f(a, b)', 'f(a; b)', ['-f(a[,] b)', '+f(a[;] b)']],
    ['a letter outside of ASCII', 'größe 1', 'größe 2', ['-größe [1]', '+größe [2]']],
    ['an emoji', '😀 a', '😁 a', ['-[😀] a', '+[😁] a']],
    ['two lines for two', 'a 1\nb 1', 'a 2\nb 2',
        ['-a [1]', '-b [1]', '+a [2]', '+b [2]']],
    ['two lines for one', 'a 1\nb 1', 'a 2', ['-a 1', '-b 1', '+a 2']],
    ['an empty text', '', 'a', ['-', '+a']],
    ['a line that moved', 'a\nb\nc', 'c\na\nb', ['+c', ' a', ' b', '-c']],
    ['a line that is there twice', 'a\na\nb', 'a\nb', [' a', '-a', ' b']],
    ['JSON by members', '{"a":1,"b":2}', '{"a": 1, "b": 3}',
        [' {', '   "a": 1,', '-  "b": [2]', '+  "b": [3]', ' }']],
    ['JSON by white space alone', '{"a":1}', '{"a": 1}', ['-{"a":1}', '+{"a":[ ]1}']],
    ['the digits of JSON', '[1.0]', '[1.00]', [' [', '-  1.[0]', '+  1.[00]', ' ]']],
    ['what only begins like JSON', '{a 1', '{a 2', ['-{a [1]', '+{a [2]']],
    ['JSON as a text', '{"a":1}', '{"a":2}', ['-{"a":[1]}', '+{"a":[2]}'], {isText: true}],
]) {
    test(`${name}: the lines of ${JSON.stringify(old)} become ${JSON.stringify(now)}`, () => {
        assert.deepEqual(rows(old, now, options), expected);
    });
}

/** Lines with numbers from 1. */
const numbered = (count, edit = (line) => line) => Array.from({length: count}, (_, index) => (
    edit(`line ${index + 1}`, index + 1))).join('\n');

test('unchanged lines away from a change are folded', () => {
    const now = numbered(20, (line, number) => (number === 10 ? 'other' : line));
    assert.deepEqual(rows(numbered(20), now), ['(7)', ' line 8', ' line 9', '-line 10', '+other',
        ' line 11', ' line 12', '(8)']);
});

test('a few unchanged lines are shown, folding would not shorten them', () => {
    const now = numbered(9, (line, number) => (number === 5 ? 'other' : line));
    assert.equal(rows(numbered(9), now).filter((text) => text.startsWith('(')).length, 0);
    const more = numbered(10, (line, number) => (number === 6 ? 'other' : line));
    assert.ok(rows(numbered(10), more)[0].startsWith('('));
});

test('lines between two changes are folded but for two at each end', () => {
    const now = numbered(20, (line, number) => ([1, 20].includes(number) ? 'other' : line));
    assert.deepEqual(rows(numbered(20), now), ['-line 1', '+other', ' line 2', ' line 3', '(14)',
        ' line 18', ' line 19', '-line 20', '+other']);
});

test('lines after the fortieth are the rest', () => {
    const now = numbered(100, (line, number) => (number % 2 ? `${line} x` : line));
    const {shown, rest} = lineDifferences(numbered(100), now);
    assert.ok(blockTexts(shown).length >= 40 && blockTexts(rest).length > 40);
    assert.equal(blockTexts([...shown, ...rest]).length, 150);
});

test('texts that are too long to compare count as changed between their ends', () => {
    const [old, now] = [numbered(1200, (line) => `old ${line}`), numbered(1200, (line) => `new ${line}`)];
    const {shown} = lineDifferences(`same\n${old}\nsame`, `same\n${now}\nsame`);
    assert.equal(shown[0].before.length, 1);
    assert.equal(shown.filter(({kind}) => kind === 'same').length, 1);
    assert.equal(shown[1].kind, 'old');
});

test('every line of both texts is a row', () => {
    let state = 7;
    const random = (limit) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor(state / 2 ** 32 * limit);
    };
    for (let step = 0; step < 300; step += 1) {
        const text = () => Array.from({length: random(12)}, () => 'abc'[random(3)]).join('\n');
        const [old, now] = [text(), text()];
        const {shown, rest} = lineDifferences(old, now);
        const all = [...shown, ...rest].flatMap(({before, folded, after}) => (
            [...before, ...folded, ...after]));
        const side = (kinds) => all.filter(({kind}) => kinds.includes(kind))
            .map(({parts}) => parts.map((part) => part.text).join('')).join('\n');
        assert.equal(side(['same', 'old']), old, `seed 7, step ${step}`);
        assert.equal(side(['same', 'new']), now, `seed 7, step ${step}`);
    }
});

test('long texts and texts of several lines are compared by lines', () => {
    assert.ok(!needsLines('a', 'x'.repeat(80)));
    assert.ok(needsLines('a', 'x'.repeat(81)));
    assert.ok(needsLines('a\nb', ''));
});

for (const [changes, text] of [
    [[0, 0, 0], 'Nothing'], [[1, 0, 0], '1 setting'], [[2, 1, 0], '2 settings, 1 condition'],
    [[0, 2, 3], '2 conditions, 3 sections'], [[1000, 0, 0], '1,000 settings'],
]) {
    test(`differences are counted as ${text}`, () => {
        const [parameters, conditions, groups] = changes.map((length) => Array.from({length}));
        assert.equal(differenceSummary({parameters, conditions, groups}), text);
    });
}

for (const [name, value, text] of [
    ['no value', undefined, ''], ['a value', {value: 'x'}, 'x'], ['an empty one', {value: ''}, ''],
    ['a default of the app', {useInAppDefault: true}, 'In-app default'],
    ['a value with more', {value: 'x', note: 1}, '{"value":"x","note":1}'],
    ['a personalization', {personalizationValue: {id: 'p'}}, '{"personalizationValue":{"id":"p"}}'],
    ['a text', 'a', 'a'], ['null', null, 'null'], ['a number', new ExactNumber('1.10'), '1.10'],
    ['a list', [1], '[1]'], ['a value that is no text', {value: 1}, '{"value":1}'],
]) test(`${name} is shown as "${text}"`, () => assert.equal(valueText(value), text));

/** A difference of a setting. */
const changed = (section, key, parts = [], change = 'CHANGED') => ({section, key, parts, change});

/** Differences of a number of settings. */
const many = (number, parts = []) => ({conditions: [], groups: [],
    parameters: Array.from({length: number}, (_, n) => changed('A', `key_${n}`, parts))});

test('many differences, or many parts of them, are folded', () => {
    assert.equal(isLarge(many(50)), false);
    assert.equal(isLarge(many(51)), true);
    assert.equal(isLarge(many(1, Array.from({length: 301}, () => ({name: 'x'})))), true);
});

test('differences are grouped by section, in the order of their numbers', () => {
    const sections = sectionsOf({
        parameters: [changed('Part 10', 'a'), changed('Part 2', 'b', [], 'ADDED'),
            changed('Part 10', 'c', [], 'REMOVED')],
        conditions: [{change: 'CHANGED', name: 'Beta', parts: []}],
        groups: [{change: 'ADDED', name: 'Part 2', parts: []}]});
    assert.deepEqual(
        sections.map(({kind, title, items}) => [kind, title, items.map(({label}) => label)]), [
            ['setting', 'Part 2', ['Part 2.b']],
            ['setting', 'Part 10', ['Part 10.a', 'Part 10.c']],
            ['condition', 'Conditions', ['Beta']],
            ['group', 'Sections', ['Part 2']]]);
    assert.deepEqual(sections.map(({counts}) => countsText(counts)),
        ['1 added', '1 changed, 1 removed', '1 changed', '1 added']);
});

test('a section called Conditions is not that of the conditions', () => {
    const sections = sectionsOf({parameters: [changed('Conditions', 'a')], groups: [],
        conditions: [{change: 'ADDED', name: 'Beta', parts: []}]});
    assert.deepEqual(sections.map(({kind}) => kind), ['setting', 'condition']);
});

for (const [name, parts, expected] of [
    ['a default value', [{name: 'description', old: 'a'},
        {name: 'defaultValue', old: {value: '1'}, new: {value: '2'}}],
    {name: 'defaultValue', old: '1', now: '2', others: 1}],
    ['an added text of several lines', [{name: 'defaultValue', new: {value: '{\n  "a": 1}'}}],
        {name: 'defaultValue', old: null, now: '{ "a": 1}', others: 0}],
    ['an empty text', [{name: 'description', old: 'a', new: ''}],
        {name: 'description', old: 'a', now: '(empty)', others: 0}],
    ['nothing', [], {name: null, old: null, now: null, others: 0}],
]) test(`the line of a difference shows ${name}`, () => {
    assert.deepEqual(lineOf(changed('A', 'b', parts)), expected);
});

test('a search finds words in names and in the parts of a difference', () => {
    const [{items: [listed]}] = sectionsOf({conditions: [], groups: [], parameters: [
        changed('Views', 'Label', [{name: 'conditionalValues.Beta', new: {value: 'x'}}])]});
    assert.equal(isFound(listed, ['views.', 'beta']), true);
    assert.equal(isFound(listed, ['views', 'gamma']), false);
});
