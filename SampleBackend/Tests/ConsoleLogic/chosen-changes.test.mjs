import {emptyStorages} from './browser.mjs';
import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';

import {choiceInput} from '../../Sources/Console/Pages/drafts/choice-input.js';
import {isEqual} from '../../Sources/Console/Pages/json/json.js';
import {ChangeChoice, keepOnly} from '../../Sources/Console/Pages/review/change-choice.js';
import {noChanges} from '../../Sources/Console/Pages/server/server-draft.js';
import {changeKey, choosing, chosenChanges, leftConditions, neededChanges}
    from '../../Sources/Console/Pages/template/chosen-changes.js';
import {settingAt} from '../../Sources/Console/Pages/template/template.js';
import {mergeTemplates} from '../../Sources/Console/Pages/template/template-merge.js';

beforeEach(emptyStorages);

const condition = (name, expression = 'true') => ({name, expression});
const setting = (value, conditionalValues = {}) => ({defaultValue: {value}, conditionalValues});

/** Names that moved, as the server finds them: those outside the longest rising series. */
function movedNames(before, after) {
    const places = after.map((name) => before.indexOf(name)).filter((place) => place >= 0);
    /** The last one's series, for each length the one that ends lowest. */
    let longest = [];
    for (const place of places) {
        const index = longest.findIndex((series) => series.at(-1) >= place);
        const series = [...longest[(index < 0 ? longest.length : index) - 1] ?? [], place];
        longest = longest.with(index < 0 ? longest.push(series) - 1 : index, series);
    }
    const stayed = longest.at(-1) ?? [];
    return places.filter((place) => !stayed.includes(place)).map((place) => before[place]);
}

/**
 * The differences of two templates, as the server reports them, of the parts only positions and
 * expressions.
 */
function differences(base, draft) {
    /** Differences of two objects by name; `of` adds what the names are. */
    const between = (old, now, of) => [...new Set([...Object.keys(now), ...Object.keys(old)])]
        .filter((name) => !isEqual(old[name], now[name]))
        .map((name) => ({parts: [], ...of(name),
            change: !(name in old) ? 'ADDED' : !(name in now) ? 'REMOVED' : 'CHANGED'}));
    const named = ({conditions = []}) => Object.fromEntries(
        conditions.map((each) => [each.name, each]));
    const heads = ({parameterGroups = {}}) => Object.fromEntries(Object.entries(parameterGroups)
        .map(([name, {description = ''}]) => [name, {description}]));
    const settings = ({parameters = {}, parameterGroups = {}}, section) => ({
        ...section === 'Default' && parameters, ...parameterGroups[section]?.parameters});
    const sections = new Set(['Default',
        ...Object.keys(base.parameterGroups), ...Object.keys(draft.parameterGroups)]);
    const [before, after] = [base, draft].map((side) => Object.keys(named(side)));
    const moved = movedNames(before, after);
    const conditions = between(named(base), named(draft), (name) => ({name}));
    return {
        conditions: [...conditions,
            ...moved.filter((name) => !conditions.some((each) => each.name === name))
                .map((name) => ({name, change: 'CHANGED'}))].map((found) => ({...found,
            parts: [...moved.includes(found.name) ? [{name: 'position'}] : [],
                ...named(base)[found.name]?.expression === named(draft)[found.name]?.expression
                    ? [] : [{name: 'expression'}]]})),
        groups: between(heads(base), heads(draft), (name) => ({name})),
        parameters: [...sections].flatMap((section) => between(
            settings(base, section), settings(draft, section), (key) => ({section, key})))};
}

const keysOf = ({conditions, groups, parameters}) => new Set([
    ...conditions.map((found) => changeKey('condition', found)),
    ...groups.map((found) => changeKey('group', found)),
    ...parameters.map((found) => changeKey('setting', found))]);

/** Repeatable random numbers below a limit. */
function randomNumbers(seed) {
    let state = seed;
    return (limit) => {
        state = (state * 1103515245 + 12345) % 2147483648;
        return Math.floor((state / 2147483648) * limit);
    };
}

/** A valid template of some of a few conditions, sections and settings. */
function randomTemplate(random) {
    const some = (list) => list.filter(() => random(3) > 0);
    const conditions = some(['A', 'B', 'C', 'D'])
        .map((name) => condition(name, ['true', 'false'][random(2)]));
    const parameters = () => Object.fromEntries(some(['s', 't', 'u']).map((key) => [key, setting(
        String(random(2)), Object.fromEntries(some(conditions.map(({name}) => name)).map(
            (name) => [name, {value: String(random(2))}])))]));
    return {conditions, parameters: parameters(), parameterGroups: Object.fromEntries(
        some(['G', 'H', 'I']).map((name) => [name, {
            description: ['', 'x'][random(2)], parameters: parameters()}]))};
}

/** Conditional values whose conditions do not exist. */
function dangling({conditions, parameters, parameterGroups}) {
    const present = new Set(conditions.map(({name}) => name));
    return [parameters, ...Object.values(parameterGroups).map((group) => group.parameters)]
        .flatMap((each) => Object.values(each ?? {}))
        .flatMap(({conditionalValues}) => Object.keys(conditionalValues ?? {}))
        .filter((name) => !present.has(name));
}

test('a choice has the chosen changes and nothing of the rest (seeds 1 to 3000)', () => {
    let chosenCount = 0;
    for (let seed = 1; seed <= 3000; seed += 1) {
        const random = randomNumbers(seed);
        const [base, draft] = [randomTemplate(random), randomTemplate(random)];
        const all = differences(base, draft);
        const needs = neededChanges(base, draft, all);
        let left = new Set();
        for (const key of keysOf(all)) {
            if (random(2)) left = choosing(left, needs, key, random(3) === 0);
        }
        const chosen = chosenChanges(base, draft, left, all);
        const wanted = [...keysOf(all)].filter((key) => !left.has(key));
        chosenCount += wanted.length;
        assert.deepEqual([...keysOf(differences(base, chosen))].sort(), wanted.sort(),
            `the chosen ones, seed ${seed}`);
        assert.deepEqual([...keysOf(differences(chosen, draft))].sort(), [...left].sort(),
            `the rest, seed ${seed}`);
        assert.deepEqual(dangling(chosen), [], `seed ${seed}`);
        assert.deepEqual(mergeTemplates(chosen, draft, chosen), draft, `seed ${seed}`);
    }
    assert.ok(chosenCount > 3000);
});

test('all changes are the draft, and none are the base', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
        const random = randomNumbers(seed);
        const [base, draft] = [randomTemplate(random), randomTemplate(random)];
        const all = differences(base, draft);
        assert.equal(chosenChanges(base, draft, new Set(), all), draft);
        const none = chosenChanges(base, draft, keysOf(all), all);
        assert.ok(isEqual(none.parameters, base.parameters));
        assert.ok(!keysOf(differences(base, none)).size);
    }
});

test('conditions keep their order but for chosen moves (seeds 1 to 2000)', () => {
    let moves = 0;
    for (let seed = 1; seed <= 2000; seed += 1) {
        const random = randomNumbers(seed);
        const some = () => ['A', 'B', 'C', 'D', 'E'].filter(() => random(5) > 0)
            .map((name) => condition(name, ['true', 'false'][random(2)]));
        const base = {conditions: some(), parameterGroups: {}};
        const draft = {conditions: some(), parameterGroups: {}};
        for (let last = draft.conditions.length; last > 1; last -= 1) {
            draft.conditions.push(...draft.conditions.splice(random(last), 1));
        }
        const all = differences(base, draft);
        const left = new Set([...keysOf(all)].filter(() => random(2)));
        const chosen = chosenChanges(base, draft, left, all);
        const namesOf = ({conditions}) => conditions.map(({name}) => name);
        const [before, after, result] = [base, draft, chosen].map(namesOf);
        const moved = new Set(movedNames(before, after));
        const isLeft = (name) => left.has(changeKey('condition', {name}));
        for (const [list, counts] of [
            [before, (name) => !moved.has(name) || isLeft(name)],
            [after, (name) => !moved.has(name) || !isLeft(name)]]) {
            const common = list.filter((name) => counts(name) && result.includes(name));
            assert.deepEqual(
                result.filter((name) => common.includes(name)), common, `seed ${seed}`);
        }
        for (const {name, expression} of chosen.conditions) {
            const from = isLeft(name) || !after.includes(name) ? base : draft;
            assert.equal(expression, from.conditions.find((each) => each.name === name).expression);
        }
        moves += [...moved].filter((name) => !isLeft(name)).length;
    }
    assert.ok(moves > 500);
});

const base = {conditions: [condition('A'), condition('B')], parameters: {},
    parameterGroups: {G: {parameters: {s: setting('1', {A: {value: 'a'}}), t: setting('1')}}}};

/** The base after an edit of its copy. */
function edited(edit) {
    const draft = structuredClone(base);
    edit(draft, draft.parameterGroups.G.parameters);
    return draft;
}

const keyOf = {s: '["setting","G","s"]', t: '["setting","G","t"]', A: '["condition","A"]',
    Z: '["condition","Z"]', H: '["group","H"]', u: '["setting","H","u"]'};

for (const [name, draft, key, isChosen, along] of [
    ['a value brings its new condition along', edited((draft, settings) => {
        draft.conditions.push(condition('Z'));
        settings.t.conditionalValues = {Z: {value: '2'}};
    }), keyOf.t, true, [keyOf.Z]],
    ['a new condition that is left out leaves out its values', edited((draft, settings) => {
        draft.conditions.push(condition('Z'));
        settings.t.conditionalValues = {Z: {value: '2'}};
    }), keyOf.Z, false, [keyOf.t]],
    ['a deleted condition brings along the settings that had values for it',
        edited((draft, settings) => {
            draft.conditions.shift();
            settings.s.conditionalValues = {};
        }), keyOf.A, true, [keyOf.s]],
    ['a renamed condition brings along all with the old name', edited((draft, settings) => {
        draft.conditions[0].name = 'Z';
        settings.s.conditionalValues = {Z: {value: 'a'}};
    }), keyOf.A, true, [keyOf.s, keyOf.Z]],
    ['a condition with another rule brings along the settings without a value for it',
        edited((draft, settings) => {
            draft.conditions[0].expression = 'false';
            settings.s.conditionalValues = {};
        }), keyOf.A, true, [keyOf.s]],
    ['a setting without a value can go before the other rule of the condition',
        edited((draft, settings) => {
            draft.conditions[0].expression = 'false';
            settings.s.conditionalValues = {};
        }), keyOf.s, true, []],
    ['a condition with another colour stays alone', edited((draft, settings) => {
        draft.conditions[0].tagColor = 'PINK';
        settings.s.conditionalValues = {};
    }), keyOf.A, true, []],
    ['a moved setting does not go without its new place', edited((draft, settings) => {
        draft.parameterGroups.H = {parameters: {s: settings.s}};
        delete settings.s;
    }), keyOf.s, true, ['["setting","H","s"]', keyOf.H]],
    ['a moved setting stays when its new place is left out', edited((draft, settings) => {
        draft.parameterGroups.H = {parameters: {s: settings.s}};
        delete settings.s;
    }), '["setting","H","s"]', false, [keyOf.s]],
    ['a setting brings its new section along', edited((draft) => {
        draft.parameterGroups.H = {parameters: {u: setting('1')}};
    }), keyOf.u, true, [keyOf.H]],
    ['a changed condition stays where its value is chosen', edited((draft, settings) => {
        draft.conditions[0].expression = 'false';
        settings.s.conditionalValues.A.value = '2';
    }), keyOf.s, true, []],
]) {
    test(`choice of changes: ${name}`, () => {
        const all = differences(base, draft);
        const before = isChosen ? keysOf(all) : new Set();
        const after = choosing(before, neededChanges(base, draft, all), key, isChosen);
        const changed = [...keysOf(all)].filter((each) => before.has(each) !== after.has(each));
        assert.deepEqual(changed.sort(), [key, ...along].sort());
    });
}

test('a changed condition that is left out is named where a chosen setting has a value for it', () => {
    const draft = edited((changed, settings) => {
        changed.conditions[0].expression = 'false';
        settings.s.defaultValue.value = '2';
        settings.t.defaultValue.value = '2';
    });
    const all = differences(base, draft);
    assert.deepEqual(leftConditions(draft, all, new Set([keyOf.A])), ['A']);
    assert.deepEqual(leftConditions(draft, all, new Set([keyOf.A, keyOf.s])), []);
    assert.deepEqual(leftConditions(draft, all, new Set()), []);
});

test('a condition that is left out has its place again, and a removed setting too', () => {
    const draft = edited((changed, settings) => {
        changed.conditions = [condition('B'), condition('Z'), condition('A')];
        delete settings.s;
    });
    const chosen = chosenChanges(base, draft, new Set([keyOf.A, keyOf.s]), {
        ...differences(base, draft), conditions: [{name: 'A', parts: [{name: 'position'}]}]});
    assert.deepEqual(chosen.conditions.map(({name}) => name), ['A', 'B', 'Z']);
    assert.deepEqual(Object.keys(chosen.parameterGroups.G.parameters), ['s', 't']);
    assert.equal(settingAt(chosen, 'G', 's').parameter, base.parameterGroups.G.parameters.s);
});

test('conditions without distinct names are sent as they are, for the server to refuse', () => {
    const draft = edited((changed, settings) => {
        changed.conditions = [condition('A'), condition('A')];
        settings.t.defaultValue.value = '2';
    });
    assert.deepEqual(chosenChanges(base, draft, new Set([keyOf.t]), differences(base, draft))
        .conditions, draft.conditions);
});

const input = () => choiceInput({user: 'ada', project: 'p'});
const draftOf = (template) => (
    {template, baseTemplate: base, base: '1', etag: '', changes: differences(base, template)});
const both = edited((draft, settings) => {
    settings.s.defaultValue.value = '2';
    settings.t.defaultValue.value = '2';
});

test('the tab keeps what is left out, and a new change is chosen', () => {
    const choice = new ChangeChoice(draftOf(both), input());
    assert.ok(choice.isOffered && choice.isWhole);
    assert.equal(choice.draft.template, both);
    choice.chooseOnly(keyOf.s);
    assert.equal(choice.text, '1 of 2 changes is chosen. The others stay in your draft.');
    assert.deepEqual(choice.draft.changes.parameters.map(({key}) => key), ['s']);
    assert.ok(new ChangeChoice(draftOf(both), input()).isChosen(keyOf.s));
    const more = structuredClone(both);
    more.conditions.push(condition('Z'));
    const later = new ChangeChoice(draftOf(more), input());
    assert.equal(later.shortText, '2 of 3 changes');
    // After the publish of the other one, what was left out is not published by a second press.
    const rest = edited((draft, settings) => {
        settings.t.defaultValue.value = '2';
    });
    const last = new ChangeChoice(draftOf(rest), input());
    assert.deepEqual([last.count, last.total, last.isOffered], [0, 1, true]);
    assert.equal(last.text, '0 of 1 change is chosen. The others stay in your draft.');
    last.chooseAll(true);
    assert.equal(new ChangeChoice(draftOf(rest), input()).isOffered, false);
});

test('a choice waits until the server has compared the draft', () => {
    new ChangeChoice(draftOf(both), input()).chooseOnly(keyOf.s);
    new ChangeChoice({...draftOf(both), changes: null}, input());
    new ChangeChoice({...draftOf(both), changes: noChanges, isBaseGone: true}, input());
    assert.ok(!new ChangeChoice(draftOf(both), input()).isChosen(keyOf.t));
});

test('one change to review alone waits, too, and one that is gone changes no choice', () => {
    keepOnly(input(), keyOf.s);
    new ChangeChoice({...draftOf(both), changes: null}, input());
    assert.ok(!new ChangeChoice(draftOf(both), input()).isChosen(keyOf.t));
    keepOnly(input(), keyOf.u);
    assert.deepEqual([keyOf.s, keyOf.t].map(
        (key) => new ChangeChoice(draftOf(both), input()).isChosen(key)), [true, false]);
});

test('a later value for a condition that is left out brings it along', () => {
    const draft = edited((changed) => changed.conditions.push(condition('Z')));
    draft.parameters = {x: setting('1')};
    new ChangeChoice(draftOf(draft), input()).choose(keyOf.Z, false);
    draft.parameters.x.conditionalValues = {Z: {value: '2'}};
    assert.ok(new ChangeChoice(draftOf(draft), input()).isWhole);
});

test('a draft of ten thousand changes with their conditions is shown and chosen soon', () => {
    const large = structuredClone(base);
    large.conditions = Array.from({length: 500}, (_, index) => condition(`N${index}`));
    large.parameterGroups.G.parameters = Object.fromEntries(Array.from({length: 10_000}, (_, index) => (
        [`key${index}`, setting('1', {[`N${index % 500}`]: {value: '2'}})])));
    const draft = draftOf(large);
    const start = performance.now();
    const choice = new ChangeChoice(draft, input());
    choice.chooseAll(false);
    choice.choose('["setting","G","key7"]', true);
    assert.equal(choice.count, 2);
    choice.chooseAll(true);
    choice.choose('["condition","N7"]', false);
    assert.equal(choice.total - choice.count, 21);
    assert.equal(Object.keys(choice.draft.template.parameterGroups.G.parameters).length, 9_980);
    // A quadratic one takes more than a minute.
    assert.ok(performance.now() - start < 10_000);
});

test('changes that are not all listed cannot be chosen', () => {
    const draft = draftOf(both);
    draft.changes.omitted = 1;
    assert.equal(new ChangeChoice(draft, input()).isOffered, false);
});
