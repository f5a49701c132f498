import assert from 'node:assert/strict';
import {test} from 'node:test';

import {answerRequests} from './browser.mjs';
import {
    compareWith, concerned, promote, promotionNotes, readiness, takePromotion, travellingConditions,
} from '../../Sources/Console/Pages/transfer/promotion.js';

/** @param {string} key @param {'ADDED' | 'CHANGED' | 'REMOVED'} change */
const setting = (key, change) => ({section: 'Home', key, change, name: '', parts: []});

/** @type {Comparison} */
const comparison = {
    with: 'staging', withVersionNumber: '12', withETag: 'etag-staging-12', versionNumber: '7',
    etag: 'etag-shop-7', affectedSettings: [], conditions: [], groups: [],
    parameters: [setting('a', 'ADDED'), setting('b', 'CHANGED'), setting('c', 'REMOVED')],
};

/** @type {PromotionRequest} */
const nothing = {deletions: false, sections: [], settings: []};

/** @type {Promotion} */
const promotion = {
    from: 'staging', versionNumber: '7', conflicts: [], omittedValues: [], affectedSettings: [],
    template: {parameters: {a: {}}, version: {description: 'From staging, version 12'}},
    conditions: {added: [], reused: [], different: [], omitted: []}, problems: [],
    changes: {conditions: [], groups: [], parameters: []},
};

test('the comparison names the other project', async () => {
    const requests = answerRequests(() => ({body: comparison}));
    assert.deepEqual(await compareWith('shop', 'staging'), comparison);
    assert.equal(requests[0].path, '/v1/projects/shop/remoteConfig:compare?with=staging');
});

test('a setting with the same values is offered with the condition that differs', () => {
    const part = {name: 'expression', old: "percent <= 10", new: "percent <= 50"};
    /** @type {Difference} */
    const beta = {name: 'Beta', section: '', key: '', change: 'CHANGED',
        parts: [part, {name: 'tagColor', old: 'RED', new: 'BLUE'}]};
    const template = {parameterGroups: {Home: {parameters: {
        d: {conditionalValues: {Beta: {value: 'x'}}}, e: {conditionalValues: {Other: {value: 'y'}}}}}}};
    assert.deepEqual(concerned({...comparison, conditions: [beta, {...beta, name: 'Unused'}],
        affectedSettings: [{section: 'Home', key: 'd'}, {section: 'Home', key: 'gone'}]}, template), [
        {section: 'Home', key: 'd', name: '', change: 'CHANGED',
            parts: [{...part, name: '“Beta”: expression'}]},
        {section: 'Home', key: 'gone', name: '', change: 'CHANGED', parts: []}]);
});

test('a promotion is of both versions that were compared', async () => {
    const requests = answerRequests(() => ({body: promotion}));
    const chosen = {deletions: true, sections: ['Shop'], settings: [{section: 'Home', key: 'a'}]};
    await promote('shop', comparison, chosen, {'conditions.x': 'mine'});
    assert.equal(requests[0].headers['If-Match'], 'etag-shop-7');
    assert.deepEqual(requests[0].body, {
        from: 'staging', fromETag: 'etag-staging-12', resolutions: {'conditions.x': 'mine'},
        ...chosen});
});

test('conditions that come along are added, reused, or decided by a choice', () => {
    const different = {...promotion, conflicts: [
        {path: 'conditions.w', kind: 'CONDITION', name: 'w'},
        {path: 'order', kind: 'CONDITION_ORDER', name: 'v'}],
    conditions: {added: ['x'], reused: ['z'], different: ['w', 'v'], omitted: ['u']}};
    /** @param {Record<string, string>} resolutions */
    const texts = (resolutions) => travellingConditions(different, resolutions)
        .map(({name, badge, text}) => `${name} ${badge} ${text}`);
    assert.deepEqual(texts({}), ['x Added Only staging has it.',
        'z Reused It is the same in both projects.', 'w Different Choose above which one counts.',
        'v Different Stays as in this project.']);
    assert.equal(texts({'conditions.w': 'mine'})[2], 'w Different Becomes as in staging.');
    assert.equal(texts({'conditions.w': 'theirs'})[2], 'w Different Stays as in this project.');
});

test('the notes name what is left out and what else can change', () => {
    assert.deepEqual(promotionNotes(promotion), []);
    assert.deepEqual(promotionNotes({...promotion,
        conditions: {added: ['x', 'y'], reused: ['z'], different: ['w'], omitted: ['u']},
        omittedValues: [{section: 'Home', key: 'a', condition: 'u'}],
        affectedSettings: [{section: 'Shop', key: 'p'}]}), [
        'Leaves out 1 value for “u”, since conditions that name single users are those of staging.',
        'Can change Shop.p, too, which depends on the conditions taken.']);
    assert.deepEqual(promotionNotes({...promotion,
        intended: [{section: 'Home', key: 'url'}, {condition: 'beta'}],
        doubts: [{condition: 'x', rule: "device.os == 'iOS'", message: 'Clients send ios.'}]}), [
        'Leaves out what differs on purpose: Home.url, beta.',
        "x: device.os == 'iOS': Clients send ios."]);
});

test('a promotion is ready when all is decided and something changes', () => {
    const conflicts = [{path: 'conditions.x', kind: 'CONDITION'}];
    const changes = {...promotion.changes, parameters: [setting('a', 'ADDED')]};
    const changing = {...promotion, changes};
    const chosen = {'conditions.x': 'mine'};
    assert.deepEqual(readiness(conflicts, {}, changing, null), {isReady: false, text: '1 choice left'});
    assert.deepEqual(readiness(conflicts, chosen, changing, null),
        {isReady: true, text: 'Nothing is published yet: you review it once more.'});
    assert.deepEqual(readiness(conflicts, chosen, null, null), {isReady: false, text: ''});
    assert.deepEqual(readiness(conflicts, chosen, promotion, null),
        {isReady: false, text: 'Nothing would change.'});
    const draft = {baseTemplate: {parameters: {}},
        template: {parameters: {a: {}}, version: {description: 'Own'}}};
    assert.deepEqual(readiness([], {}, changing, draft),
        {isReady: false, text: 'Nothing would change in your draft.'});
    assert.equal(readiness([], {}, changing, {...draft, template: {parameters: {b: {}}}}).isReady, true);
});

/**
 * @param {?Partial<Draft>} draft
 * @param {string} versionNumber
 */
function workspaceWith(draft, versionNumber) {
    /** @type {any[]} */
    const taken = [];
    const workspace = /** @type {any} */ ({
        project: 'shop', draft, versionNumber, etag: `"etag-shop-${versionNumber}"`,
        published: {parameters: {}}, load: async () => {},
        /** @param {any[]} values */
        rebase: (...values) => {
            taken.push(['rebase', ...values]);
            workspace.draft = {template: values[0]};
        },
        /** @param {string} text */
        describe: (text) => taken.push(['describe', text])});
    return {workspace, taken};
}

test('the result becomes a draft with the description', async () => {
    const {workspace, taken} = workspaceWith(null, '7');
    await takePromotion(workspace, promotion);
    assert.deepEqual(taken, [
        ['rebase', {parameters: {a: {}}}, {versionNumber: '7', etag: '"etag-shop-7"',
            baseTemplate: {parameters: {}}}, 'copy from staging'],
        ['describe', 'From staging, version 12']]);
});

test('the edits of a draft are kept, as is its description', async () => {
    const {workspace, taken} = workspaceWith({base: '7', baseTemplate: {parameters: {}},
        template: {parameters: {own: {}}, version: {description: 'Own'}}}, '7');
    assert.deepEqual(await takePromotion(workspace, promotion), []);
    assert.deepEqual(Object.keys(taken[0][1].parameters).sort(), ['a', 'own']);
    assert.equal(taken[0][1].version.description, 'Own');
    assert.equal(taken.length, 1);
});

test('the places where an edit of the draft wins over the copy are named', async () => {
    const value = (/** @type {string} */ text) => ({a: {defaultValue: {value: text}}});
    const {workspace, taken} = workspaceWith({base: '7', baseTemplate: {parameters: value('1')},
        template: {parameters: value('2')}}, '7');
    const kept = await takePromotion(workspace, {...promotion,
        template: {parameters: value('3'), version: {description: 'From staging, version 12'}}});
    assert.deepEqual(kept, ['Default.a, default value']);
    assert.deepEqual(taken[0][1].parameters, value('2'));
});

test('a draft of an older version is merged first', async () => {
    // Version 7 has another title than the base of the draft, whose own title would win silently.
    const {workspace, taken} = workspaceWith({base: '6', baseTemplate: {parameters: {title: {}}},
        template: {parameters: {title: {description: 'Own'}}}}, '7');
    await assert.rejects(takePromotion(workspace, promotion), {message:
        'Version 7 was published since your draft began at version 6. Merge it on the review first.'});
    assert.deepEqual(taken, []);
});

test('a draft whose base is gone is compared with the current version first', async () => {
    const {workspace, taken} = workspaceWith({base: '2', isBaseGone: true,
        baseTemplate: {parameters: {}}, template: {parameters: {own: {}}}}, '7');
    await assert.rejects(takePromotion(workspace, promotion), /no longer kept/);
    assert.deepEqual(taken, []);
});

test('a promotion that was given up while the project was read is not taken', async () => {
    const {workspace, taken} = workspaceWith(null, '7');
    const left = new AbortController();
    workspace.load = async () => left.abort();
    await assert.rejects(takePromotion(workspace, promotion, left.signal), {name: 'AbortError'});
    assert.deepEqual(taken, []);
});

test('a promotion after a publish in either project says to compare again', async () => {
    answerRequests(() => ({status: 412, body: {error: {message: 'Send the new ETag.'}}}));
    await assert.rejects(promote('shop', comparison, nothing, {}), /has changed meanwhile: compare again/);
    answerRequests(() => ({status: 400, body: {error: {message: 'No such setting.'}}}));
    await assert.rejects(promote('shop', comparison, nothing, {}), {message: 'No such setting.'});
});

test('a result for another version than the current one is refused', async () => {
    const {workspace, taken} = workspaceWith(null, '8');
    await assert.rejects(takePromotion(workspace, promotion), /compare again/);
    assert.deepEqual(taken, []);
});
