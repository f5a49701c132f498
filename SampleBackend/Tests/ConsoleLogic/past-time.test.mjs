import {execFileSync} from 'node:child_process';
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {stepOf, timeNote, timeOf, utcText} from '../../Sources/Console/Pages/users/past-time.js';

const module = new URL('../../Sources/Console/Pages/users/past-time.js', import.meta.url);

/** The value of an expression with the functions of the module, for a reader in a time zone. */
function valueIn(zone, expression) {
    return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', `
        import {fieldText, timeNote, timeOf, zoneName} from ${JSON.stringify(module.href)};
        process.stdout.write(JSON.stringify(${expression}));`],
        {encoding: 'utf8', env: {...process.env, TZ: zone}}));
}

for (const [zone, text, time] of [
    ['Europe/Berlin', '2026-01-31T12:00', '2026-01-31T11:00:00.000Z'],
    ['Europe/Berlin', '2026-07-31T12:00:05', '2026-07-31T10:00:05.000Z'],
    ['Asia/Kolkata', '2026-01-31T05:29:59.123', '2026-01-30T23:59:59.123Z'],
    ['America/St_Johns', '2026-01-31T23:00', '2026-02-01T02:30:00.000Z'],
    ['UTC', '0999-01-01T00:00', '0999-01-01T00:00:00.000Z'],
]) {
    test(`${text} in ${zone} is ${time}, and back`, () => {
        assert.equal(valueIn(zone, `timeOf('${text}')`), time);
        const back = valueIn(zone, `fieldText('${time}')`);
        assert.equal(back, text.length === 16 ? `${text}:00` : text);
    });
}

test('a given time is kept where clocks are set back', () => {
    // 2:30 comes twice in Berlin on this day.
    for (const time of ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']) {
        assert.equal(valueIn('Europe/Berlin', `timeOf(fieldText('${time}'), '${time}')`), time);
    }
    assert.equal(valueIn('Europe/Berlin',
        `timeOf('2026-10-25T02:31:00', '2026-10-25T01:30:00.000Z')`), '2026-10-25T00:31:00.000Z');
});

test('an empty or unfinished text, and an address without a time, name none', () => {
    for (const text of ['', '2026-01-31', 'now', '2026-13-31T12:00']) {
        assert.equal(timeOf(text), null);
        assert.equal(timeOf(text, '2026-01-31T12:00:00Z'), null);
    }
    assert.deepEqual(valueIn('UTC', `[null, undefined, '', 'nonsense'].map(
        (time) => [fieldText(time), timeOf(fieldText(time), time)])`),
    [['', null], ['', null], ['', null], ['', null]]);
});

test('a time of the address may have any offset', () => {
    assert.equal(valueIn('UTC',
        `timeOf(fieldText('2026-01-31T12:00:00+09:00'), '2026-01-31T12:00:00+09:00')`),
    '2026-01-31T03:00:00.000Z');
});

test('the note has UTC, and names the future', () => {
    const time = '2026-01-31T11:00:00.000Z';
    assert.equal(utcText(time), '2026-01-31 11:00:00 UTC');
    assert.equal(timeNote(null), '');
    assert.equal(timeNote(time, Date.parse(time)), '2026-01-31 11:00:00 UTC');
    assert.match(timeNote(time, Date.parse(time) - 1), /future\. Choose an earlier time\.$/);
});

test('the field takes milliseconds where the time has some', () => {
    assert.equal(stepOf('2026-01-31T12:00:00.123'), '0.001');
    assert.equal(stepOf('2026-01-31T12:00:00'), '1');
});

test('the zone is the reader\'s', () => {
    assert.equal(valueIn('Asia/Tokyo', 'zoneName()'), 'Asia/Tokyo');
});
