import assert from 'node:assert/strict';
import {test} from 'node:test';

import {listedAddress} from '../../Sources/Console/Pages/access/webhook-address.js';
import {attemptText, deliveryState, eventsTexts, eventText}
    from '../../Sources/Console/Pages/access/webhook-outcome.js';

test('a delivery that waits after a failed attempt is failing', () => {
    assert.equal(deliveryState({state: 'PENDING'})[0], 'Waiting');
    assert.equal(deliveryState({state: 'PENDING', statusCode: 500})[0], 'Failing');
    assert.equal(deliveryState({state: 'PENDING', error: 'No connection.'})[0], 'Failing');
    assert.equal(deliveryState({state: 'DELIVERED', statusCode: 200})[0], 'Delivered');
    assert.equal(deliveryState({state: 'NEW'})[0], 'NEW');
});

test('the outcome of an attempt names the status once', () => {
    assert.equal(attemptText({}), '');
    assert.equal(attemptText({statusCode: 200}), 'Status 200');
    assert.equal(attemptText({statusCode: 500, error: 'The receiver answered 500.'}), 'Status 500');
    assert.equal(attemptText({error: 'No connection.'}), 'No connection');
    assert.equal(attemptText({statusCode: 410,
        error: 'The receiver answered 410: it is permanently gone.'}),
    'The receiver answered 410: it is permanently gone');
    assert.equal(attemptText({statusCode: 200, error: 'Too slow.'}), 'Status 200: Too slow');
});

test('a delivery is named by its version, or by its change request and the step', () => {
    assert.equal(eventText({versionNumber: '8'}), 'version 8');
    assert.equal(eventText({changeRequest: 'a1', step: 'changesRequested'}),
        'change request a1 changes requested');
    assert.equal(eventText({changeRequest: 'a1', step: 'approvalsLacking'}),
        'change request a1 scheduled, approvals lacking');
    assert.equal(eventText({changeRequest: 'a1', step: 'rolloutHeld'}),
        'change request a1 rollout held');
    assert.equal(eventText({changeRequest: 'a1', step: 'new'}), 'change request a1 new');
});

test('the events of a webhook are named', () => {
    assert.deepEqual(eventsTexts(), []);
    assert.deepEqual(eventsTexts(['publish']), []);
    assert.deepEqual(eventsTexts(['publish', 'changeRequest', 'rolloutStep']),
        ['Also steps of change requests', 'Also asked before each step of a rollout']);
    assert.deepEqual(eventsTexts(['rolloutStep']),
        ['Asked before each step of a rollout, not versions']);
});

for (const [address, shown] of [
    ['https://a.example/hook', 'https://a.example/hook'],
    [' https://A.example:443/hook#part ', 'https://a.example/hook'],
    // The server shows no values of queries.
    ['https://a.example/hook?key=1', 'https://a.example/hook?key=***'],
    ['https://a.example', 'https://a.example/'],
    ['https://a.example/Hook', null], ['https://a.example/hook?other=1', null],
    ['http://a.example/hook', null], ['https://a.example/', 'https://a.example/'],
    ['https://', null], ['', null],
]) {
    test(`${JSON.stringify(address)} ${shown ? `is listed as ${shown}` : 'is not listed'}`, () => {
        assert.equal(listedAddress(address, ['nonsense', 'https://b.example/hook',
            'https://a.example/hook?key=***', 'https://a.example/hook', 'https://a.example/']),
        shown);
    });
}
