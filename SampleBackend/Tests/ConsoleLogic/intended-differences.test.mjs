import assert from 'node:assert/strict';
import {test} from 'node:test';

import {answerRequests} from './browser.mjs';
import {changedSince, markDifference, markedPlace, noteProblem, unmarkDifference}
    from '../../Sources/Console/Pages/transfer/intended-differences.js';
import {comparisonNews} from '../../Sources/Console/Pages/transfer/comparison-news.js';

/** @type {Difference} */
const setting = {change: 'CHANGED', section: 'Home', key: 'a', name: '', parts: []};

/** @type {Difference} */
const condition = {change: 'CHANGED', section: '', key: '', name: 'Beta', parts: []};

/** @type {Comparison} */
const comparison = {
    with: 'staging', withVersionNumber: '12', withETag: 'etag-staging-12', versionNumber: '7',
    etag: 'etag-shop-7', affectedSettings: [], conditions: [condition], groups: [],
    parameters: [setting],
};

test('settings can be marked, and conditions that both projects have', () => {
    assert.deepEqual(markedPlace('setting', setting), {section: 'Home', key: 'a'});
    assert.deepEqual(markedPlace('setting', {...setting, change: 'REMOVED'}),
        {section: 'Home', key: 'a'});
    assert.deepEqual(markedPlace('condition', condition), {condition: 'Beta'});
    assert.equal(markedPlace('condition', {...condition, change: 'ADDED'}), null);
    assert.equal(markedPlace('group', {...condition, name: 'Home'}), null);
});

test('a mark is of both versions that were compared', async () => {
    const requests = answerRequests(() => ({body: {}}));
    await markDifference('shop', comparison, {section: 'Home', key: 'a'}, 'Test keys');
    await unmarkDifference('shop', 'staging', {condition: 'New users'});
    assert.deepEqual(requests.map(({method, path, body}) => [method, path, body]), [
        ['PUT', '/v1/projects/shop/intendedDifferences', {with: 'staging', section: 'Home',
            key: 'a', note: 'Test keys', etag: 'etag-shop-7', withETag: 'etag-staging-12'}],
        ['DELETE', '/v1/projects/shop/intendedDifferences?with=staging&condition=New%20users',
            undefined]]);
});

test('a note has 1 to 500 characters', () => {
    assert.match(noteProblem(''), /say why it differs/);
    assert.equal(noteProblem('é'.repeat(500)), '');
    assert.match(noteProblem('x'.repeat(1200)), /has 1,200 characters, and at most 500/);
});

for (const [changed, text] of [[undefined, ''], ['THIS', 'This project has changed since.'],
    ['OTHER', 'staging has changed since.'], ['BOTH', 'Both projects have changed since.']]) {
    test(`a mark after a change of ${changed ?? 'nothing'} says: ${text || 'nothing'}`, () => {
        const mark = /** @type {DifferenceMark} */ ({note: 'x', author: 'Ada', time: '', changed});
        assert.equal(changedSince(mark, 'staging'), text);
    });
}

test('after a mark, the news do not ask for another press', () => (
    assert.equal(comparisonNews(comparison, {...comparison, etag: 'etag-shop-8'},
        {added: [], gone: [], changed: []}, 0, false), 'This project has changed: compared again.')));
