import {emptyStorages, MemoryStorage} from './browser.mjs';

import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';

import {PageInput} from '../../Sources/Console/Pages/controls/page-input.js';
import {keepForms, keptForms} from '../../Sources/Console/Pages/controls/unfinished-form.js';
import {DraftMirror} from '../../Sources/Console/Pages/drafts/draft-mirror.js';
import {KeptChoices} from '../../Sources/Console/Pages/merge/kept-choices.js';
import {noteChoice, recentChoices} from '../../Sources/Console/Pages/palette/palette-recent.js';
import {forgetUser, isOwn, ownKey, projectKey}
    from '../../Sources/Console/Pages/storage/stored-data.js';

beforeEach(emptyStorages);

const ada = {user: 'ada', project: 'p.q'};
const bob = {...ada, user: 'bob'};
const both = () => [localStorage, sessionStorage].flatMap((storage) => Object.keys(storage));
const conflict = {conflict: {path: 'parameters.a', mine: '8', theirs: '30'}, dependents: []};

/** Does what stores entries of a user. */
function work(owner) {
    new DraftMirror(owner.user, owner.project).write({draft: {}});
    keepForms(owner, 'settings', [{...owner, page: 'settings', kind: 'setting'}]);
    new PageInput('transfer', owner).keep({text: 'x'});
    new KeptChoices(owner, '3').choose(conflict, 'mine');
    noteChoice(owner, 'page review');
    for (const kind of ['steps', 'user']) sessionStorage.setItem(ownKey(kind, owner), '{}');
    localStorage.setItem(ownKey('impact', owner), '{}');
    localStorage.setItem(projectKey, owner.project);
    localStorage.setItem('other.site', 'x');
    sessionStorage.setItem('activeconfig.folds.p', '[]');
}

const notPersonal = ['activeconfig.folds.p', 'activeconfig.project', 'other.site'];
const kinds = (user) => both().filter((key) => isOwn(key, user)).map((key) => key.split('.')[1]).sort();

test('what a user stores has the user in its key, and is not shown to another one', () => {
    work(ada);
    assert.deepEqual(both().filter((key) => !isOwn(key, 'ada')).sort(), notPersonal);
    assert.equal(kinds('ada').length, 8);
    assert.deepEqual(kinds('bob'), []);
    assert.equal(new PageInput('transfer', bob).content, null);
    assert.deepEqual(keptForms(bob.user, bob.project), []);
    assert.equal(new KeptChoices(bob, '3').of(conflict), undefined);
    assert.deepEqual(recentChoices(bob), []);
});

test('users and projects of similar names have other keys', () => {
    const keys = [['a', 'b.c'], ['a.b', 'c'], ['a%2Eb', 'c'], ['', 'a.b.c'], ['a/b', 'c']].map(
        ([user, project]) => ownKey('draft', {user, project}));
    assert.equal(new Set(keys).size, keys.length);
    assert.ok(isOwn(ownKey('draft', {user: 'a.b', project: 'c'}), 'a.b'));
    assert.ok(!isOwn(ownKey('draft', {user: 'a.b', project: 'c'}), 'a'));
    assert.ok(!isOwn(projectKey, 'a'));
});

test('signing out deletes the entries of the user, and keeps the work of others', () => {
    work(ada);
    work(bob);
    forgetUser('ada');
    assert.deepEqual(kinds('ada'), []);
    assert.deepEqual(kinds('bob'), ['draft', 'forms', 'merge', 'page-transfer', 'steps']);
    assert.deepEqual(both().filter((key) => !isOwn(key, 'bob')).sort(),
        ['activeconfig.project', 'other.site']);
});

test('a session that ended in another tab leaves the work', () => {
    work(ada);
    forgetUser('ada', {keepsWork: true});
    assert.deepEqual(kinds('ada'), ['draft', 'forms', 'merge', 'page-transfer', 'steps']);
});

test('entries of earlier versions, which have no user, are deleted', () => {
    for (const kind of ['impact', 'palette']) localStorage.setItem(`activeconfig.${kind}.p`, '{}');
    forgetUser('ada', {keepsWork: true});
    assert.deepEqual(both(), []);
});

test('forms replace those of their user and project alone', () => {
    const form = (owner, key) => ({...owner, page: 'settings', kind: 'setting', arguments: [key]});
    const other = {...ada, project: 'q'};
    keepForms(ada, 'settings', [form(ada, 1)]);
    keepForms(other, 'settings', [form(other, 2)]);
    keepForms(bob, 'settings', [form(bob, 3)]);
    keepForms(ada, 'settings', [form(ada, 4), form(ada, 5)]);
    const kept = (owner) => keptForms(owner.user, owner.project).map((each) => each.arguments[0]);
    assert.deepEqual([ada, other, bob].map(kept), [[4, 5], [2], [3]]);
    keepForms(ada, 'settings', []);
    assert.deepEqual([ada, other, bob].map(kept), [[], [2], [3]]);
});

for (const text of ['{', '{}', 'null', '[null, 1, {}]']) {
    test(`stored forms that are ${text} are none`, () => {
        sessionStorage.setItem(ownKey('forms', ada), text);
        assert.deepEqual(keptForms(ada.user, ada.project), []);
    });
}

test('a full storage keeps no forms, and does not fail', () => {
    MemoryStorage.room = 5;
    const owner = {user: 'a', project: 'p'};
    keepForms(owner, 'settings', [{...owner, page: 'settings', kind: 'pin'}]);
    assert.deepEqual(keptForms(owner.user, owner.project), []);
});
