import assert from 'node:assert/strict';
import {test} from 'node:test';

import './browser.mjs';
import {comparisonNews} from '../../Sources/Console/Pages/transfer/comparison-news.js';
import {PromotionChoice} from '../../Sources/Console/Pages/transfer/promotion-choice.js';

/**
 * @param {string} key
 * @param {Difference['change']} change
 * @param {PartDifference[]} [parts]
 * @returns {Difference}
 */
const setting = (key, change, parts = [{name: 'defaultValue', old: '1', new: '2'}]) => ({
    section: key < 'm' ? 'Home' : 'Shop', key, change, name: '', parts});

/** @param {string} name @param {Difference['change']} change @returns {Difference} */
const section = (name, change) => ({section: '', key: '', name, change,
    parts: [{name: 'description', old: 'a', new: 'b'}]});

/** @param {Partial<Comparison>} [members] @param {Difference[]} [affected] */
const choiceOf = (members = {}, affected = []) => new PromotionChoice({
    with: 'staging', withVersionNumber: '12', withETag: 'etag-staging-12', versionNumber: '7',
    etag: 'etag-shop-7', affectedSettings: [], conditions: [], groups: [],
    parameters: [setting('a', 'ADDED'), setting('b', 'CHANGED'), setting('z', 'CHANGED'),
        setting('c', 'REMOVED'), setting('y', 'REMOVED')],
    ...members}, affected);

/** @param {PromotionChoice} choice */
const keys = (choice) => choice.request.settings.map(({key}) => key).join('');

test('all that differs is chosen at first, and nothing is removed', () => {
    const choice = choiceOf({}, [setting('d', 'CHANGED')]);
    assert.deepEqual(choice.request, {deletions: false, sections: [], settings: [
        {section: 'Home', key: 'a'}, {section: 'Home', key: 'b'}, {section: 'Shop', key: 'z'}]});
    assert.equal(choice.status, '3 of 4 settings');
    assert.equal(choice.text, '3 settings');
    assert.deepEqual(choice.offered.parameters.map(({key}) => key), ['a', 'b', 'z', 'd']);
});

test('single settings are chosen, all, and none', () => {
    const choice = choiceOf();
    choice.choose('setting', setting('b', 'CHANGED'), false);
    assert.equal(keys(choice), 'az');
    choice.chooseAll(false);
    assert.ok(choice.isEmpty);
    assert.equal(choice.text, '0 settings');
    choice.chooseAll(true);
    assert.equal(keys(choice), 'abz');
    assert.ok(!choice.isEmpty);
});

test('the settings of a section are chosen together', () => {
    const choice = choiceOf();
    assert.equal(choice.stateOf('Home'), 'all');
    choice.choose('setting', setting('a', 'ADDED'), false);
    assert.equal(choice.stateOf('Home'), 'some');
    choice.chooseSection('Home', false);
    assert.equal(choice.stateOf('Home'), 'none');
    assert.equal(keys(choice), 'z');
    choice.chooseSection('Home', true);
    assert.equal(keys(choice), 'abz');
});

test('settings that only this project has are offered with deletions, and not chosen', () => {
    const choice = choiceOf();
    assert.ok(choice.canDelete);
    assert.equal(choice.removableCount, 2);
    choice.deletions = true;
    assert.equal(keys(choice), 'abz');
    assert.equal(choice.status, '3 of 5 settings');
    assert.equal(choice.stateOf('Home'), 'some');
    choice.choose('setting', setting('c', 'REMOVED'), true);
    assert.equal(keys(choice), 'abzc');
    assert.equal(choice.request.deletions, true);
    choice.deletions = false;
    assert.equal(keys(choice), 'abz');
    choice.deletions = true;
    assert.equal(keys(choice), 'abz');
});

test('without deletions, parts that only this project has are not shown as copied', () => {
    const value = {name: 'conditionalValues.Beta', old: {value: '1'}};
    const both = setting('a', 'CHANGED', [{name: 'defaultValue', old: '1', new: '2'}, value]);
    const choice = choiceOf({parameters: [both, setting('b', 'CHANGED', [value])]});
    assert.deepEqual(choice.offered.parameters.map(({key, parts}) => [key, parts.length]), [['a', 1]]);
    assert.equal(keys(choice), 'a');
    assert.ok(choice.canDelete);
    assert.equal(choice.removableCount, 1);
    choice.deletions = true;
    assert.deepEqual(choice.offered.parameters.map(({key, parts}) => [key, parts.length]),
        [['a', 2], ['b', 1]]);
    assert.equal(keys(choice), 'a');
});

test('deletions are not offered where only the other project has something', () => {
    const added = setting('a', 'ADDED', [{name: 'defaultValue', new: '1'}]);
    assert.ok(!choiceOf({parameters: [added, setting('b', 'CHANGED')]}).canDelete);
});

test('a section that differs itself is copied with all of its settings', () => {
    const choice = choiceOf({groups: [section('Home', 'CHANGED')]});
    assert.deepEqual(choice.request.sections, ['Home']);
    assert.equal(keys(choice), 'z');
    assert.equal(choice.text, '3 settings and 1 section');
    assert.equal(choice.status, '3 of 3 settings and 1 of 1 section');
    choice.choose('setting', setting('a', 'ADDED'), false);
    assert.deepEqual(choice.request.sections, []);
    assert.equal(keys(choice), 'bz');
    choice.choose('group', section('Home', 'CHANGED'), true);
    assert.deepEqual(choice.request.sections, ['Home']);
    assert.equal(choice.stateOf('Home'), 'all');
    choice.choose('group', section('Home', 'CHANGED'), false);
    assert.deepEqual(choice.request.sections, []);
    assert.equal(keys(choice), 'abz');
    assert.equal(choice.stateOf('Home'), 'some');
});

test('a section is not chosen for what it does not show', () => {
    const groups = [section('Home', 'CHANGED')];
    const choice = choiceOf({groups}, [setting('d', 'CHANGED')]);
    assert.deepEqual(choice.request.sections, []);
    choice.chooseAll(true);
    assert.deepEqual(choice.request.sections, ['Home']);
    // It would remove a setting that is not chosen.
    choice.deletions = true;
    assert.deepEqual(choice.request.sections, []);
    assert.equal(keys(choice), 'abzd');
    // Settings that the answer leaves out would be copied, too.
    assert.deepEqual(choiceOf({groups, omitted: 3}).offered.groups, []);
    assert.equal(choiceOf({groups, omitted: 3}).offered.omitted, 3);
});

test('a new section comes with its settings, and is chosen itself if it has none', () => {
    const [home, empty] = [section('Home', 'ADDED'), section('Empty', 'ADDED')];
    const choice = choiceOf({groups: [home, empty]});
    assert.deepEqual(choice.offered.groups.map(({name}) => name), ['Empty']);
    assert.deepEqual(choice.others.groups, [home]);
    choice.chooseAll(false);
    choice.choose('group', empty, true);
    assert.deepEqual(choice.request, {deletions: false, sections: ['Empty'], settings: []});
    assert.equal(choice.text, '1 section');
    assert.equal(choice.status, '0 of 3 settings and 1 of 1 section');
});

test('a section that only this project has is removed with all of its settings', () => {
    const gone = section('Shop', 'REMOVED');
    const choice = choiceOf({groups: [gone], parameters: [setting('y', 'REMOVED')]});
    assert.deepEqual(choice.others.groups, [gone]);
    assert.equal(choice.status, '');
    choice.deletions = true;
    assert.deepEqual(choice.others.groups, []);
    assert.ok(choice.isEmpty);
    choice.choose('group', gone, true);
    assert.deepEqual(choice.request, {deletions: true, sections: ['Shop'], settings: []});
});

// Another comparison, after one of the projects has changed.

test('what was chosen and still differs stays chosen, what is new is not', () => {
    const before = choiceOf();
    before.choose('setting', setting('b', 'CHANGED'), false);
    const other = [{name: 'defaultValue', old: '1', new: '3'}];
    const now = choiceOf({parameters: [setting('b', 'CHANGED'), setting('z', 'CHANGED', other),
        setting('d', 'ADDED')]});
    now.takeOver(before);
    assert.equal(keys(now), 'z');
    const {added, gone, changed} = now.newsSince(before);
    assert.deepEqual([added, gone, changed].map((found) => found.map(({key}) => key)),
        [['d'], ['a'], ['z']]);
});

test('a setting that was to be copied is not removed, one that was to be removed is', () => {
    const before = choiceOf();
    before.deletions = true;
    before.choose('setting', setting('c', 'REMOVED'), true);
    const now = choiceOf({parameters: [setting('a', 'REMOVED'), setting('c', 'REMOVED')]});
    now.takeOver(before);
    assert.equal(now.deletions, true);
    assert.equal(keys(now), 'c');
});

test('a section is not chosen any more when a setting of it is new', () => {
    const groups = [section('Home', 'CHANGED')];
    const before = choiceOf({groups});
    const same = choiceOf({groups});
    same.takeOver(before);
    assert.deepEqual(same.request.sections, ['Home']);
    const more = choiceOf({groups, parameters: [setting('a', 'ADDED'), setting('b', 'CHANGED'),
        setting('e', 'ADDED')]});
    more.takeOver(before);
    assert.deepEqual(more.request.sections, []);
    assert.equal(keys(more), 'ab');
});

test('the news of another comparison say who has changed, and what became of the choice', () => {
    /** @type {Comparison} */
    const before = {with: 'staging', withVersionNumber: '12', withETag: 'etag-staging-12',
        versionNumber: '7', etag: 'etag-shop-7', affectedSettings: [], conditions: [], groups: [],
        parameters: []};
    const none = {added: [], gone: [], changed: []};
    const end = ' Look at what is copied, then press the button again.';
    const [theirs, own] = [{withETag: 'etag-staging-13'}, {etag: 'etag-shop-8'}];
    assert.equal(comparisonNews(before, {...before, ...theirs}, none, 0),
        `staging has changed: compared again.${end}`);
    assert.equal(comparisonNews(before, {...before, ...own}, none, 1), 'This project has changed: '
        + `compared again. 1 decision is open again, since what it is between has changed.${end}`);
    assert.equal(comparisonNews(before, {...before, ...own, ...theirs}, {
        gone: [setting('a', 'ADDED')], added: ['b', 'c', 'd', 'e'].map((key) => setting(key, 'ADDED')),
        changed: [setting('z', 'CHANGED'), section('Home', 'CHANGED')]}, 2),
    'staging and this project have changed: compared again. 1 setting no longer differs: Home.a. '
        + '4 settings differ now, too, and are not chosen: Home.b, Home.c, Home.d and 1 more. '
        + '1 chosen setting and 1 chosen section differ otherwise now: Shop.z, Home. '
        + `2 decisions are open again, since what they are between has changed.${end}`);
    assert.equal(comparisonNews(before, before, none, 0), `Compared again.${end}`);
});
