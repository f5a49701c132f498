import './browser.mjs';
import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, test} from 'node:test';

import {enter, followAddress, fragment, isLeaving, takeEntered, takeToken, watchAddress, withoutToken}
    from '../../Sources/Console/Pages/routing/address-bar.js';
import {address, currentRoute, go, setProject, setQuery}
    from '../../Sources/Console/Pages/routing/router.js';

globalThis.window = new EventTarget();

/** What was followed since the last test. */
const log = [];

/** Delivers the event of a navigation, which comes after the address has changed. */
const arrive = () => window.dispatchEvent(new Event('hashchange'));

/** Changes the address as a user does, with the event. */
function open(text) {
    location.hash = text;
    arrive();
}

watchAddress((token, before) => log.push(`link ${token} from ${before}`));
followAddress((before) => log.push(`from ${before}`), new AbortController().signal);

beforeEach(() => {
    setProject('default');
    takeToken();
    open('#/default/history?from=1');
    log.length = 0;
});

for (const [text, token, place] of [
    ['', null, ''], ['#/default/live', null, '#/default/live'], ['#token=abc', 'abc', ''],
    ['#/p/live?token=abc', 'abc', '#/p/live'], ['#/p/user?id=7&token=a+b', 'a+b', '#/p/user?id=7'],
    ['#token=a%2Bb', 'a+b', ''], ['#token=', '', ''], ['#tokens=abc', null, '#tokens=abc'],
    ['#/p/user?id=a+b', null, '#/p/user?id=a+b'],
]) {
    test(`the token of ${text || 'no fragment'} is ${token}`, () => (
        assert.deepEqual(withoutToken(text), {token, place})));
}

/** What can run between a change of the address and its event. */
const readers = {
    'nothing': () => {},
    'a query that is written': () => setQuery({from: '2', to: '3'}),
    'a page that is drawn': () => currentRoute(),
    'a link that is made': () => address('live'),
    'two of them': () => {
        currentRoute();
        setQuery({from: '2'});
    },
};

for (const [name, read] of Object.entries(readers)) {
    test(`a link without a page keeps the page when ${name} comes first`, () => {
        location.hash = '#token=secret';
        read();
        assert.equal(currentRoute().path, 'history');
        arrive();
        assert.deepEqual(log.map((line) => line.split('?')[0]), ['link secret from #/default/history']);
        assert.match(location.hash, /^#\/default\/history\?/);
        assert.doesNotMatch(log[0] + location.hash, /token/);
        assert.equal(log[0], `link secret from ${fragment()}`);
    });

    test(`a link with a page leads there when ${name} comes first`, () => {
        location.hash = '#/default/live?token=secret';
        read();
        arrive();
        assert.deepEqual(log, ['link secret from #/default/history?from=1']);
        assert.equal(location.hash, '#/default/live');
    });
}

test('a page that is being left does not write its query into the next address', () => {
    go('history', {from: '4', to: '5'});
    assert.ok(isLeaving());
    setQuery({from: '1', to: '2'});
    assert.equal(location.hash, '#/default/history?from=4&to=5');
    arrive();
    assert.deepEqual(log, ['from #/default/history?from=1']);
    setQuery({from: '4', to: '6'});
    assert.equal(location.hash, '#/default/history?from=4&to=6');
});

test('a link after a navigation without its event leads from the shown page', () => {
    go('live');
    location.hash = '#token=secret';
    arrive();
    arrive();
    assert.equal(log[0], 'link secret from #/default/history?from=1');
    assert.doesNotMatch(log.join() + location.hash, /token/);
});

test('a link that was entered over a dialog is followed later, with its token outside the address', () => {
    location.hash = '#/default/live?token=secret';
    currentRoute();
    const entered = takeEntered();
    assert.deepEqual(entered, {token: 'secret', place: '#/default/live'});
    // The dialog has put the address back.
    location.hash = '#/default/history?from=1';
    arrive();
    log.length = 0;
    enter(entered);
    assert.equal(location.hash, '#/default/live');
    arrive();
    assert.deepEqual(log, ['link secret from #/default/history?from=1']);
});

test('a link without a page that was entered over a dialog is followed later', () => {
    location.hash = '#token=secret';
    const entered = takeEntered();
    assert.deepEqual(entered, {token: 'secret', place: ''});
    enter(entered);
    assert.deepEqual(log, ['link secret from #/default/history?from=1']);
});

test('only one module reads the address, and two write the history', () => {
    const root = new URL('../../Sources/Console/Pages/', import.meta.url).pathname;
    const found = readdirSync(root, {recursive: true}).filter((path) => path.endsWith('.js'))
        .filter((path) => path !== 'routing/address-bar.js').flatMap((path) => (
            readFileSync(join(root, path), 'utf8').split('\n').flatMap((line, index) => (
                /location\.(hash|href)(?! = )|oldURL|newURL/.test(line)
                || (/history\.(replace|push)State/.test(line) && path !== 'controls/held-entry.js')
                    ? [`${path}:${index + 1}`] : []))));
    assert.deepEqual(found, []);
});
