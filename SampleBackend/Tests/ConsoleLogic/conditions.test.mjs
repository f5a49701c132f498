import './browser.mjs';
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {answerRequests} from './browser.mjs';
import {fixture} from './fixtures.mjs';
import {ConditionChoices} from '../../Sources/Console/Pages/transfer/condition-choices.js';
import {expressionText, forEachRule, parseExpressions}
    from '../../Sources/Console/Pages/conditions/condition-expression.js';
import {fieldOf, fields, missingValue, operatorOf, seedOf, setField, setOperator, takesList}
    from '../../Sources/Console/Pages/conditions/condition-fields.js';
import {indexAbove, indexOfKey} from '../../Sources/Console/Pages/conditions/condition-order.js';
import {groupView, ruleCount, rulesOf, treeOf, viewOf}
    from '../../Sources/Console/Pages/conditions/condition-view.js';
import {ruleAt} from '../../Sources/Console/Pages/conditions/problem-place.js';
import {definedValues, meantValue, suggestedValues} from '../../Sources/Console/Pages/template/defined-values.js';
import {knownSignals} from '../../Sources/Console/Pages/conditions/known-signals.js';
import {percentNumbers, percentProblem, withPercentNumber}
    from '../../Sources/Console/Pages/template/percent.js';
import {movingCondition} from '../../Sources/Console/Pages/template/template.js';

const written = fixture('TargetingTests/Fixtures/written-conditions.json');

for (const {tree, text} of written) {
    test(`${text} is written, and shown rule by rule without a change`, () => {
        assert.equal(expressionText(tree), text);
        assert.equal(expressionText(treeOf(groupView(viewOf(tree)))), text);
    });
}

test('the server reads each comparison of the form', () => {
    const known = new Set();
    for (const {tree} of written) {
        forEachRule(tree, (rule) => known.add(`${fieldOf(rule)?.element} ${operatorOf(rule)}`));
    }
    const missing = fields.filter(({element}) => element !== 'constant')
        .flatMap(({element, comparisons}) => comparisons.map(([operator]) => `${element} ${operator}`))
        .filter((each) => !known.has(each));
    assert.deepEqual(missing, []);
});

const rule = (element, comparison, values, key = null) => (
    {kind: 'rule', element, key, comparison, values});

test('a negation of a negation is a group in the form', () => {
    const tree = {kind: 'not', operands: [{kind: 'not', operands: [rule('user.id', '==', ['1'])]}]};
    const view = viewOf(tree);
    assert.ok(view.isNegated);
    assert.equal(view.kind, 'all');
    assert.ok(view.operands[0].isNegated);
    assert.deepEqual(treeOf(view).kind, 'not');
});

test('a problem of an expression is shown at the rule that wrote its character', () => {
    const share = rule('percent', '<=', ['10'], 'a seed');
    const negated = {...rule('app.version', '>=', ['v2.0']), isNegated: true};
    const view = {kind: 'all', operands: [rule('user.id', '==', ['👩‍🚀']),
        {kind: 'any', operands: [share, negated]}, {kind: 'any', operands: []}]};
    const text = expressionText(treeOf(view));
    assert.equal(text, "user.id == '👩‍🚀' && (percent('a seed') <= 10 || !(app.version.>=(['v2.0'])))");
    const at = (part) => ruleAt(view, text, Array.from(text.slice(0, text.indexOf(part))).length + 1);
    assert.deepEqual(at('👩'), {rule: view.operands[0], isKey: false});
    assert.deepEqual(at(' seed'), {rule: share, isKey: true});
    assert.deepEqual(at('10'), {rule: share, isKey: false});
    assert.deepEqual(at('v2.0'), {rule: negated, isKey: false});
    assert.equal(at('&&'), null);
    assert.equal(ruleAt(view, 'true', 1), null);
});

test('a negated group stands in a group that can get more rules', () => {
    const view = {kind: 'any', isNegated: true, operands: []};
    assert.deepEqual(groupView(view), {kind: 'all', operands: [view]});
    const plain = {kind: 'any', operands: []};
    assert.equal(groupView(plain), plain);
    assert.deepEqual(groupView(rule('percent', '<=', ['1'])).kind, 'all');
});

test('groups without rules are left out of the expression', () => {
    const one = rule('user.id', '==', ['1']);
    assert.equal(treeOf({kind: 'all', operands: []}), null);
    assert.equal(treeOf({kind: 'all', operands: [{kind: 'any', operands: []}]}), null);
    assert.deepEqual(treeOf({kind: 'all', operands: [{kind: 'any', operands: [one]}]}), one);
    assert.equal(treeOf({kind: 'all', isNegated: true, operands: []}), null);
});

test('constants are rules of the form', () => {
    const view = viewOf({kind: 'constant', value: true});
    assert.deepEqual(view.values, ['true']);
    assert.deepEqual(treeOf(view), {kind: 'constant', value: true});
    assert.deepEqual(treeOf({...view, values: ['false']}), {kind: 'constant', value: false});
});

test('an empty text that is compared is meant', () => {
    const view = viewOf(rule('user.id', '==', ['']));
    assert.equal(view.isEmptyMeant, true);
    assert.equal(missingValue(view), null);
});

test('a view does not share the values of its tree', () => {
    const tree = rule('user.id', 'in', ['a']);
    viewOf(tree).values.push('b');
    assert.deepEqual(tree.values, ['a']);
});

test('rules are counted in all groups', () => {
    const one = rule('percent', '<=', ['1']);
    const view = {kind: 'all', operands: [one, {kind: 'any', operands: [one, one]}]};
    assert.equal(ruleCount(view), 3);
    assert.deepEqual(rulesOf(view), [one, one, one]);
    assert.equal(ruleCount({kind: 'all', operands: []}), 0);
});

for (const [view, sentence] of [
    [rule('device.country', 'in', []), 'Choose at least one country.'],
    [rule('device.country', 'in', ['DE']), null],
    [rule('device.os', 'in', []), 'Choose at least one system.'],
    [rule('device.os', '==', ['']), 'Enter the system.'],
    [rule('device.os', '==', []), 'Enter the system.'],
    [rule('percent', '<=', ['']), 'Enter the percentage.'],
    [rule('percent', 'between', ['1', '']), 'Enter the percentage.'],
    [rule('percent', 'between', ['1', '2']), null],
    [rule('percent', '<=', ['2,5']), 'Write the number with a point: 2.5.'],
    [rule('percent', 'between', ['1', '1e1']), 'Enter a number from 0 to 100.'],
    [rule('dateTime', '<', []), 'Enter the time.'],
    [rule('dateTime', '<', ['2026-01-01T00:00:00']), null],
    [rule('version', '>=', [''], 'v'), 'Enter the value.'],
    [rule('version', '>=', ['1'], ''), 'Enter the name of the signal.'],
    [rule('app.customSignal', 'contains', ['x'], ''), 'Enter the name of the signal.'],
    [rule('app.customSignal', 'contains', [], 'plan'), 'Choose at least one value.'],
    [rule('app.audiences', 'inAtLeastOne', []), null],
]) {
    test(`${view.element} ${view.comparison} ${JSON.stringify(view.values)} needs ${
        sentence ?? 'nothing'}`, () => assert.equal(missingValue(view), sentence));
}

test('a field begins with its first comparison and values', () => {
    const view = rule('user.id', '==', ['1']);
    setField(view, 'percent');
    assert.deepEqual([view.element, view.key, view.comparison, view.values],
        ['percent', null, '<=', ['10']]);
    setField(view, 'app.customSignal');
    assert.deepEqual([view.key, view.comparison, view.values], ['', 'exactlyMatches', []]);
    view.values.push('x');
    const other = rule('user.id', '==', []);
    setField(other, 'app.customSignal');
    assert.deepEqual(other.values, []);
});

for (const [before, operator, element, comparison, values] of [
    [rule('percent', '<=', ['25']), 'between', 'percent', 'between', ['25', '100']],
    [rule('percent', 'between', ['25', '50']), '<=', 'percent', '<=', ['25']],
    [rule('app.customSignal', 'exactlyMatches', ['1', '2'], 'n'), '>=', 'app.customSignal', '>=',
        ['1']],
    [rule('app.customSignal', 'exactlyMatches', [], 'n'), '>=', 'app.customSignal', '>=', ['']],
    [rule('app.customSignal', '==', ['1'], 'n'), 'version >=', 'version', '>=', ['1']],
    [rule('version', '>=', ['1'], 'n'), 'contains', 'app.customSignal', 'contains', ['1']],
    [rule('device.os', '==', ['']), 'in', 'device.os', 'in', []],
    [rule('device.os', 'in', ['a', 'b']), '!=', 'device.os', '!=', ['a']],
    [rule('dateTime', '<', ['t', 'GMT']), '>=', 'dateTime', '>=', ['t', 'GMT']],
]) {
    test(`${before.element} ${before.comparison} becomes ${operator}`, () => {
        const view = {...before, values: [...before.values]};
        setOperator(view, operator);
        assert.deepEqual([view.element, view.comparison, view.values], [element, comparison, values]);
    });
}

for (const [element, operator, text] of [
    ['device.os', '==', "device.os == ''"], ['user.id', '!=', "user.id != ''"],
    ['app.id', '==', "app.id == ''"],
    ['app.customSignal', 'version <', "version(app.customSignal['']) < ''"],
    ['app.customSignal', '==', "app.customSignal[''] == "],
    ['app.customSignal', 'contains', "app.customSignal[''].contains([])"],
]) {
    test(`a new rule is written as ${text} before it has a value`, () => {
        const view = rule('percent', '<=', ['10']);
        setField(view, element);
        setOperator(view, operator);
        assert.equal(view.values.join(''), '');
        assert.equal(expressionText(treeOf(view)), text);
    });
}

test('methods on texts and `in` take lists', () => {
    assert.ok(takesList('device.os', 'in'));
    assert.ok(takesList('app.version', 'matches'));
    assert.ok(!takesList('app.version', '>='));
    assert.ok(!takesList('app.customSignal', 'version >='));
});

test('values that clients send are suggested after defined ones, once', () => {
    const known = {values: (element, key) => (
        element === 'device.os' ? ['ios', 'beos'] : [`${element} ${key}`])};
    const suggested = suggestedValues({element: 'device.os', key: null}, known);
    assert.equal(suggested.filter(([value]) => value === 'ios').length, 1);
    assert.deepEqual(suggested.at(-1), ['beos', '']);
    assert.deepEqual(suggestedValues({element: 'version', key: 'v'}, known), [['version v', '']]);
    assert.deepEqual(suggestedValues({element: 'user.id', key: null}, known),
        [['user.id undefined', '']]);
    assert.deepEqual(suggestedValues({element: 'user.id', key: null}, null), []);
});

test('countries and languages have names, regions that are no countries are left out', () => {
    const countries = new Map(definedValues('device.country'));
    assert.equal(countries.get('DE'), 'Germany');
    assert.ok(!countries.has('EU') && !countries.has('ZZ'));
    assert.equal(new Map(definedValues('device.language')).get('de'), 'German');
    assert.ok(definedValues('timeZone').some(([zone]) => zone === 'Europe/Lisbon'));
    assert.deepEqual(definedValues('user.id'), []);
});

for (const [text, code] of [
    ['USA', 'US'], ['usa', 'US'], ['Deutschland', 'DE'], ['österreich', 'AT'], ['UK', 'GB'],
    ['GBR', 'GB'], ['España', 'ES'], ['日本', 'JP'], ['Germany', 'DE'], ['DD', 'DE'],
    ['Atlantis', 'Atlantis'], ['', ''], ['constructor', 'constructor'],
]) {
    test(`the country “${text}” is ${code}`, () => {
        assert.equal(meantValue({element: 'device.country', key: null}, text), code);
    });
}

test('a code that apps send stays', () => {
    const known = {values: () => ['USA']};
    assert.equal(meantValue({element: 'device.country', key: null}, 'USA', known), 'USA');
});

test('all expressions are parsed, a hundred at a time', async () => {
    const requests = answerRequests(({body}) => (
        {body: {conditions: body.expressions.map((text) => ({tree: text}))}}));
    const all = Array.from({length: 250}, (_, index) => String(index));
    const results = await parseExpressions(all, undefined);
    assert.deepEqual(results.map(({tree}) => tree), all);
    assert.deepEqual(requests.map(({body}) => body.expressions.length), [100, 100, 50]);
    assert.deepEqual(await parseExpressions([], undefined), []);
    assert.equal(requests.length, 3);
});

test('signals are known from conditions and from clients', async () => {
    const list = [{expression: 'a'}, {expression: 'b'}, {condition: {}}, {expression: 'wrong'}];
    const trees = {
        a: {kind: 'all', operands: [rule('app.customSignal', 'exactlyMatches', ['gold'], 'plan'),
            rule('version', '>=', ['1.0'], 'v'), rule('percent', '<=', ['10'])]},
        b: {kind: 'all', operands: [rule('device.os', 'matches', ['i.*']),
            rule('device.country', 'in', ['us', 'DE'])]}};
    const requests = answerRequests(({path, body}) => (path.includes('connections')
        ? {body: {signals: {'device.os': ['ios'], 'signal.plan': ['gold', 'free']}}}
        : {body: {conditions: body.expressions.map((text) => (
            trees[text] ? {tree: trees[text]} : {problem: {}}))}}));
    const known = await knownSignals({conditions: list}, undefined, 'default');
    assert.deepEqual([...known.keys].sort(), ['plan', 'v']);
    assert.deepEqual(known.values('app.customSignal', 'plan'), ['gold', 'free']);
    assert.deepEqual(known.values('device.os'), ['ios']);
    assert.deepEqual(known.values('percent'), []);
    assert.deepEqual(known.values('device.country'), ['DE'], 'no app is known to send us');
    assert.equal(requests.length, 2);
    await knownSignals({conditions: list}, undefined);
    assert.equal(requests.length, 2, 'the same conditions are parsed once');
});

test('without an answer nothing is known, and nothing fails', async () => {
    answerRequests(() => ({status: 500, body: {}}));
    const known = await knownSignals({conditions: [{expression: 'x'}]}, undefined, 'default');
    assert.deepEqual([...known.keys], []);
});

test('a failed parse is repeated the next time', async () => {
    const list = [{expression: 'user.id == "1"'}];
    answerRequests(() => ({status: 503, body: {}}));
    await knownSignals({conditions: list}, undefined);
    answerRequests(() => ({body: {conditions: [{tree: rule('user.id', '==', ['1'])}]}}));
    const known = await knownSignals({conditions: list}, undefined);
    assert.deepEqual(known.values('user.id'), ['1']);
});

for (const [from, other, to] of [[0, 2, 1], [2, 0, 0], [1, 1, 1], [0, 3, 2], [3, 4, 3]]) {
    test(`a condition at ${from} goes above the one at ${other}`, () => {
        assert.equal(indexAbove(from, other), to);
        if (other > 3) return;
        const moved = movingCondition(
            {conditions: [0, 1, 2, 3].map((name) => ({name}))}, from, indexAbove(from, other));
        const order = moved.conditions.map(({name}) => name);
        if (from !== other) assert.equal(order.indexOf(from) + 1, order.indexOf(other));
    });
}

test('Alt with a key moves a condition by one, or to an end', () => {
    assert.deepEqual(['ArrowUp', 'ArrowDown', 'Home', 'End', 'a'].map((key) => (
        indexOfKey(key, 2, 5))), [1, 3, 0, 5, undefined]);
});

const percent = fixture('TargetingTests/Fixtures/percent-texts.json');

for (const {micro, text} of percent.numbers) {
    test(`${micro} millionths of a percent are written ${text}`, () => {
        const expression = withPercentNumber('percent <= 0', {start: 11, end: 12}, micro / 1e6);
        assert.equal(expression, `percent <= ${text}`);
        assert.deepEqual(percentNumbers(expression).map(({value}) => value), [Number(text)]);
    });
}

for (const {expression, numbers} of percent.expressions) {
    test(`the numbers of ${expression} are ${numbers.join(' ') || 'none'}`, () => {
        const found = percentNumbers(expression);
        assert.deepEqual(found.map(({start, end}) => expression.slice(start, end)), numbers);
        assert.deepEqual(found.map(({value}) => value), numbers.map(Number));
    });
}

for (const [value, text] of [[-1, '0'], [100.5, '100'], [0.0000004, '0'], [0.0000006, '0.000001'],
    [1 / 3, '0.333333'], [12.3456789, '12.345679'], [1e-7, '0']]) {
    test(`a slider at ${value} writes ${text}`, () => {
        assert.equal(withPercentNumber('a 1 b', {start: 2, end: 3}, value), `a ${text} b`);
    });
}

test('the numbers of percentages are labelled by their meaning', () => {
    assert.deepEqual(percentNumbers("percent('it\\'s') between 1 and 2 && percent > 3 && percent <= 4")
        .map(({label}) => label), [
        'Users above this percentage of “it\\\'s”', 'Users up to this percentage of “it\\\'s”',
        'Users above this percentage', 'Users up to this percentage']);
});

for (const text of ['0', '100', '2.5', '7.', '.5', ' 10 ', '0.000001']) {
    test(`a percentage can be ${text}`, () => assert.equal(percentProblem(text), null));
}

for (const text of ['', '2,5', '1,000', '1e1', '105', '-1', '10%', '1.2.3', '٢', 'Infinity']) {
    test(`a percentage cannot be ${text || 'empty'}`, () => {
        assert.notEqual(percentProblem(text), null);
    });
}

test('the beginning of something else is not the number of a slider', () => {
    for (const text of ['2,5', '1e1', '12,', '1.2.3']) {
        assert.deepEqual(percentNumbers(`percent <= ${text}`), []);
    }
});

test('a number that is still typed is found', () => {
    assert.deepEqual(percentNumbers('percent <= 1.').map(({value}) => value), [1]);
    assert.deepEqual(percentNumbers('percent <= '), []);
    assert.deepEqual(percentNumbers('xpercent <= 1 || a.percent <= 2'), []);
});

const project = {conditions: [{name: 'A', expression: '1'}, {name: 'B', expression: '1'}],
    parameters: {old: {conditionalValues: {A: {}}}}};
const file = {conditions: [{name: 'A', expression: '2'}, {name: 'B', expression: '2'}],
    parameters: {fresh: {conditionalValues: {A: {}}}}};

test('a condition that new settings use needs a choice, another one stays', () => {
    let changes = 0;
    const choices = new ConditionChoices(file, () => {
        changes += 1;
    });
    assert.equal(choices.isComplete(project), false);
    assert.deepEqual([...choices.of(project)], [['A', undefined], ['B', 'keep']]);
    choices.choose({name: 'A', own: '1', given: '2'}, 'rename');
    assert.equal(choices.isComplete(project), true);
    assert.deepEqual([...choices.of(project)], [['A', 'rename'], ['B', 'keep']]);
    assert.equal(changes, 1);
});

test('a choice does not count for another expression', () => {
    const choices = new ConditionChoices(file, () => {});
    choices.choose({name: 'A', own: '1', given: '2'}, 'replace');
    const other = {...project, conditions: [{name: 'A', expression: '3'}]};
    assert.equal(choices.isComplete(other), false);
    assert.equal(choices.isComplete({conditions: [{name: 'A', expression: '2'}]}), true);
});

for (const [name, seed] of [
    ['New checkout', 'new-checkout'], ['Größe: 10 %', 'gro-e-10'],
    ['  ', null], ['日本', null], ['a'.repeat(40), 'a'.repeat(32)], ['v2.1_b', 'v2.1_b'], ['--', null],
]) {
    test(`the seed of a rollout in “${name}” is ${seed}`, () => assert.equal(seedOf(name), seed));
}

test('a new percentage has the seed, and other fields none', () => {
    const rule = {kind: 'rule', element: 'app.version', key: null, comparison: '>=', values: ['2']};
    setField(rule, 'percent', 'beta');
    assert.equal(rule.key, 'beta');
    setField(rule, 'app.version', 'beta');
    assert.deepEqual([rule.key, rule.values, missingValue(rule)], [null, [''], 'Enter the version.']);
});
