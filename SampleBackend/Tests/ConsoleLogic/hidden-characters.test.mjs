import assert from 'node:assert/strict';
import {test} from 'node:test';

import {hiddenCharacters, hiddenRemarks, lookAlike, lookAlikeProblem, marked, shownControls}
    from '../../Sources/Console/Pages/text/hidden-characters.js';

for (const [text, phrase] of [
    ['42', null], ['a b', null], ['', null], ['Zürich 👩‍🚀', null], ['❤️', null], ['می‌خواهم', null],
    [' 42', 'begins with a space'], ['42\t', 'ends with a space'],
    [' 42 ', 'begins with a space and ends with a space'],
    ['Home\u200b', 'has an invisible character, U+200B'],
    ['\ufeff42', 'begins with a space'], ['a\u00adb', 'has an invisible character, U+00AD'],
    ['a\u0000b', 'has an invisible character, U+0000'],
    ['a\u{e0001}b', 'has an invisible character, U+E0001'],
]) {
    test(`${JSON.stringify(text)} ${phrase ?? 'hides nothing'}`, () => {
        assert.equal(hiddenCharacters(text), phrase);
        assert.equal(marked(text), phrase === null ? text : `“${text}”`);
    });
}

for (const [text, shown] of [
    ['', ''], ['a b', 'a b'], ['Zürich 👩‍🚀', 'Zürich 👩‍🚀'], ['می‌خواهم', 'می‌خواهم'], ['שלום', 'שלום'],
    ['a\u200bb', 'a\u200bb'], ['a\u202eb\u202c', 'a[U+202E]b[U+202C]'],
    ...['061C', '200E', '200F', '202A', '202B', '202C', '202D', '202E', '2066', '2067', '2068', '2069']
        .map((code) => [String.fromCodePoint(parseInt(code, 16)), `[U+${code}]`]),
]) {
    test(`${JSON.stringify(text)} is shown as ${JSON.stringify(shown)}`, () => {
        assert.equal(shownControls(text), shown);
    });
}

for (const [name, other, isAlike] of [
    ['Home', 'Home', false], ['Home', 'home', false], ['Home\u200b', 'Home', true],
    ['Home', 'Ho\u200bme', true], ['a b', 'a  b', true], ['a b', 'a\u00a0b', true],
    ['Caf\u00e9', 'Cafe\u0301', true], ['Cafe', 'Café', false], ['1', '①', false],
]) {
    test(`${JSON.stringify(name)} ${isAlike ? 'looks' : 'does not only look'} like ${
        JSON.stringify(other)}`, () => {
        assert.equal(lookAlike(name, ['x', other]), isAlike ? other : undefined);
    });
}

test('a name that only looks like another one is refused with the reason', () => {
    assert.equal(lookAlikeProblem('Home', ['Home'], 'section'), null);
    assert.equal(lookAlikeProblem('Home\u200b', ['Home'], 'section'),
        'A section with a name that looks the same exists; this one has an invisible character, '
        + 'U+200B. Choose another name.');
    assert.equal(lookAlikeProblem('Home', ['Home\u200b'], 'section'),
        'A section with a name that looks the same exists; the other one has an invisible '
        + 'character, U+200B. Choose another name.');
    assert.equal(lookAlikeProblem('a b', ['a  b'], 'condition'),
        'A condition with a name that looks the same exists; the other one has other characters '
        + 'or spaces. Choose another name.');
});

test('values of a list that hide something are named', () => {
    assert.deepEqual(hiddenRemarks(['u1', 'u\u200b2', ' u3', 'u 4', '\u{1f469}\u200d\u{1f467}'], 'user ID'), [
        '“u\u200b2” has an invisible character, U+200B. It is another user ID than the one without it.',
        '“ u3” begins with a space. It is another user ID than the one without it.']);
});
