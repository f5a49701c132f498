import './browser.mjs';

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {massRemoval, removalText}
    from '../../Sources/Console/Pages/review/mass-removal.js';
import {isEmptyTemplate, lostSettings, removals}
    from '../../Sources/Console/Pages/template/removals.js';

test('a replacement removes what it lacks', () => {
    const template = {conditions: [{name: 'a'}, {name: 'b'}], parameters: {x: {}, y: {}},
        parameterGroups: {G: {parameters: {x: {}}}}};
    assert.deepEqual(removals(template, {}), {settings: 3, sections: 1, conditions: 2});
    assert.deepEqual(removals(template, template), {settings: 0, sections: 0, conditions: 0});
    assert.deepEqual(removals(template, {conditions: [{name: 'b'}], parameters: {x: {}}}),
        {settings: 2, sections: 1, conditions: 1});
    assert.deepEqual(removals({}, template), {settings: 0, sections: 0, conditions: 0});
});

test('a section without settings is removed, too', () => {
    const template = {parameterGroups: {Home: {description: 'Written', parameters: {}}}};
    assert.equal(isEmptyTemplate(template), false);
    assert.deepEqual(removals(template, {parameters: {x: {}}}),
        {settings: 0, sections: 1, conditions: 0});
    assert.equal(isEmptyTemplate({parameterGroups: {}, parameters: {}, conditions: []}), true);
});

const settings = (...keys) => (
    {parameters: Object.fromEntries(keys.map((key) => [key, {}]))});

test('a publish is confirmed if it removes more than half of the settings', () => {
    const current = settings('a', 'b', 'c', 'd');
    assert.equal(massRemoval(current, settings('a', 'b')), null);
    assert.equal(massRemoval(current, settings('a', 'b', 'x')), null);
    assert.deepEqual(massRemoval(current, settings('a', 'x')), {removed: 3, total: 4});
    assert.deepEqual(massRemoval(current, {}), {removed: 4, total: 4});
    assert.equal(massRemoval({}, {}), null);
    assert.equal(massRemoval({}, current), null);
});

test('archived settings count as removed', () => {
    const archived = (...keys) => ({parameters: Object.fromEntries(
        keys.map((key) => [key, {archived: true}]))});
    const current = settings('a', 'b', 'c');
    const {parameters} = settings('c');
    assert.deepEqual(massRemoval(current, {parameters: {...archived('a', 'b').parameters,
        ...parameters}}), {removed: 2, total: 3, archives: true});
    assert.equal(massRemoval(current, {parameters: {...archived('a').parameters,
        ...settings('b', 'c').parameters}}), null);
    // Nobody loses what was archived before.
    assert.equal(massRemoval(archived('a', 'b', 'c'), {}), null);
    assert.equal(massRemoval(archived('a', 'b', 'c'), current), null);
    assert.match(removalText({removed: 2, total: 3, archives: true}),
        /^This removes or archives 2 of 3 settings\. /);
});

test('a setting outside of groups is the same in a group named Default', () => {
    assert.equal(massRemoval(settings('a'), {parameterGroups: {Default: settings('a')}}), null);
});

test('the question has the numbers', () => {
    for (const [removed, total, text] of [[3, 4, '3 of 4 settings'],
        [3000, 3000, 'all 3,000 settings'], [1, 1, 'the only setting']]) {
        assert.ok(removalText({removed, total}).startsWith(`This removes ${text}. `));
    }
});

test('a setting that is in another section afterwards is not lost', () => {
    const group = (...keys) => ({parameterGroups: {Home: settings(...keys)}});
    assert.equal(lostSettings(settings('a', 'b', 'c'), settings('a')), 2);
    assert.equal(lostSettings(settings('a', 'b', 'c'), group('a', 'b')), 1);
    assert.equal(lostSettings({...settings('a'), ...group('a')}, settings('a')), 1);
    assert.equal(lostSettings(settings('a', 'b'), settings('c', 'd')), 2);
    assert.equal(lostSettings({}, settings('a')), 0);
});
