import {emptyStorages, MemoryStorage} from './browser.mjs';
import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';

import {forgetInputOf, PageInput} from '../../Sources/Console/Pages/controls/page-input.js';

const ana = {user: 'ana', project: 'shop'};

/** Listeners of the page's end. */
let asked = [];
globalThis.addEventListener = (_, listener) => asked.push(listener);
globalThis.removeEventListener = (_, listener) => {
    asked = asked.filter((other) => other !== listener);
};

beforeEach(emptyStorages);

test('input of a page stays until it is used', () => {
    new PageInput('user', ana).keep({userID: '9'});
    assert.deepEqual(new PageInput('user', ana).content, {userID: '9'});
    new PageInput('user', ana).forget();
    assert.equal(new PageInput('user', ana).content, null);
});

test('input belongs to a page, a user and a project', () => {
    new PageInput('user', ana).keep({userID: '9'});
    assert.equal(new PageInput('transfer', ana).content, null);
    assert.equal(new PageInput('user', {...ana, user: 'bob'}).content, null);
    assert.equal(new PageInput('user', {...ana, project: 'other'}).content, null);
});

for (const [name, text, room] of [
    ['a long text', 'x'.repeat((1 << 20) + 1), Infinity], ['a full storage', 'x', 0]]) {
    test(`${name} stays while the page is open, whose end asks first`, () => {
        MemoryStorage.room = room;
        const input = new PageInput('transfer', ana);
        input.keep({text});
        assert.equal(new PageInput('transfer', ana).content.text, text);
        assert.equal(Object.keys(sessionStorage).length, 0);
        const event = new Event('beforeunload', {cancelable: true});
        asked.forEach((listener) => listener(event));
        assert.ok(event.defaultPrevented);
        forgetInputOf('an');
        assert.equal(input.content.text, text);
        for (const forget of [() => input.forget(), () => forgetInputOf(ana.user)]) {
            input.keep({text});
            forget();
            assert.equal(input.content, null);
            assert.deepEqual(asked, []);
        }
    });
}

test('a stored content that cannot be read is no content', () => {
    new PageInput('user', ana).keep({});
    for (const key of Object.keys(sessionStorage)) sessionStorage[key] = '{';
    assert.equal(new PageInput('user', ana).content, null);
});
