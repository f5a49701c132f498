import assert from 'node:assert/strict';
import {test} from 'node:test';

import {editKey, LongEdits} from '../../Sources/Console/Pages/controls/long-edits.js';

const none = {ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, code: ''};

for (const [keys, kind] of [
    [{key: 'z', ctrlKey: true}, 'undo'], [{key: 'z', metaKey: true}, 'undo'],
    [{key: 'Z', ctrlKey: true, shiftKey: true}, 'redo'], [{key: 'y', ctrlKey: true}, 'redo'],
    [{key: 'я', code: 'KeyZ', ctrlKey: true}, 'undo'], [{key: 'y', metaKey: true}, null],
    [{key: 'y', ctrlKey: true, shiftKey: true}, null], [{key: 'z'}, null],
    [{key: 'z', ctrlKey: true, altKey: true}, null], [{key: 'z', ctrlKey: true, metaKey: true}, null],
]) {
    test(`${JSON.stringify(keys)} in a text field means ${kind}`, () => {
        assert.equal(editKey({...none, ...keys}), kind);
    });
}

test('long edits are undone and redone one after the other', () => {
    const edits = new LongEdits();
    assert.equal(edits.take('undo', 'a'), null);
    edits.add('a', 'b');
    edits.add('b', 'c');
    assert.equal(edits.take('undo', 'c'), 'b');
    assert.equal(edits.take('undo', 'b'), 'a');
    assert.equal(edits.take('undo', 'a'), null);
    assert.equal(edits.take('redo', 'a'), 'b');
    assert.equal(edits.take('redo', 'b'), 'c');
    assert.equal(edits.take('redo', 'c'), null);
});

test('what was typed since is left to the browser', () => {
    const edits = new LongEdits();
    edits.add('a', 'b');
    assert.equal(edits.take('undo', 'b typed'), null);
    assert.equal(edits.take('undo', 'b'), 'a');
    assert.equal(edits.take('redo', 'a typed'), null);
    edits.add('a typed', 'd');
    assert.equal(edits.take('redo', 'a'), null);
    assert.equal(edits.take('undo', 'd'), 'a typed');
});

test('the last 20 are kept', () => {
    const edits = new LongEdits();
    for (let number = 0; number < 30; number += 1) edits.add(`${number}`, `${number + 1}`);
    let text = '30';
    for (let next = edits.take('undo', text); next !== null; next = edits.take('undo', text)) text = next;
    assert.equal(text, '10');
});
