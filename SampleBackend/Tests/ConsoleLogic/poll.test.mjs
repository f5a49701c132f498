import {Clock, settled} from './browser.mjs';
import assert from 'node:assert/strict';
import {afterEach, beforeEach, test} from 'node:test';

import {poll} from '../../Sources/Console/Pages/server/poll.js';

let clock;
let left;

beforeEach(() => {
    clock = new Clock().start();
    left = new AbortController();
});

afterEach(() => {
    left.abort();
    clock.end();
    delete globalThis.document;
});

/** An action that notes the times of its calls; each ends when `end` is called. */
function heldAction() {
    const times = [];
    let end = () => {};
    const action = () => new Promise((resolve, reject) => {
        times.push(clock.now);
        end = (result, isFailure) => (isFailure ? reject(new Error('no')) : resolve(result));
    });
    return {times, action, end: async (...result) => {
        end(...result);
        await settled();
    }};
}

test('an action is called after the interval, and again after each call has ended', async () => {
    const {times, action, end} = heldAction();
    poll(action, 100, left.signal);
    await clock.pass(250);
    assert.deepEqual(times, [100]);
    await end();
    await clock.pass(99);
    assert.deepEqual(times, [100]);
    await clock.pass(1);
    assert.deepEqual(times, [100, 350]);
});

test('a call that fails is repeated, one that resolves to false is the last', async () => {
    const {times, action, end} = heldAction();
    poll(action, 100, left.signal);
    await clock.pass(100);
    await end(null, true);
    await clock.pass(100);
    await end(false);
    await clock.pass(1000);
    assert.deepEqual(times, [100, 200]);
    assert.equal(clock.count, 0);
});

test('a call that is asked for comes earlier, but never during another one', async () => {
    const {times, action, end} = heldAction();
    const again = poll(action, 100, left.signal);
    again();
    await clock.pass(0);
    again(10);
    again(20);
    await clock.pass(50);
    assert.deepEqual(times, [0]);
    await end();
    await clock.pass(0);
    assert.deepEqual(times, [0, 50]);
    await end();
    await clock.pass(100);
    assert.deepEqual(times, [0, 50, 150]);
});

test('a hidden tab calls nothing until it is shown', async () => {
    const {times, action} = heldAction();
    globalThis.document = {hidden: true};
    const again = poll(action, 100, left.signal);
    await clock.pass(250);
    assert.deepEqual(times, []);
    globalThis.document.hidden = false;
    again();
    await clock.pass(0);
    assert.deepEqual(times, [250]);
});

test('after the signal nothing is called', async () => {
    const {times, action, end} = heldAction();
    const again = poll(action, 100, left.signal);
    await clock.pass(100);
    left.abort();
    await end();
    again();
    await clock.pass(1000);
    assert.deepEqual([times, clock.count], [[100], 0]);
});
