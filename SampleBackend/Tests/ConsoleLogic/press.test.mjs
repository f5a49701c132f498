import assert from 'node:assert/strict';
import {beforeEach, mock, test} from 'node:test';

/** Element of a page; every one is a control. */
globalThis.HTMLElement = globalThis.Element = class {
    closest() {
        return this;
    }

    contains(other) {
        return other === this;
    }

    matches(selector) {
        return selector.startsWith(this.name);
    }

    constructor(name) {
        this.name = name;
    }

    focus() {
        document.activeElement = this;
    }

    blur() {
        document.activeElement = null;
    }
};
/** @type {Record<string, (event: object) => void>} */
const listeners = {};
globalThis.window = {addEventListener: (name, listener) => {
    listeners[name] = listener;
}};
globalThis.document = {activeElement: null};
mock.timers.enable({apis: ['setTimeout']});

const {afterPress, released, watchPresses} = await import('../../Sources/Console/Pages/input/press.js');
watchPresses();

const button = new Element('button');
const field = new Element('input');
let done;

/** Dispatches an event; true if its default is prevented. */
function dispatch(name, target, members = {}) {
    let isPrevented = false;
    listeners[name]({target, button: 0, detail: 1, ...members, preventDefault: () => {
        isPrevented = true;
    }});
    return isPrevented;
}

beforeEach(() => {
    done = [];
    dispatch('pointerup', button);
    mock.timers.tick(0);
    document.activeElement = null;
});

test('without a press, an action runs immediately', async () => {
    afterPress(() => done.push(1));
    await released();
    assert.deepEqual(done, [1]);
});

test('actions run after the release, in order, though a field loses the focus', () => {
    dispatch('pointerdown', button);
    afterPress(() => done.push(1));
    dispatch('blur', field);
    mock.timers.tick(100);
    afterPress(() => done.push(2));
    assert.deepEqual(done, []);
    dispatch('pointerup', button);
    dispatch('mouseup', button);
    assert.deepEqual(done, []);
    mock.timers.tick(0);
    assert.deepEqual(done, [1, 2]);
});

test('a press ends when the window loses the focus, and after its maximum time', () => {
    for (const end of [() => dispatch('blur', window), () => mock.timers.tick(5000)]) {
        dispatch('pointerdown', button);
        afterPress(() => done.push(1));
        end();
        mock.timers.tick(0);
    }
    assert.deepEqual(done, [1, 1]);
});

test('a field keeps the focus until the click', () => {
    document.activeElement = field;
    assert.ok(dispatch('mousedown', button));
    assert.equal(document.activeElement, field);
    dispatch('click', button);
    assert.equal(document.activeElement, button);
});

test('a click of the keyboard, or after a release elsewhere, leaves the focus', () => {
    document.activeElement = field;
    dispatch('mousedown', button);
    dispatch('click', button, {detail: 0});
    assert.equal(document.activeElement, field);
    dispatch('click', button);
    assert.equal(document.activeElement, field);
});

test('another button of the mouse, and no field, change nothing', () => {
    document.activeElement = field;
    assert.ok(!dispatch('mousedown', button, {button: 2}));
    document.activeElement = button;
    assert.ok(!dispatch('mousedown', new Element('button')));
});
