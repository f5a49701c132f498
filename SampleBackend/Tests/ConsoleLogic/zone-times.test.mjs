import {execFileSync} from 'node:child_process';
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {zoneHint} from '../../Sources/Console/Pages/conditions/zone-times.js';

const module = new URL('../../Sources/Console/Pages/conditions/zone-times.js', import.meta.url);

/** The hint for a reader in a time zone. */
function hintIn(reader, values) {
    return execFileSync(process.execPath, ['--input-type=module', '-e', `
        import {zoneHint} from ${JSON.stringify(module.href)};
        process.stdout.write(zoneHint(${JSON.stringify(values)}));`],
        {encoding: 'utf8', env: {...process.env, TZ: reader, LC_ALL: 'en_US'}});
}

for (const zone of ['BST', 'IST', 'EST', 'Z']) {
    test(`the time zone ${zone} gets a remark`, () => {
        assert.match(zoneHint(['2030-07-01T12:00:00', zone]), /choose one with a place/);
    });
}

for (const [values, hour] of [
    [['2030-07-01T12:00:00'], '2:00:00'], [['2030-07-01T12:00:00', 'GMT'], '2:00:00'],
    [['2030-07-01T12:00:00', 'Europe/London'], '1:00:00'],
    [['2030-01-01T12:00:00', 'Europe/London'], '1:00:00'],
    [['2030-01-01T12:00:00', 'America/New_York'], '6:00:00'],
]) {
    test(`${values.join(' ')} is shown in the time zone of the reader`, () => {
        assert.ok(hintIn('Europe/Berlin', values).includes(hour), hintIn('Europe/Berlin', values));
    });
}

test('an unfinished time, and a zone that the browser does not know, have no hint', () => {
    assert.equal(zoneHint([]), '');
    assert.equal(zoneHint(['', 'Europe/London']), '');
    assert.equal(zoneHint(['2030-07-01T12:00:00', 'Europe/Nowhere']), '');
});
