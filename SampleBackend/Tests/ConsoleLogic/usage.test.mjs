import assert from 'node:assert/strict';
import {test} from 'node:test';

import {
    appName, deliveredText, matching, plotPoints, plotText, sameText, shareText, staleText,
} from '../../Sources/Console/Pages/usage/usage-reading.js';

const shares = [
    {date: '2026-11-01', version: '3', clients: 10, current: 10},
    {date: '2026-11-02', version: '4', clients: 10, current: 2},
    {date: '2026-11-05', version: '4', clients: 20, current: 15},
];

test('the plot has a text in its place', () => {
    assert.equal(plotText(shares), 'Share of clients with the newest version on 3 days, 2026-11-01 '
        + 'to 2026-11-05: from 100% to 75%, lowest 20%.');
    assert.equal(plotText([]), 'No share was measured yet.');
});

test('days without a share leave gaps', () => {
    assert.deepEqual(plotPoints(shares), [
        {x: 0, y: 1, isAfterGap: false}, {x: 0.25, y: 0.2, isAfterGap: false},
        {x: 1, y: 0.75, isAfterGap: true}]);
    assert.deepEqual(plotPoints(shares.slice(0, 1)), [{x: 1, y: 1, isAfterGap: false}]);
    assert.deepEqual(plotPoints([]), []);
    assert.deepEqual(plotPoints([{date: '2026-11-01', version: '3', clients: 0, current: 0}]),
        [{x: 1, y: 0, isAfterGap: false}]);
});

test('the share is a sentence', () => {
    assert.equal(shareText(shares[1]), '2 of 10 known clients have version 4 (20%).');
    assert.equal(shareText({version: '4', clients: 1, current: 1}),
        '1 of 1 known client has version 4 (100%).');
    assert.equal(shareText(undefined), 'No client is known.');
});

test('apps have names', () => {
    assert.deepEqual([{kind: 'APP', id: 'com.example'}, {kind: 'APP'}, {kind: 'SERVICE'},
        {kind: 'OTHER'}].map(appName),
    ['com.example', 'Unknown app', 'Services that evaluate users', 'Other apps']);
});

test('the filter and the words select settings', () => {
    const settings = [
        {section: 'Home', key: 'title', stale: {reason: 'UNUSED'}}, {section: 'Home', key: 'size'},
        {section: 'Shop', key: 'title'}];
    const names = (wanted) => matching(settings, {filter: '', text: '', ...wanted})
        .map(({section, key}) => `${section}.${key}`);
    assert.deepEqual(names({}), ['Home.title', 'Home.size', 'Shop.title']);
    assert.deepEqual(names({filter: 'stale'}), ['Home.title']);
    assert.deepEqual(names({text: 'TITLE  ho'}), ['Home.title', 'Shop.title']);
    assert.deepEqual(names({text: 'home.t'}), ['Home.title']);
});

test('a delivery is not called a read, and its absence not unused', () => {
    assert.equal(deliveredText({use: 'delivered, reads unknown', delivered: '2026-11-01'}),
        '2026-11-01');
    assert.equal(deliveredText({use: 'not delivered', delivered: null}), 'not delivered');
    assert.equal(deliveredText({use: 'read', delivered: null}), 'not delivered');
    assert.equal(deliveredText({use: 'unknown', delivered: null}), 'unknown');
    assert.equal(deliveredText({use: 'archived', delivered: null}), 'unknown');
});

test('since when everybody has the same value', () => {
    assert.equal(sameText({}), '');
    assert.equal(sameText({sameForEverybodySince: {version: '1', date: '2026-01-01'}}), '2026-01-01');
    assert.equal(sameText({sameForEverybodySince:
        {version: '1', date: '2026-01-01', atLeast: true}}), 'at least 2026-01-01');
});

test('the number of stale settings comes with the rule', () => {
    const thresholds = {unusedDays: 30, sameDays: 60};
    assert.equal(staleText(1, thresholds), '1 setting may no longer be needed. A setting is stale when '
        + 'it was neither delivered nor read for 30 days, or when everybody has had the same value '
        + 'for 60 days and no client is known to read it.');
    assert.match(staleText(0, thresholds), /^No setting is stale\. A setting/);
});
