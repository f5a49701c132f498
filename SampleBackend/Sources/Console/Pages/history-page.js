/**
 * History page: the versions, their differences, and rollback.
 */

import {call, isMissing, projectPath} from './api.js';
import {badge, choice, field, guarded, message, nothing, pageHead, table, timeText}
    from './controls.js';
import {diffView} from './diff-view.js';
import {dialogForm, openDialog} from './dialog.js';
import {announce, fill, h} from './dom.js';
import {setQuery} from './router.js';
import {refusal} from './session.js';

/** Versions per request. */
const pageSize = 30;

/** Badge for the origin of a version: publish, forced publish or rollback. */
function typeBadge({updateType, rollbackSource}) {
    if (updateType === 'ROLLBACK') return badge(`Version ${rollbackSource} again`, 'changed');
    return updateType === 'FORCED_UPDATE' ? badge('Forced', 'removed') : badge('Publish');
}

/** Reads and renders the differences between two versions. */
async function readDifference(project, from, to, signal) {
    const {body} = await call(
        'GET', projectPath(project, 'remoteConfig:diff', {from, to}), {signal});
    return diffView(body);
}

/** List item with a version's publisher, time and description. */
function publishView({versionNumber, updateUser, updateTime, description}) {
    return h('li', {}, `Version ${versionNumber} was published by `,
        updateUser?.name || updateUser?.email || 'somebody', ', ', timeText(updateTime),
        description && `: “${description}”`);
}

/** Versions after `shown`, of the newest 20, and the changes from `shown` to `current`. */
async function newsView(project, shown, current) {
    const {body} = await call('GET', projectPath(
        project, 'remoteConfig:listVersions', {pageSize: 20}));
    const newer = body.versions.filter(
        ({versionNumber}) => Number(versionNumber) > Number(shown)).reverse();
    return h('div', {class: 'stack'}, message('warning',
        h('p', {}, 'Somebody published since you were shown what going back changes. It would be '
            + 'undone as well:'),
        h('ul', {}, newer.map(publishView))),
    h('h3', {}, `What changed since version ${shown}`),
    await readDifference(project, shown, current));
}

/**
 * Opens the rollback dialog. It shows what the rollback changes in the current version, and sends
 * that version's entity tag: when somebody has published meanwhile, the server refuses (412), and
 * the dialog shows the new changes before it can be confirmed again.
 */
async function openRollback(context, versionNumber) {
    const {workspace, project} = context;
    const news = h('div', {'aria-live': 'polite'});
    const place = h('div', {class: 'stack'}, h('p', {class: 'muted'}, 'Comparing …'));
    let shown;
    const showCurrent = async () => {
        const {version, etag} = await workspace.fetchTemplate();
        const current = version.versionNumber;
        const view = await readDifference(project, current, versionNumber);
        const newer = shown && await newsView(project, shown.versionNumber, current);
        fill(news, newer);
        fill(place, h('h3', {}, `What going back changes in version ${current}`), view);
        shown = {versionNumber: current, etag};
    };
    const ready = showCurrent();
    ready.catch((error) => fill(place, message('error', error.message)));
    const submit = async () => {
        try {
            return (await call('POST', projectPath(project, 'remoteConfig:rollback'), {
                body: {versionNumber}, ifMatch: shown.etag})).body.version;
        } catch (error) {
            if (error.status !== 412) throw error;
            await showCurrent();
            throw new Error('Nothing was done: somebody published in the meantime. Look at what '
                + 'changed, and decide again.');
        }
    };
    const version = await openDialog(`Go back to version ${versionNumber}?`, (close) => dialogForm({
        fields: [
            h('p', {}, `Version ${versionNumber} is published again as a new version. Users get it `
                + 'at once.'),
            news, place,
            workspace.draft && message('info', 'Your draft stays. It is put together with the new '
                + 'version when you publish it.')],
        action: `Go back to version ${versionNumber}`, isDangerous: true, ready, submit,
    }, close), {isWide: true});
    if (!version) {
        await workspace.checkNewest().catch(() => {});
        return;
    }
    await workspace.load().catch(() => {});
    context.redraw();
    announce(`Version ${versionNumber} is published again as version ${version.versionNumber}.`);
}

function row(version, isCurrent, context) {
    const {versionNumber, updateTime, updateUser, description} = version;
    const refused = refusal(context.session, 'publisher');
    return h('tr', {},
        h('th', {scope: 'row', class: 'number'}, versionNumber,
            isCurrent && [' ', badge('Current', 'good')]),
        h('td', {}, timeText(updateTime)),
        h('td', {}, updateUser?.name || updateUser?.email || '–'),
        h('td', {class: 'wide'}, h('div', {class: 'badges'}, typeBadge(version)),
            description || h('span', {class: 'muted'}, 'No description')),
        h('td', {}, h('div', {class: 'actions'},
            h('button', {type: 'button', class: 'quiet', 'data-focus': `compare ${versionNumber}`,
                'aria-label': `Show what version ${versionNumber} changed`,
                onclick: () => context.compare(String(Number(versionNumber) - 1), versionNumber)},
            'Changes'),
            !isCurrent && guarded(refused, h('button', {type: 'button',
                'data-focus': `rollback ${versionNumber}`,
                'aria-label': `Go back to version ${versionNumber}`,
                onclick: () => openRollback(context, versionNumber)}, 'Go back …')))));
}

/**
 * Card that compares two versions: those in the query, by default the newest two. Sets
 * `context.compare`, with which the table's rows show their changes here.
 */
function comparison(versions, context, signal) {
    const options = versions.map(({versionNumber}) => [versionNumber, `Version ${versionNumber}`]);
    const known = (number) => versions.some(({versionNumber}) => versionNumber === number);
    const wanted = [context.query.get('from'), context.query.get('to')];
    const from = choice(options, known(wanted[0]) ? wanted[0]
        : (versions[1] ?? versions[0]).versionNumber);
    const to = choice(options, known(wanted[1]) ? wanted[1] : versions[0].versionNumber);
    const place = h('div', {});
    const compare = async () => {
        setQuery({from: from.value, to: to.value});
        try {
            fill(place, await readDifference(context.project, from.value, to.value, signal));
            announce(`Version ${from.value} is compared with version ${to.value}.`);
        } catch (error) {
            if (!signal.aborted) fill(place, message('error', error.message));
        }
    };
    from.addEventListener('change', compare);
    to.addEventListener('change', compare);
    context.compare = (older, newer) => {
        from.value = known(older) ? older : newer;
        to.value = newer;
        compare();
        from.focus();
        from.scrollIntoView({block: 'center'});
    };
    compare();
    return h('section', {class: 'card', 'aria-labelledby': 'compare'},
        h('div', {class: 'card-head'}, h('h2', {id: 'compare'}, 'Compare two versions'),
            h('div', {class: 'line'}, field('From', from), field('To', to))),
        h('div', {class: 'card-body'}, place));
}

function show(main, context) {
    const left = new AbortController();
    const body = h('div', {class: 'stack'}, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
    fill(main, pageHead('History', 'Every version that was published. Nothing is ever rewritten: '
        + 'going back makes a new version.'), body);

    let versions = [];
    const draw = (nextPageToken) => {
        const tableRows = versions.map((version, index) => row(version, index === 0, context));
        fill(body, comparison(versions, context, left.signal),
            table('Versions, the newest first',
                ['Version', 'Published', 'By', 'Description', ''], tableRows),
            nextPageToken && h('button', {type: 'button', 'data-focus': 'older',
                onclick: () => read(nextPageToken)}, 'Show older versions'));
    };
    const read = async (pageToken) => {
        try {
            const answer = await call('GET', projectPath(
                context.project, 'remoteConfig:listVersions', {pageSize, pageToken}),
            {signal: left.signal});
            versions = [...versions, ...answer.body.versions];
            draw(answer.body.nextPageToken);
        } catch (error) {
            if (left.signal.aborted) return;
            fill(body, isMissing(error) ? h('section', {class: 'card'},
                nothing('Nothing has been published yet.')) : message('error', error.message));
        }
    };
    read();
    return () => left.abort();
}

export const historyPage = {path: 'history', title: 'History', show};
