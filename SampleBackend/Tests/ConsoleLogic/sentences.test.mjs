import './browser.mjs';
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {fixture} from './fixtures.mjs';
import {publisherName} from '../../Sources/Console/Pages/controls/controls.js';
import {jsonText, parseJSON} from '../../Sources/Console/Pages/json/json-text.js';
import {arrivalText} from '../../Sources/Console/Pages/live/arrival.js';
import {deliveryText, effectText, reading, sentence}
    from '../../Sources/Console/Pages/live/live-reading.js';
import {conflictName} from '../../Sources/Console/Pages/merge/conflict-view.js';
import {isOfType, pinProblem, typeOf, valueOf} from '../../Sources/Console/Pages/users/pin-dialog.js';
import {isReachKnown, isUnreached, sentence as reachSentence, valueName}
    from '../../Sources/Console/Pages/review/reach.js';
import {changedConditions} from '../../Sources/Console/Pages/review/draft-check.js';
import {capitalized, count, numberText, percentText, quoted}
    from '../../Sources/Console/Pages/text/formats.js';
import {pairsOf} from '../../Sources/Console/Pages/users/custom-signals.js';
import {signalParameters, signalsOf} from '../../Sources/Console/Pages/users/signal-fields.js';
import {shownAddress, withoutSecrets} from '../../Sources/Console/Pages/access/webhook-address.js';

for (const [number, text] of [
    [0, '0 settings'], [1, '1 setting'], ['1', '1 setting'], [1234, '1,234 settings']]) {
    test(`${JSON.stringify(number)} is counted as ${text}`,
        () => assert.equal(count(number, 'setting'), text));
}

test('large numbers have separators, names in a list quotation marks', () => {
    assert.equal(numberText('1234567'), '1,234,567');
    assert.equal(quoted(['Beta', 'Old apps']), '“Beta”, “Old apps”');
    assert.equal(capitalized('deep orange'), 'Deep orange');
    assert.equal(capitalized(''), '');
});

test('a publisher is shown by name, else by address', () => {
    assert.equal(publisherName({updateUser: {name: 'ada', email: 'a@b'}}), 'ada');
    assert.equal(publisherName({updateUser: {name: '', email: 'a@b'}}), 'a@b');
    assert.equal(publisherName({}), 'someone');
    assert.equal(publisherName({updateUser: {name: 'environment'}}), 'Admin token');
    assert.equal(publisherName(null, 'Someone else'), 'Someone else');
});

for (const [address, kept] of [
    ['https://user:secret@example.com/hook', 'https://example.com/hook'],
    ['https://example.com/hook?key=secret#x', 'https://example.com/hook'],
    [' https://example.com/a@b ', 'https://example.com/a@b'],
    ['https://a@b@example.com/', 'https://example.com/'], ['user:secret@host', 'user:host'],
    ['https://example.com#secret', 'https://example.com'], ['', ''],
    ['//user:secret@example.com/hook', '//example.com/hook'], ['/user:secret@host', '/host'],
]) test(`${address || 'no address'} is kept as ${kept || 'nothing'}`, () => (
    assert.equal(withoutSecrets(address), kept)));

for (const [address, shown] of [
    ['https://w/hook', 'https://w/hook'], ['https://w/?', 'https://w/?'],
    ['https://w/?key=secret&x=&secret&a=b=c?d', 'https://w/?key=***&x=&***&a=***'],
    ['https://w/?key=***&***', 'https://w/?key=***&***'],
]) test(`${address} is shown as ${shown}`, () => assert.equal(shownAddress(address), shown));

for (const [conflict, text] of [
    [{kind: 'PARAMETER', section: 'Home', key: 'a'}, 'Home.a'],
    [{kind: 'PARAMETER', section: 'Home', key: 'a', field: 'defaultValue'}, 'Home.a, default value'],
    [{kind: 'PARAMETER', section: 'Home', key: 'a', field: 'odd'}, 'Home.a, odd'],
    [{kind: 'PARAMETER', section: 'Home', key: 'a', condition: 'B'}, 'Home.a, value for “B”'],
    [{kind: 'CONDITION', name: 'B'}, 'The condition B'], [{kind: 'GROUP', name: 'G'}, 'The section G'],
    [{kind: 'CONDITION_ORDER'}, 'The order of the conditions'], [{kind: 'FIELD', name: 'x'}, 'x'],
]) test(`a conflict is called ${text}`, () => assert.equal(conflictName(conflict), text));

test('the newest version is the highest that anybody knows', () => {
    const now = reading({connections: 4, versions: {9: 3, 10: 1},
        lastPublish: {version: '10', users: 2}}, '9');
    assert.deepEqual([now.newest, now.arrived, now.share, now.lastPublish],
        ['10', 1, 0.25, {version: '10', users: 2}]);
    const later = reading({connections: 4, versions: {9: 4}, lastPublish: {version: '9'}}, '10');
    assert.deepEqual([later.newest, later.arrived, later.share, later.lastPublish],
        ['10', 0, 0, null]);
    assert.equal(reading({connections: 0}, undefined).share, null);
    assert.equal(reading({connections: 0}, undefined).newest, '0');
});

for (const [now, text] of [
    [{connections: 0}, 'No app is connected now.'],
    [{connections: 1, newest: '3', arrived: 1, share: 1},
        '1 of 1 connected app has version 3 (100%).'],
    [{connections: 2000, newest: '3', arrived: 1500, share: 0.75},
        '1,500 of 2,000 connected apps have version 3 (75%).'],
    [{connections: 3, newest: '3', arrived: 1, share: 1 / 3},
        '1 of 3 connected apps has version 3 (33.3%).'],
]) test(`a reading is shown as: ${text}`, () => assert.equal(sentence(now), text));

for (const [all, has, text] of [
    [0, 0, 'No app is connected: apps get it with their next request.'],
    [1, 1, '1 of 1 connected app has it.'],
    [2, 1, '1 of 2 connected apps has it so far.'],
    [2000, 1500, '1,500 of 2,000 connected apps have it so far.'],
    [1, 0, 'The connected app does not have it yet.'],
    [2000, 0, 'None of the 2,000 connected apps has it yet.'],
]) test(`the arrival at ${has} of ${all} apps is shown as: ${text}`, () => {
    assert.equal(arrivalText(all, has), text);
});

for (const [delivery, text] of [[null, ''], [{seconds: 7.4, isComplete: false}, ', spreading for 7 s'],
    [{seconds: 1.4, isComplete: true}, ', reached all within a second or two'],
    [{seconds: 1.5, isComplete: true}, ', reached all after 2 s']]) {
    test(`a delivery is shown as "${text}"`, () => assert.equal(deliveryText(delivery), text));
}

for (const [effect, text] of [[null, ''],
    [{users: 0, changed: 0}, 'No user was connected when it was published.'],
    [{users: 1, changed: 1}, 'It changed something for 1 of 1 user connected when it was published.'],
    [{users: 2000, changed: 1000},
        'It changed something for 1,000 of 2,000 users connected when it was published.']]) {
    test(`an effect is shown as "${text}"`, () => assert.equal(effectText(effect), text));
}

test('shares have at most one decimal', () => {
    assert.deepEqual([0, 1 / 3, 0.9999, 1].map(percentText), ['0%', '33.3%', '100%', '100%']);
});

for (const [value, text] of [
    [{matching: 5, reached: 3}, '3 users of 10 get it.'],
    [{matching: 5, reached: 1, takenBy: {A: 1500}}, '1 user of 10 get it; “A” takes 1,500.'],
    [{matching: 5, reached: 0, condition: 'B', takenBy: {A: 3, C: 2}},
        'No user gets it: of 5 users for whom it is true, “A” takes 3, “C” takes 2. Move the '
        + 'condition up to reach them.'],
    [{matching: 0, reached: 0, condition: 'B'},
        'No user gets it: “B” is true for none of 10 users.'],
    [{matching: 0, reached: 0}, '0 users of 10 get it.'],
    [{matching: 1, reached: 0, shadow: 'A'},
        'No user gets it: “A” is above it with the same expression.'],
]) test(`reach is shown as: ${text}`, () => assert.equal(reachSentence(value, 10), text));

test('a value without users in a sample does not count as unreached', () => {
    assert.ok(isUnreached({reached: 0}, 10));
    assert.ok(!isUnreached({reached: 0}, 0));
    assert.ok(!isUnreached({reached: 1}, 10));
    assert.ok(isUnreached({reached: 1, shadow: 'A'}, 0));
    assert.equal(valueName({section: 'S', key: 'k'}), 'S.k, default value');
    assert.equal(valueName({section: 'S', key: 'k', condition: 'B'}), 'S.k, for “B”');
});

test('changed conditions are those that differ and those whose values do', () => {
    assert.deepEqual([...changedConditions({conditions: [{name: 'A'}], parameters: [
        {parts: [{name: 'conditionalValues.B.c'}, {name: 'defaultValue'}]}]})], ['A', 'B.c']);
});

for (const [text, type, result] of [
    ['true', 'BOOLEAN', 'true'], ['TRUE', 'BOOLEAN', undefined], ['1', 'BOOLEAN', undefined],
    ['1.10', 'NUMBER', '1.10'], ['1e400', 'NUMBER', '1e400'], ['"1"', 'NUMBER', undefined],
    ['', 'NUMBER', undefined], ['{"a":1.0}', 'JSON', '{"a":1.0}'], ['{', 'JSON', undefined],
    ['null', 'JSON', 'null'], ['{', 'STRING', '"{"'], ['', 'STRING', '""'],
]) {
    test(`${text || 'nothing'} is pinned as ${type} ${result ?? 'never'}`, () => {
        const value = valueOf(text, type);
        assert.equal(value === undefined ? undefined : jsonText(value), result);
    });
}

test('a pinned value has the type of its setting', () => {
    const number = parseJSON('1.10');
    assert.deepEqual(['BOOLEAN', 'NUMBER', 'JSON', 'STRING'].map((type) => isOfType(number, type)),
        [false, true, true, false]);
    assert.ok(isOfType('a', 'STRING') && isOfType(null, 'JSON') && !isOfType(null, 'STRING'));
    const template = {parameters: {a: {}, b: {valueType: 'JSON'}}};
    assert.equal(typeOf(template, 'Default', 'a'), 'STRING');
    assert.equal(typeOf(template, 'Default', 'b'), 'JSON');
    assert.equal(typeOf(template, 'Default', 'c'), undefined);
});

for (const {query, short} of fixture('TargetingTests/Fixtures/signal-names.json')) {
    test(`the signal ${query} is called ${short} in a preview`, () => {
        const signals = signalsOf([[query, 'x']]);
        assert.equal(jsonText(signals), jsonText(parseJSON(`{${JSON.stringify(short)}:"x"}`)));
        assert.deepEqual(Object.entries(signalParameters(signals)), [[query, 'x']]);
    });
}

test('other parameters of a query are no signals', () => {
    assert.equal(jsonText(signalsOf([['id', '7'], ['plan', 'x'], ['user.id', '7']])), '{}');
});

test('lines are pairs of names and values', () => {
    assert.deepEqual(pairsOf('plan = gold\n\n a=b=c \nempty\n  = x'),
        [['plan', 'gold'], ['a', 'b=c'], ['empty', ''], ['', 'x']]);
});

for (const [type, text, problem] of [
    ['NUMBER', '3', null], ['NUMBER', 'soon', '“soon” is not a number.'],
    ['NUMBER', '1e400', '“1e400” is not a number.'], ['NUMBER', '2,5', '“2,5” is not a number.'],
    ['NUMBER', ' ', 'Enter a number.'], ['NUMBER', 'true', '“true” is not a number.'],
    ['STRING', '', null], ['BOOLEAN', 'true', null], ['JSON', '{"a": [1e300]}', null],
    ['JSON', '{"a": [1e400]}', 'A number is too large.'],
]) {
    test(`${JSON.stringify(text)} ${problem ? 'cannot be' : 'is'} pinned as ${type}`, () => {
        assert.equal(pinProblem(text, type), problem);
    });
}

test('invalid JSON is not pinned', () => assert.match(pinProblem('{', 'JSON'), /^This is not JSON: /));

for (const [preview, isKnown] of [
    [{}, false], [{estimate: {evaluated: '0', changed: '0'}}, false],
    [{estimate: {evaluated: '3', changed: '0'}}, true],
    [{connected: {evaluated: 0, changed: 0, isComplete: true}}, true],
]) {
    test(`whom ${JSON.stringify(preview)} reaches is ${isKnown ? '' : 'un'}known`, () => {
        assert.equal(isReachKnown(preview), isKnown);
    });
}
