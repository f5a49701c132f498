import './browser.mjs';

import assert from 'node:assert/strict';
import {test} from 'node:test';

import {partName, partValue}
    from '../../Sources/Console/Pages/differences/difference-parts.js';
import {matching, noFilter, filterOf, filterParameters, isFiltering}
    from '../../Sources/Console/Pages/settings/setting-index.js';
import {usesByCondition} from '../../Sources/Console/Pages/template/condition-uses.js';
import {archivedCount, isArchived, knownNotes, ownerOf, permanentReasonOf, tagsIn, tagsOf}
    from '../../Sources/Console/Pages/template/setting-notes.js';
import {repeatedDefaults} from '../../Sources/Console/Pages/transfer/repeated-defaults.js';
import {isDifferent, reasonText} from '../../Sources/Console/Pages/users/user-settings.js';

const value = {defaultValue: {value: 'x'}};
const template = {
    conditions: [{name: 'beta', expression: 'true'}],
    parameters: {plain: value, owned: {...value, owner: 'Team Home', tags: ['launch', 'a b']}},
    parameterGroups: {Home: {parameters: {
        kept: {...value, owner: 'Ada', tags: ['launch'], permanent: 'Kill switch'},
        plain: {...value, archived: true, owner: 'Ada', tags: ['old'],
            conditionalValues: {beta: {value: 'b'}}}}}}};

test('the notes of a setting are read, also of a draft with problems', () => {
    const {kept, plain} = template.parameterGroups.Home.parameters;
    assert.deepEqual([ownerOf(kept), tagsOf(kept), permanentReasonOf(kept), isArchived(kept)],
        ['Ada', ['launch'], 'Kill switch', false]);
    assert.equal(isArchived(plain), true);
    const wrong = {owner: 1, tags: 'a', permanent: true, archived: 'yes'};
    assert.deepEqual([ownerOf(wrong), tagsOf(wrong), permanentReasonOf(wrong), isArchived(wrong)],
        ['', [], '', false]);
    assert.deepEqual(tagsOf({tags: ['a', 1, null]}), ['a']);
});

for (const [text, tags] of [['', []], [' , ', []], ['a', ['a']], [' a b ,c,, a b', ['a b', 'c']]]) {
    test(`the tags in "${text}" are ${JSON.stringify(tags)}`, () => {
        assert.deepEqual(tagsIn(text), tags);
    });
}

test('the owners and tags of a template are offered once, sorted', () => {
    assert.deepEqual(knownNotes(template),
        {owners: ['Ada', 'Team Home'], tags: ['a b', 'launch', 'old']});
    assert.equal(archivedCount(template), 1);
});

for (const [filter, names] of [
    [{}, ['Default.plain', 'Default.owned', 'Home.kept']],
    [{archived: 'shown'}, ['Default.plain', 'Default.owned', 'Home.kept', 'Home.plain']],
    [{tag: 'launch'}, ['Default.owned', 'Home.kept']],
    [{tag: 'old'}, []],
    [{tag: 'old', archived: 'shown'}, ['Home.plain']],
    [{owner: 'Ada'}, ['Home.kept']],
    [{find: 'team launch'}, ['Default.owned']],
    [{find: 'kill'}, ['Home.kept']],
    [{changed: 'draft'}, ['Default.plain', 'Default.owned', 'Home.kept', 'Home.plain']],
]) {
    test(`the filter ${JSON.stringify(filter)} finds ${names.join(', ') || 'nothing'}`, () => {
        assert.deepEqual(matching(template, {}, {...noFilter, ...filter}).map(({name}) => name),
            names);
        const query = new URLSearchParams(filterParameters({...noFilter, ...filter}));
        assert.deepEqual(filterOf(query), {...noFilter, ...filter});
    });
}

test('archived settings that are shown are no reason to call the list filtered', () => {
    assert.equal(isFiltering({...noFilter, archived: 'shown'}), false);
    assert.equal(isFiltering({...noFilter, tag: 'a'}), true);
});

test('a condition that only archived settings use is unused', () => {
    assert.equal(usesByCondition(template).has('beta'), false);
    assert.deepEqual(usesByCondition(template, true).get('beta'), ['Home.plain']);
});

test('an archived setting takes no name in a file of defaults', () => {
    assert.deepEqual(repeatedDefaults(template), []);
});

test('differences name the members as the forms do', () => {
    assert.deepEqual(['owner', 'tags', 'permanent', 'archived'].map(partName),
        ['Owner', 'Tags', 'Permanent, because', 'Archived']);
    assert.equal(partValue('tags', ['a', 'b c']), 'a, b c');
    assert.equal(partValue('archived', true), 'Yes: nobody gets it');
    assert.equal(partValue('archived', undefined), undefined);
});

test('a preview says that a setting is archived', () => {
    assert.equal(reasonText({source: 'ARCHIVED'}), 'Archived: nobody gets it');
    assert.equal(isDifferent(template, 'Home', 'plain', {source: 'ARCHIVED'}), false);
});
