import {settled} from './browser.mjs';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';

import {hold, isPageLocked, release, watchHistory}
    from '../../Sources/Console/Pages/controls/held-entry.js';

globalThis.window = new EventTarget();

/** A tab's history, which moves later than it is asked to, as a browser's. */
const tab = {
    entries: [{state: null, hash: '#/p/settings'}], at: 0, scrollRestoration: 'auto',
    get state() {
        return this.entries[this.at].state;
    },
    replaceState(state, _, url) {
        this.entries[this.at] = {state, hash: url ? new URL(url, location.href).hash : location.hash};
        location.hash = this.entries[this.at].hash;
    },
    pushState(state) {
        this.entries.splice(this.at + 1, Infinity, {state, hash: location.hash});
        this.at += 1;
    },
    go(steps) {
        setImmediate(() => {
            this.at += steps;
            location.hash = this.entries[this.at].hash;
            window.dispatchEvent(new Event('popstate'));
        });
    },
    back() {
        this.go(-1);
    },
    /** The user enters an address. */
    enter(hash) {
        location.hash = hash;
        this.pushState(null);
        window.dispatchEvent(new Event('popstate'));
    },
};
globalThis.history = tab;
location.hash = '#/p/settings';
watchHistory();

let left;

beforeEach(() => {
    left = [];
    hold((entered) => left.push(entered));
});

afterEach(async () => {
    await release();
    assert.equal(isPageLocked(), false);
});

test('the page is locked from the first dialog until the tab is back at its entry', async () => {
    assert.deepEqual([isPageLocked(), tab.state.isDialog], [true, true]);
    const released = release();
    assert.ok(isPageLocked());
    await released;
    assert.deepEqual([isPageLocked(), tab.state.isDialog], [false, undefined]);
    assert.deepEqual(left, []);
});

test('a second dialog holds the same entry', () => {
    const {length} = tab.entries;
    hold(() => {});
    assert.equal(tab.entries.length, length);
});

test('Back is no navigation: the tab returns to the entry', async () => {
    tab.back();
    await settled();
    await settled();
    assert.deepEqual(left, [null]);
    assert.ok(isPageLocked() && tab.state.isDialog);
});

test('Back that closes the dialog leaves the entry as well', async () => {
    hold(() => release());
    tab.back();
    for (let step = 0; step < 5; step += 1) await settled();
    assert.deepEqual([isPageLocked(), tab.state.isDialog], [false, undefined]);
});

test('an entered address is handed over, and the tab returns to the entry', async () => {
    tab.enter('#/p/live');
    await settled();
    await settled();
    assert.deepEqual(left, [{token: null, place: '#/p/live'}]);
    assert.ok(isPageLocked() && tab.state.isDialog);
    assert.equal(location.hash, '#/p/settings');
});

test('of two releases at once one steps back', async () => {
    const {at} = tab;
    await Promise.all([release(), release()]);
    assert.equal(tab.at, at - 1);
});
