import assert from 'node:assert/strict';
import {test} from 'node:test';

import {naturalOrder} from '../../Sources/Console/Pages/text/natural-order.js';

test('names with numbers are in the order of the numbers', () => {
    assert.deepEqual(['u10', '100', 'u9', '9', 'Zoe', 'anna', '20'].sort(naturalOrder),
        ['9', '20', '100', 'anna', 'u9', 'u10', 'Zoe']);
});

test('names that people read as equal have one order', () => {
    const names = ['7', '07', 'e\u0301', '\u00e9', '007'];
    assert.deepEqual([...names].sort(naturalOrder), [...names].reverse().sort(naturalOrder));
    assert.deepEqual(['7', '007', '07'].sort(naturalOrder), ['007', '07', '7']);
});
