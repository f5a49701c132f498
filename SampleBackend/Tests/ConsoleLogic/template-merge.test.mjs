import './browser.mjs';
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {fixture} from './fixtures.mjs';
import {templateAfter, stepBetween} from '../../Sources/Console/Pages/drafts/draft-step.js';
import {removingCondition, settingCondition}
    from '../../Sources/Console/Pages/template/template.js';
import {mergeStep, mergeTemplates} from '../../Sources/Console/Pages/template/template-merge.js';

const condition = (name, expression = `user.id == '${name}'`) => ({name, expression});
const setting = (values) => ({defaultValue: {value: 'd'}, ...values && {
    conditionalValues: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, {value}]))}});
/** A template with conditions, and the section G of settings. */
const template = (conditions, settings) => ({
    conditions: conditions.map((item) => (typeof item === 'string' ? condition(item) : item)),
    parameterGroups: {G: {parameters: Object.fromEntries(
        Object.entries(settings).map(([key, values]) => [key, setting(values)]))}}});
const pathOf = (key, name) => [
    'parameterGroups', 'G', 'parameters', key, 'conditionalValues', name];

const base = template(['A', 'B'], {s: {A: '1'}, t: {}});
const renamed = settingCondition(base, 0, condition('Z', "user.id == 'A'"));
const deleted = removingCondition(base, 'A');
const using = template(['A', 'B'], {s: {A: '1'}, t: {A: '2'}});
const addedOther = template(['A', 'B', condition('Z', 'other')], {s: {A: '1'}, t: {A: '2'}});

for (const [name, mine, theirs, expected, paths] of [
    ['a new value follows a condition that this tab renamed', renamed, using,
        template([condition('Z', "user.id == 'A'"), 'B'], {s: {Z: '1'}, t: {Z: '2'}}), []],
    ['a new value follows a condition that another tab renamed', using, renamed,
        template([condition('Z', "user.id == 'A'"), 'B'], {s: {Z: '1'}, t: {Z: '2'}}), []],
    ['a new rule follows a renamed condition', renamed,
        template([condition('A', 'true'), 'B'], {s: {A: '1'}, t: {}}),
        template([condition('Z', 'true'), 'B'], {s: {Z: '1'}, t: {}}), []],
    ['a condition with a new name and a new rule is known by its values',
        settingCondition(base, 0, condition('Z', 'true')), using,
        template([condition('Z', 'true'), 'B'], {s: {Z: '1'}, t: {Z: '2'}}), []],
    ['of two new names of a condition, that of this tab wins', renamed,
        settingCondition(using, 0, condition('Y', "user.id == 'A'")),
        template([condition('Z', "user.id == 'A'"), 'B'], {s: {Z: '1'}, t: {Z: '2'}}),
        [['conditions', 'Z', 'name']]],
    ['a value for a condition that this tab deleted is removed, and reported', deleted, using,
        template(['B'], {s: {}, t: undefined}), [pathOf('t', 'A')]],
    ['a condition that another tab deleted stays with all its values for a new one of this tab',
        using, deleted, using, [['conditions', 'A']]],
    ['a condition that another tab deleted stays with its values for a new rule of this tab',
        template([condition('A', 'true'), 'B'], {s: {A: '1'}, t: {}}), deleted,
        template([condition('A', 'true'), 'B'], {s: {A: '1'}, t: {}}), [['conditions', 'A']]],
    ['a new name that another condition has takes no values', renamed, addedOther,
        template(['B', condition('Z', "user.id == 'A'")], {s: {Z: '1'}, t: undefined}),
        [['conditions', 'Z', 'expression'], pathOf('t', 'A')]],
    ['a deleted condition and a new one are two', template(
        ['B', condition('C', 'other')], {s: {}, t: {}}), using,
    template(['B', condition('C', 'other')], {s: {}, t: undefined}), [pathOf('t', 'A')]],
]) {
    test(`merge of templates: ${name}`, () => {
        const conflicts = [];
        assert.deepEqual(mergeTemplates(base, mine, theirs, conflicts), expected);
        assert.deepEqual(conflicts, paths);
    });
}

/** A template of the fixture: users by condition, and the values of settings by condition. */
const templateOf = ({conditions, settings}) => template(
    Object.entries(conditions).map(([name, user]) => condition(name, `user.id == '${user}'`)),
    Object.fromEntries(Object.entries(settings).map(([key, values]) => (
        [key, Object.keys(values).length ? values : undefined]))));

for (const {name, base: before, mine, theirs, withMine, withTheirs, conflicts}
    of fixture('TemplatesTests/Fixtures/template-merges.json')) {
    for (const [side, own, other, result] of [
        ['mine', mine, theirs, withMine], ['theirs', theirs, mine, withTheirs ?? withMine]]) {
        test(`merge of templates as on the server, ${side} first: ${name}`, () => {
            const found = [];
            assert.deepEqual(mergeTemplates(...[before, own, other].map(templateOf), found),
                templateOf(result));
            assert.equal(found.some((path) => path.join() === 'conditions'),
                conflicts.includes('conditions'));
            assert.equal(found.length > 0, conflicts.length > 0);
        });
    }
}

test('values without a condition before the merge stay as they are', () => {
    const invalid = template(['B'], {s: {Gone: '1'}, t: {}});
    const other = template(['B'], {s: {Gone: '1'}, t: {B: '2'}});
    assert.deepEqual(mergeTemplates(invalid, invalid, other), other);
    const list = {...base, conditions: [{name: 'A'}, {name: 'A'}]};
    assert.equal(mergeTemplates(base, list, base), list);
});

/** The template after the step between two templates is undone in a third one. */
function undone(before, after, now) {
    const step = stepBetween({template: before, base: '1'}, {template: after, base: '1'}, () => '');
    return templateAfter(step.after, step.before, now);
}

test('undo of a condition that others use since keeps it, and says so', () => {
    const before = template(['B'], {s: {}, t: {}});
    const after = template(['B', 'Mine'], {s: {}, t: {}});
    const now = template(['B', 'Mine'], {s: {Mine: '1'}, t: {}});
    assert.deepEqual(undone(before, after, now),
        {template: now, kept: [['conditions', 'Mine']]});
});

test('undo of a new name takes values along that others added since', () => {
    const now = {...renamed, parameterGroups: {G: {parameters: {
        s: setting({Z: '1'}), t: setting({Z: '2'})}}}};
    assert.deepEqual(undone(base, renamed, now), {template: using, kept: []});
});

test('undo restores a setting without the values for conditions that are gone', () => {
    const after = template(['A', 'B'], {t: {}});
    const now = template(['B'], {t: {}});
    assert.deepEqual(undone(base, after, now),
        {template: template(['B'], {s: undefined, t: {}}), kept: [pathOf('s', 'A')]});
});

test('undo takes no condition of the same rule for a renamed one', () => {
    const before = template(['A', 'B'], {});
    const after = template([condition('A', 'x'), 'B'], {});
    const now = template(['B', condition('D', 'x')], {});
    assert.deepEqual(undone(before, after, now).template, now);
});

test('a step that is undone and redone has its template again', () => {
    for (const after of [renamed, deleted, using, addedOther]) {
        const step = stepBetween({template: base, base: '1'}, {template: after, base: '1'},
            () => '');
        assert.deepEqual(mergeStep(step.after.template, after, step.before.template), base);
        assert.deepEqual(mergeStep(step.before.template, base, step.after.template), after);
    }
});

/** Repeatable random numbers below a limit. */
function randomNumbers(seed) {
    let state = seed;
    return (limit) => {
        state = (state * 1103515245 + 12345) % 2147483648;
        return Math.floor((state / 2147483648) * limit);
    };
}

/** A template after a random edit of a condition or a value, as the pages do it. */
function edited(random, now) {
    const index = random(now.conditions.length || 1);
    const old = now.conditions[index];
    const kind = random(5);
    if (kind === 0 && old) return removingCondition(now, old.name);
    if (kind === 1 && old) return settingCondition(now, index, {...old, name: `${old.name}${random(9)}`});
    if (kind === 2) return settingCondition(now, now.conditions.length, condition(`N${random(99)}`));
    const name = old?.name ?? '';
    const key = ['s', 't'][random(2)];
    const parameters = {...now.parameterGroups.G.parameters};
    if (kind === 3) delete parameters[key];
    else parameters[key] = setting(old && {[name]: String(random(9))});
    return {...now, parameterGroups: {G: {parameters}}};
}

/** Conditional values whose conditions do not exist. */
function dangling({conditions, parameterGroups}) {
    const present = new Set(conditions.map(({name}) => name));
    return Object.values(parameterGroups.G.parameters).flatMap(({conditionalValues = {}}) => (
        Object.keys(conditionalValues).filter((name) => !present.has(name))));
}

test('no merge and no undo leaves a value without its condition (seeds 1 to 2000)', () => {
    for (let seed = 1; seed <= 2000; seed += 1) {
        const random = randomNumbers(seed);
        const several = (now) => edited(random, edited(random, now));
        const [mine, theirs] = [several(base), several(base)];
        assert.deepEqual(dangling(mergeTemplates(base, mine, theirs)), [], `seed ${seed}`);
        assert.deepEqual(dangling(mergeTemplates(base, theirs, mine)), [], `seed ${seed}`);
        const later = several(mine);
        if (JSON.stringify(base) === JSON.stringify(mine)) continue;
        assert.deepEqual(dangling(undone(base, mine, later).template), [], `undo, seed ${seed}`);
        assert.deepEqual(undone(base, mine, mine), {template: base, kept: []}, `seed ${seed}`);
    }
});
