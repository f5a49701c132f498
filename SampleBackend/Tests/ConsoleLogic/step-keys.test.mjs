import assert from 'node:assert/strict';
import {test} from 'node:test';

import {stepOfKey, stepText} from '../../Sources/Console/Pages/drafts/step-keys.js';
import {latinKey} from '../../Sources/Console/Pages/input/latin-key.js';
import {isMac, shortcut} from '../../Sources/Console/Pages/input/shortcuts.js';

const none = {ctrlKey: false, metaKey: false, shiftKey: false, altKey: false};

for (const [keys, isCommand, kind] of [
    [{key: 'z', ctrlKey: true}, false, 'undo'],
    [{key: 'Z', ctrlKey: true, shiftKey: true}, false, 'redo'],
    [{key: 'z', metaKey: true}, true, 'undo'],
    [{key: 'z', metaKey: true, shiftKey: true}, true, 'redo'],
    [{key: 'Z', ctrlKey: true}, false, 'undo'],
    [{key: 'z'}, false, null],
    [{key: 'z', metaKey: true}, false, null],
    [{key: 'z', ctrlKey: true}, true, null],
    [{key: 'z', ctrlKey: true, altKey: true}, false, null],
    [{key: 'z', ctrlKey: true, metaKey: true}, false, null],
    [{key: 'y', ctrlKey: true}, false, null],
]) {
    test(`${JSON.stringify(keys)} ${isCommand ? 'on a Mac ' : ''}means ${kind}`, () => {
        assert.equal(stepOfKey({...none, ...keys}, isCommand), kind);
    });
}

for (const [layout, key, code, latin] of [
    ['QWERTY', 'z', 'KeyZ', 'z'], ['QWERTY', 'Z', 'KeyZ', 'z'], ['QWERTY', '[', 'BracketLeft', '['],
    ['QWERTZ', 'z', 'KeyY', 'z'], ['QWERTZ', 'y', 'KeyZ', 'y'], ['QWERTZ', 'ü', 'BracketLeft', 'ü'],
    ['AZERTY', 'z', 'KeyW', 'z'], ['AZERTY', 'w', 'KeyZ', 'w'], ['Dvorak', ';', 'KeyZ', ';'],
    ['Bépo', 'à', 'KeyZ', 'à'], ['Bépo', 'z', 'BracketRight', 'z'],
    ['Russian', 'я', 'KeyZ', 'z'], ['Russian', 'Я', 'KeyZ', 'z'], ['Russian', 'л', 'KeyK', 'k'],
    ['Russian', 'б', 'Comma', ','], ['Russian', 'ю', 'Period', '.'], ['AZERTY', ';', 'Comma', ';'],
    ['Russian', 'х', 'BracketLeft', '['], ['Russian', 'ъ', 'BracketRight', ']'],
    ['Greek', 'ζ', 'KeyZ', 'z'], ['Greek', 'κ', 'KeyK', 'k'], ['Hebrew', 'ז', 'KeyZ', 'z'],
    ['Arabic', 'ئ', 'KeyZ', 'z'], ['Thai', 'ผ', 'KeyZ', 'z'], ['Russian', 'ё', 'Backquote', 'ё'],
    ['an input method', 'Process', 'KeyZ', 'process'], ['any', 'Enter', 'Enter', 'enter'],
]) {
    test(`${key} of the key ${code} in ${layout} counts as ${latin}`, () => {
        assert.equal(latinKey({key, code}), latin);
    });
}

test('steps are undone and redone with keys of other scripts', () => {
    const russian = {...none, key: 'Я', code: 'KeyZ', ctrlKey: true};
    assert.equal(stepOfKey(russian, false), 'undo');
    assert.equal(stepOfKey({...russian, shiftKey: true}, false), 'redo');
    assert.equal(stepOfKey({...none, key: 'ζ', code: 'KeyZ', metaKey: true}, true), 'undo');
    assert.equal(stepOfKey({...none, key: 'y', code: 'KeyZ', ctrlKey: true}, false), null);
});

test('Command is used on systems by Apple', () => {
    assert.deepEqual(['MacIntel', 'iPad', 'iPhone', 'Win32', 'Linux x86_64'].map(isMac),
        [true, true, true, false, false]);
    assert.deepEqual(shortcut('Z', true, true), {text: '⇧⌘Z', aria: 'Shift+Meta+Z'});
    assert.deepEqual(shortcut('Z', false), {text: 'Ctrl+Z', aria: 'Control+Z'});
});

test('an undone step is announced with what stays', () => {
    assert.equal(stepText('undo', 'isOn true', []), 'Undone: isOn true.');
    assert.equal(stepText('redo', 'a 2', ['A.a', 'B.b']),
        'Redone: a 2. Changed by another tab or person since, so it stays: A.a; B.b.');
});
