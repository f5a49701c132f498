import './browser.mjs';
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {linkedPages} from '../../Sources/Console/Pages/frame/pages.js';
import {isPaletteKey} from '../../Sources/Console/Pages/palette/palette-button.js';
import {paletteEntries} from '../../Sources/Console/Pages/palette/palette-entries.js';
import {noteChoice, recentChoices} from '../../Sources/Console/Pages/palette/palette-recent.js';
import {PaletteSearch} from '../../Sources/Console/Pages/palette/palette-search.js';

const entry = (kind, title, rest = {}) => ({
    id: `${kind} ${title}`, kind, title, run: () => {}, ...rest});

const entries = [
    entry('Page', 'Settings', {words: 'go to open'}),
    entry('Page', 'Conditions'),
    entry('Action', 'Add setting …', {words: 'new create', refusal: 'Your role is viewer.'}),
    entry('Action', 'Sign out', {words: 'log out'}),
    entry('Project', 'Shop, production', {detail: 'Switch to this project'}),
    entry('Setting', 'Home.title', {detail: 'Greets the user'}),
    entry('Setting', 'Home.subtitle'),
    entry('Setting', 'Home.refreshInterval'),
    entry('Setting', 'Limits.HTTPRetries'),
    entry('Setting', 'A.retries'),
    entry('Setting', 'A.entries'),
    entry('Setting', 'İstanbul.isOpen'),
    entry('Condition', 'New home', {detail: "device.country == 'DE'"}),
];

const found = (query, recent = []) => new PaletteSearch(entries, recent).find(query)
    .map(({title}) => title);

for (const [query, titles] of [
    ['title home', ['Home.title', 'Home.subtitle']],
    ['HOME  titl', ['Home.title', 'Home.subtitle']],
    ['title', ['Home.title', 'Home.subtitle']],
    ['home', ['Home.title', 'Home.subtitle', 'Home.refreshInterval', 'New home']],
    ['interval', ['Home.refreshInterval']],
    ['ref', ['Home.refreshInterval']],
    ['retries', ['A.retries', 'Limits.HTTPRetries']],
    ['tries', ['A.retries', 'A.entries', 'Limits.HTTPRetries']],
    ['isopen', ['İstanbul.isOpen']],
    ['setting', ['Settings', 'Add setting …', 'A.retries', 'A.entries', 'Home.title',
        'Home.subtitle', 'İstanbul.isOpen', 'Limits.HTTPRetries', 'Home.refreshInterval']],
    ['new setting', ['Add setting …']],
    ['greets', ['Home.title']],
    ['country', ['New home']],
    ['switch shop', ['Shop, production']],
    ['log', ['Sign out']],
    ['nothing like this', []],
]) {
    test(`the palette finds ${titles.join(', ') || 'nothing'} by ${query}`, () => {
        assert.deepEqual(found(query), titles);
    });
}

test('an empty query finds all, pages and possible actions first', () => {
    assert.deepEqual(found(' '), ['Settings', 'Conditions', 'Sign out', 'Add setting …',
        'Shop, production', 'Home.title', 'Home.subtitle', 'Home.refreshInterval',
        'Limits.HTTPRetries', 'A.retries', 'A.entries', 'İstanbul.isOpen', 'New home']);
});

test('recent choices come first among equally good matches', () => {
    const recent = ['Condition New home', 'Setting Home.refreshInterval', 'Setting Home.subtitle'];
    assert.deepEqual(found('', recent).slice(0, 4),
        ['New home', 'Home.refreshInterval', 'Home.subtitle', 'Settings']);
    assert.deepEqual(found('home', recent),
        ['New home', 'Home.refreshInterval', 'Home.subtitle', 'Home.title']);
    assert.deepEqual(found('title', recent), ['Home.title', 'Home.subtitle']);
});

test('the last ten choices of a project are kept, the newest first', () => {
    const shop = {user: 'ada', project: 'shop'};
    assert.deepEqual(recentChoices(shop), []);
    for (let number = 0; number < 12; number += 1) noteChoice(shop, `page ${number}`);
    noteChoice(shop, 'page 5');
    noteChoice({...shop, project: 'other'}, 'page 1');
    assert.deepEqual(recentChoices(shop),
        [5, 11, 10, 9, 8, 7, 6, 4, 3, 2].map((number) => `page ${number}`));
    assert.deepEqual(recentChoices({...shop, user: 'bob'}), []);
    localStorage.setItem('activeconfig.palette.ada.shop', '{"not": "a list"}');
    assert.deepEqual(recentChoices(shop), []);
    localStorage.setItem('activeconfig.palette.ada.shop', 'no JSON');
    assert.deepEqual(recentChoices(shop), []);
});

test('the shortcut is Ctrl+K, and ⌘K on a Mac', () => {
    const key = {key: 'k', code: 'KeyK', ctrlKey: true, metaKey: false, altKey: false,
        shiftKey: false};
    const command = {...key, ctrlKey: false, metaKey: true};
    assert.ok(isPaletteKey(key, false));
    assert.ok(isPaletteKey({...key, key: 'K'}, false));
    assert.ok(isPaletteKey({...key, key: 'л'}, false));
    assert.ok(isPaletteKey(command, true));
    for (const other of [{...key, shiftKey: true}, {...key, altKey: true}, {...key, key: 't'},
        {...key, key: 'j', code: 'KeyK'}, {...key, ctrlKey: false}, command]) {
        assert.ok(!isPaletteKey(other, false), JSON.stringify(other));
    }
    assert.ok(!isPaletteKey(key, true));
});

const template = {
    conditions: [{name: 'Germany', expression: "device.country == 'DE'"}],
    parameterGroups: {Home: {parameters: {title: {description: 'Greets'}}}},
};

/** Refusals of the actions, by title. */
const refusals = (role, draft, more = {}) => Object.fromEntries(paletteEntries(
    {session: {name: 'Ann', role, csrfToken: ''}, project: 'shop', redraw: () => {},
        workspace: {template, draft, isPublishing: false, ...more}}, linkedPages, [], async () => {})
    .filter(({kind}) => kind === 'Action').map(({title, refusal}) => [title, refusal ?? null]));

test('actions that a role may not use have the reason', () => {
    const editor = 'Your role is viewer. This needs the role editor.';
    assert.deepEqual(refusals('viewer', null), {
        'Add setting …': editor, 'Add condition …': editor, 'Add section …': editor,
        'Publish the draft …': 'Your role is viewer. This needs the role publisher.',
        'Request a review …': editor, 'Discard the draft …': editor, Undo: editor, Redo: editor, 'Import settings …': editor,
        'Export …': null, 'Sign out': null});
    assert.equal(refusals('editor', {})['Publish the draft …'],
        'Your role is editor. This needs the role publisher.');
    assert.equal(refusals('editor', null)['Add setting …'], null);
});

test('actions on a draft need one', () => {
    const without = refusals('publisher', null);
    assert.equal(without['Publish the draft …'], 'There is no draft.');
    assert.equal(without['Discard the draft …'], 'There is no draft.');
    const steps = {undoName: 'isOn true', redoName: 'isOn false'};
    assert.ok(Object.values(refusals('publisher', {}, steps)).every((refusal) => refusal === null));
    assert.equal(refusals('publisher', {}, {isPublishing: true})['Discard the draft …'],
        'The draft is being published.');
});

test('undo and redo have the names of their steps', () => {
    const all = refusals('editor', {}, {undoName: 'isOn true', redoName: null});
    assert.equal(all['Undo: isOn true'], null);
    assert.equal(all.Redo, 'There is nothing to redo.');
});

test('settings, conditions, pages and other projects are entries', () => {
    const all = paletteEntries({session: {name: 'Ann', role: 'viewer', csrfToken: ''},
        project: 'shop', workspace: {template, draft: null}}, linkedPages, [
        {name: 'shop'}, {name: 'web', displayName: 'Web shop'}], async () => {});
    const titles = (kind) => all.filter((each) => each.kind === kind).map(({title}) => title);
    assert.deepEqual(titles('Setting'), ['Home.title']);
    assert.deepEqual(titles('Condition'), ['Germany']);
    assert.deepEqual(titles('Project'), ['Web shop']);
    assert.equal(titles('Page').length, 13);
    assert.equal(new Set(all.map(({id}) => id)).size, all.length);
    const none = paletteEntries(null, linkedPages, [{name: 'shop'}], async () => {});
    assert.deepEqual(none.map(({title}) => title), ['Sign out', 'shop']);
});
