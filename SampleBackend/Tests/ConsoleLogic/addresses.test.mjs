import {answerRequests, emptyStorages, MemoryStorage, settled} from './browser.mjs';
import assert from 'node:assert/strict';
import {beforeEach, test} from 'node:test';

import {fixture} from './fixtures.mjs';
import {roleIn, withRole} from '../../Sources/Console/Pages/access/token-projects.js';
import {jsonText} from '../../Sources/Console/Pages/json/json-text.js';
import {Folds} from '../../Sources/Console/Pages/settings/folds.js';
import {conditionName, conditionPath, conditionPlace, isWithin, memberPath, parameterPath, placeName,
    placeText}
    from '../../Sources/Console/Pages/template/paths.js';
import {colorOf, colors, environments, hasSameMarks, isProduction, mustOpenAnew, projectText,
    shownName}
    from '../../Sources/Console/Pages/projects/project-details.js';
import {isProjectName, projectToOpen, rememberProject}
    from '../../Sources/Console/Pages/projects/projects.js';
import {replaceFragment} from '../../Sources/Console/Pages/routing/address-bar.js';
import {address, currentRoute, go, projectAddress, setProject, setQuery}
    from '../../Sources/Console/Pages/routing/router.js';
import {currentSession, onSessionElsewhere, refusal, serverRefusal, sessionIn, signIn, signOut}
    from '../../Sources/Console/Pages/server/session.js';
import {projectKey} from '../../Sources/Console/Pages/storage/stored-data.js';

beforeEach(() => {
    emptyStorages();
    location.hash = '';
    setProject('default');
});

for (const [hash, project, path, query] of [
    ['', null, 'settings', ''], ['#', null, 'settings', ''], ['#/', null, 'settings', ''],
    ['#/history', null, 'history', ''], ['#/default/history', 'default', 'history', ''],
    ['#/default/history?from=3&to=5', 'default', 'history', 'from=3&to=5'],
    ['#/a%2Fb%20%C3%BC/review', 'a/b ü', 'review', ''], ['#/100%/review', '100%', 'review', ''],
    ['#/p/user?id=a%3Fb', 'p', 'user', 'id=a%3Fb'], ['#//p//live/', 'p', 'live', ''],
]) {
    test(`the address ${hash || 'without a page'} is the page ${path} of ${project}`, () => {
        location.hash = hash;
        const route = currentRoute();
        assert.deepEqual([route.project, route.path, String(route.query)], [project, path, query]);
    });
}

test('an address leads back to its page', () => {
    const name = 'a/b ü?#&';
    location.hash = projectAddress(name, 'user', {id: 'x y&z', none: undefined, empty: ''});
    const {project, path, query} = currentRoute();
    assert.deepEqual([project, path, [...query]], [name, 'user', [['id', 'x y&z'], ['empty', '']]]);
});

test('addresses are those of the open project', () => {
    setProject('shop');
    assert.equal(address('live'), '#/shop/live');
    go('history', {from: '1'});
    assert.equal(location.hash, '#/shop/history?from=1');
    replaceFragment(location.hash);
    history.state = {number: 3};
    setQuery({from: '2', to: undefined});
    assert.equal(location.hash, '#/shop/history?from=2');
    assert.deepEqual(history.state, {number: 3});
});

for (const {group, key, path} of fixture('TemplatesTests/Fixtures/template-paths.json')) {
    test(`the path of a setting is ${path.slice(0, 70)}`, () => (
        assert.equal(parameterPath(group, key), path)));
}

test('a path may begin with a name', () => {
    assert.equal(memberPath('', 'a'), 'a');
    assert.equal(memberPath('', 'a b'), '["a b"]');
    assert.equal(memberPath('a', ''), 'a[""]');
    assert.equal(conditionPath(4), 'conditions[4]');
});

for (const [path, text] of [
    [['parameters', 'a'], 'Default.a'], [['parameterGroups', 'G', 'parameters', 'a'], 'G.a'],
    [['parameters', 'a', 'defaultValue', 'value'], 'Default.a, default value'],
    [['parameters', 'a', 'valueType'], 'Default.a, type'],
    [['parameters', 'a', 'conditionalValues'], 'Default.a, conditional values'],
    [['parameterGroups', 'Home', 'parameters', 'title', 'conditionalValues', 'Germany', 'value'],
        'Home.title, value for “Germany”'],
    [['parameterGroups', 'G'], 'the section G'],
    [['parameterGroups', 'G', 'description'], 'the section G, description'],
    [['parameterGroups', 'G', 'parameters'], 'the section G, parameters'],
    [['conditions', 'A'], 'the condition A'],
    [['conditions', 'A', 'tagColor'], 'the condition A, colour'],
    [['conditions', 'A', 'constructor'], 'the condition A, constructor'],
    [['conditions'], 'the order of the conditions'],
    [['version', 'description'], 'the description of the version'], [['other'], 'the other'],
]) test(`${path.join(' ')} is shown as ${text}`, () => assert.equal(placeName(path), text));

const named = {conditions: [{name: 'A'}, {name: ''}, {}]};

for (const [path, name, place] of [
    ['conditions[0].expression', 'A', 'the condition A, expression'],
    ['conditions[0]', 'A', 'the condition A'], ['conditions[1]', null, null],
    ['conditions[2].name', null, null], ['conditions[7]', null, null],
    ['parameters.a', null, null], ['xconditions[0]', null, null],
    ['conditions[0].condition.orCondition', 'A', 'the condition A, condition'],
]) {
    test(`the path ${path} is of the condition ${name}`, () => {
        assert.equal(conditionName(path, named), name);
        assert.equal(conditionPlace(path, named), place);
    });
}

for (const [path, text] of [
    ['parameterGroups.G.parameters.a.defaultValue', 'G.a, default value'],
    ['parameterGroups["My \\"group\\""].parameters.a.conditionalValues["B C"].value',
        'My "group".a, value for “B C”'],
    ['parameters.a', 'Default.a'], ['conditions[0].expression', 'the condition A, expression'],
    ['conditions[1].tagColor', 'condition 2, colour'], ['conditions[7]', 'condition 8'],
    ['conditions', 'the order of the conditions'], ['', null], ['other.a', null], ['a b', null],
    ['parameters.a b', null], ['parameters["\\x"]', null], ['parameterGroups', null],
]) test(`the problem at ${path} is in ${text}`, () => assert.equal(placeText(path, named), text));

test('a place without its template has the number of the condition', () => {
    assert.equal(placeText('conditions[2].expression'), 'condition 3, expression');
});

test('a file without a list of conditions names none', () => {
    for (const file of [null, [], {conditions: {}}, {conditions: 'x'}, 7]) {
        assert.equal(conditionName('conditions[0]', file), null);
    }
});

for (const [path, outer, isInside] of [['a', 'a', true], ['a.b', 'a', true], ['a["b"]', 'a', true],
    ['ab', 'a', false], ['a', 'a.b', false], ['', '', true], ['.a', '', true], ['a', '', false]]) {
    test(`${path || 'the whole'} is ${isInside ? '' : 'not '}within ${outer || 'the whole'}`, () => (
        assert.equal(isWithin(path, outer), isInside)));
}

const shared = fixture('ConfigServerTests/Fixtures/console-names.json');

test('each role has the permissions of the roles below it', () => {
    shared.roles.forEach((role, index) => shared.roles.forEach((needed, other) => (
        assert.equal(refusal({role}, needed) === null, index >= other, `${role}, ${needed}`))));
    assert.equal(refusal({role: 'viewer'}, 'editor'),
        'Your role is viewer. This needs the role editor.');
    assert.notEqual(refusal({role: 'unknown'}, 'viewer'), null);
});

test('a session begins and ends in all tabs', async () => {
    const requests = answerRequests(({method}) => (method === 'DELETE' ? {status: 204}
        : {body: {name: 'ada', role: 'editor', csrfToken: 'c'}}));
    const heard = [];
    onSessionElsewhere((isEnded) => heard.push(isEnded));
    // Another tab, on the same channel.
    const other = new BroadcastChannel('activeconfig.session');
    const sent = [];
    other.addEventListener('message', ({data}) => sent.push(data));
    assert.equal((await signIn('secret')).name, 'ada');
    await signOut();
    other.postMessage('began');
    other.postMessage('ended');
    await settled();
    assert.deepEqual(sent, ['began', 'ended']);
    assert.deepEqual(heard, [false, true]);
    assert.deepEqual(requests.map(({method, path, body}) => [method, path, body]), [
        ['POST', '/console/session', {token: 'secret'}], ['DELETE', '/console/session', undefined]]);
    assert.equal((await currentSession()).csrfToken, 'c');
});

test('a session that does not begin is not announced to other tabs', async () => {
    answerRequests(() => ({status: 401, body: {}}));
    const other = new BroadcastChannel('activeconfig.session');
    other.addEventListener('message', () => assert.fail('it was announced'));
    await assert.rejects(signIn('wrong'), {status: 401});
    await settled();
    other.close();
});

for (const name of shared.projectNames) {
    test(`${name.slice(0, 20)} is a name for a project`, () => assert.ok(isProjectName(name)));
}
test('a token that is limited to projects has its role in each, and none for the server', () => {
    const session = {name: 'a', csrfToken: '', role: 'publisher',
        projects: {shop: 'editor', web: 'publisher'}};
    assert.equal(refusal(sessionIn(session, {name: 'shop'}), 'editor'), null);
    assert.equal(refusal(sessionIn(session, {name: 'shop'}), 'publisher'),
        'Your role is editor. This needs the role publisher.');
    assert.equal(refusal(sessionIn(session, {name: 'web'}), 'publisher'), null);
    assert.match(serverRefusal(session) ?? '', /limited to some projects/);
    assert.equal(serverRefusal({name: 'a', csrfToken: '', role: 'publisher'}), null);
    assert.match(serverRefusal({name: 'a', csrfToken: '', role: 'editor'}) ?? '', /Your role/);
});

test('an archived project can only be read, whatever the role', () => {
    const session = sessionIn({name: 'a', csrfToken: '', role: 'publisher'},
        {name: 'shop', archived: true});
    assert.equal(refusal(session, 'viewer'), null);
    for (const role of ['editor', 'publisher']) assert.match(refusal(session, role) ?? '', /archived/);
});

for (const name of [...shared.otherNames, '']) {
    test(`"${name.slice(0, 20)}" is not a valid project name`, () => assert.ok(!isProjectName(name)));
}

test('environments and colours are those of the server', () => {
    assert.deepEqual(environments.map(([value]) => value), shared.environments);
    assert.deepEqual(colors.map(([value]) => value), shared.projectColors);
});

for (const [wanted, last, name, isKnown] of [
    ['a', null, 'a', true], ['gone', null, 'gone', false], [null, 'b', 'b', true],
    [null, 'gone', 'a', true], [null, null, 'a', true],
    ['default', 'b', 'default', true],
]) {
    test(`the project ${wanted} is opened as ${name} after ${last}`, () => {
        if (last) rememberProject(last);
        assert.deepEqual(projectToOpen(wanted, ['a', 'b']), {name, isKnown});
    });
}

for (const names of [[], ['a', 'default']]) {
    test(`of the projects [${names}], default is opened first`, () => assert.deepEqual(
        projectToOpen(null, names), {name: 'default', isKnown: true}));
}

for (const [wanted, names, name, isKnown] of [
    [null, ['a', 'b'], 'a', true], [null, ['b', 'default'], 'default', true],
    ['default', ['a'], 'default', false], [null, [], 'default', false],
]) {
    test(`a limited token for ${names} opens ${name} for ${wanted}`, () => (
        assert.deepEqual(projectToOpen(wanted, names, true), {name, isKnown})));
}

test('a full storage does not keep a project from opening', () => {
    MemoryStorage.room = 0;
    rememberProject('a');
    assert.equal(localStorage.getItem(projectKey), null);
});

for (const [project, name, text] of [
    [{name: 'p'}, 'p', 'p'], [{name: 'p', displayName: 'Shop'}, 'Shop', 'Shop (p)'],
    [{name: 'p', displayName: 'p'}, 'p', 'p'],
    [{name: 'p', displayName: 'Shop', environment: 'PRODUCTION'}, 'Shop', 'Shop (p), Production'],
    [{name: 'p', environment: 'LATER'}, 'p', 'p'],
]) {
    test(`a project is shown as ${text}`, () => {
        assert.equal(shownName(project), name);
        assert.equal(projectText(project), text);
    });
}

test('production is red without a colour of its own', () => {
    assert.equal(colorOf({environment: 'PRODUCTION'}), 'RED');
    assert.equal(colorOf({environment: 'PRODUCTION', color: 'BLUE'}), 'BLUE');
    assert.equal(colorOf({environment: 'STAGING'}), undefined);
    assert.ok(isProduction({environment: 'PRODUCTION'}) && !isProduction({}));
});

test('projects differ in their distinguishing details', () => {
    const one = {name: 'p', color: 'RED', versionNumber: '1'};
    assert.ok(hasSameMarks(one, {...one, versionNumber: '2'}));
    for (const name of ['name', 'displayName', 'environment', 'color']) {
        assert.ok(!hasSameMarks(one, {...one, [name]: 'other'}), name);
    }
});

for (const [name, before, now, isAnew] of [
    ['stays', {versionNumber: '3'}, {versionNumber: '4', displayName: 'Shop'}, false],
    ['was created', null, {versionNumber: '1', unpublished: true}, false],
    ['does not exist yet', null, undefined, false],
    ['is published first', {versionNumber: '1', unpublished: true}, {versionNumber: '2'}, false],
    ['was deleted', {versionNumber: '3'}, undefined, true],
    ['was created again', {versionNumber: '9'}, {versionNumber: '10', unpublished: true}, true],
    ['was archived', {versionNumber: '3', archived: false}, {versionNumber: '3', archived: true}, true],
    ['was unarchived', {versionNumber: '3', archived: true}, {versionNumber: '3'}, true],
]) {
    test(`an open project that ${name} ${isAnew ? 'is opened anew' : 'stays open'}`, () => {
        assert.equal(mustOpenAnew(before, now), isAnew);
    });
}

for (const project of ['shop', '__proto__', 'constructor', '7']) {
    test(`a token has a role in the project ${project} only after one was chosen`, () => {
        assert.equal(roleIn({other: 'viewer'}, project), '');
        const roles = withRole({other: 'viewer'}, project, 'editor');
        assert.equal(roleIn(roles, project), 'editor');
        assert.deepEqual(JSON.parse(jsonText(roles)),
            JSON.parse(`{"other": "viewer", "${project}": "editor"}`));
        assert.equal(jsonText(withRole(roles, project, '')), '{"other":"viewer"}');
        const session = {name: 'ada', role: 'viewer', projects: roles};
        assert.equal(sessionIn(session, {name: project}).role, 'editor');
        assert.equal(sessionIn({...session, projects: {}}, {name: project}).role, 'viewer');
    });
}

test('folded sections survive a reload', () => {
    const folds = new Folds('p');
    folds.set(['outside', 'group:a'], true);
    folds.set(['outside'], false);
    assert.ok(!new Folds('p').has('outside') && new Folds('p').has('group:a'));
    assert.ok(!new Folds('q').has('group:a'));
    sessionStorage.setItem('activeconfig.folds.p', '{');
    assert.ok(!new Folds('p').has('group:a'));
    MemoryStorage.room = 0;
    folds.set(['outside'], true);
    assert.ok(folds.has('outside'));
});
