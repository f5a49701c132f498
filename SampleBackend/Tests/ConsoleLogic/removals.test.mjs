import './browser.mjs';

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {isEmptyTemplate, removals} from '../../Sources/Console/Pages/template/removals.js';

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
