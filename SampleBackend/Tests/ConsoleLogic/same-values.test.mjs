import assert from 'node:assert/strict';
import {test} from 'node:test';

import {draftSameValues, sameValues}
    from '../../Sources/Console/Pages/template/same-values.js';

const order = ['A', 'B', 'C'].map((name) => ({name}));
const setting = (value, values) => ({defaultValue: value === undefined ? value : {value},
    conditionalValues: Object.fromEntries(
        Object.entries(values).map(([name, text]) => [name, {value: text}]))});

for (const [title, parameter, expected] of [
    ['a copy of the default', setting('false', {A: 'false'}), ['A']],
    ['another value', setting('false', {A: 'true'}), []],
    ['a copy above another value', setting('false', {A: 'false', B: 'true'}), []],
    ['a copy below another value', setting('false', {A: 'true', B: 'false'}), ['B']],
    ['copies only', setting('1', {C: '1', A: '1'}), ['A', 'C']],
    ['no default value', setting(undefined, {A: '1'}), []],
    ['the in-app default twice',
        {defaultValue: {useInAppDefault: true}, conditionalValues: {A: {useInAppDefault: true}}},
        ['A']],
    ['no conditional values', {defaultValue: {value: '1'}}, []],
]) {
    test(`of ${title}, ${expected.join(' and ') || 'nothing'} changes nothing`, () => {
        assert.deepEqual(sameValues(parameter, order), expected);
    });
}

test('the review names copies in settings that the draft changes', () => {
    const old = setting('1', {A: '1'});
    const base = {conditions: order, parameters: {old}};
    const template = {conditions: order,
        parameters: {old, fresh: setting('2', {B: '2'})}};
    assert.deepEqual(draftSameValues(template, base),
        [{setting: 'Default.fresh', condition: 'B'}]);
    assert.deepEqual(draftSameValues(base, base), []);
});
