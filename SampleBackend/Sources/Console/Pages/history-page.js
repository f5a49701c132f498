/**
 * History page: the versions, their differences, and rollback.
 */

import {call, isMissing, projectPath} from './api.js';
import {badge, guarded, message, moreButton, nothing, pageHead, publisherName, table, timeText}
    from './controls.js';
import {dialogForm, openDialog} from './dialog.js';
import {announce, fill, h, redraw} from './dom.js';
import {productionNotice} from './project-details.js';
import {refusal} from './session.js';
import {beginning, comparison, readDifference} from './version-comparison.js';

/** Versions per request. */
const pageSize = 30;

/**
 * Badges for the origin of a version: rollback or publish, and the interface.
 *
 * @param {Version} version
 */
function typeBadges({updateType, updateOrigin, rollbackSource}) {
    if (updateType === 'ROLLBACK') return [badge(`Version ${rollbackSource} again`, 'changed')];
    return [badge(updateOrigin === 'CONSOLE' ? 'Console' : 'API'),
        updateType === 'FORCED_UPDATE' && badge('Replaced any version')];
}

/**
 * List item with a version's publisher, time and description.
 *
 * @param {Version} version
 */
function publishView(version) {
    const {versionNumber, updateTime, description} = version;
    return h('li', {}, `Version ${versionNumber} was published by `,
        publisherName(version), ', ', timeText(updateTime),
        description && `: “${description}”`);
}

/**
 * The versions after `shown` among the newest 20, and the changes from `shown` to `current`.
 *
 * @param {PageContext} context
 * @param {string} shown
 * @param {string} current
 */
async function newsView(context, shown, current) {
    const {body} = await call('GET', projectPath(
        context.project, 'remoteConfig:listVersions', {pageSize: 20}));
    const newer = /** @type {Version[]} */ (body.versions).filter(
        ({versionNumber}) => Number(versionNumber) > Number(shown)).reverse();
    return h('div', {class: 'stack'}, message('warning',
        h('p', {}, 'Another version was published since this dialog opened. Going back would undo '
            + 'it, too:'),
        h('ul', {}, newer.map(publishView))),
    h('h3', {}, `What changed since version ${shown}`),
    await readDifference(context, shown, current));
}

/**
 * Opens the rollback dialog. It shows what the rollback changes in the current version, and sends
 * that version's entity tag: if another version was published meanwhile, the server refuses (412),
 * and the dialog shows the new changes before the user can confirm again.
 *
 * @param {PageContext} context
 * @param {string} versionNumber
 */
async function openRollback(context, versionNumber) {
    const {workspace, project} = context;
    const news = h('div', {'aria-live': 'polite'});
    const place = h('div', {class: 'stack'}, h('p', {class: 'muted'}, 'Comparing …'));
    /** @type {{versionNumber: string, etag: string} | undefined} */
    let shown;
    const showCurrent = async () => {
        const {version, etag} = await workspace.fetchTemplate();
        const current = version?.versionNumber ?? beginning;
        const view = await readDifference(context, current, versionNumber);
        const newer = shown && await newsView(context, shown.versionNumber, current);
        fill(news, newer);
        fill(place, h('h3', {}, `What going back changes in version ${current}`), view);
        shown = {versionNumber: current, etag};
    };
    const ready = showCurrent();
    ready.catch((error) => fill(place, message('error', error.message)));
    const submit = async () => {
        try {
            return (await call('POST', projectPath(project, 'remoteConfig:rollback'), {
                body: {versionNumber}, ifMatch: shown?.etag})).body.version;
        } catch (error) {
            if (error.status !== 412) throw error;
            await showCurrent();
            throw new Error('Nothing was done: another version was published meanwhile. Review '
                + 'what changed, and decide again.');
        }
    };
    const version = await openDialog(`Go back to version ${versionNumber}?`, (close) => dialogForm({
        fields: [
            h('p', {}, `Version ${versionNumber} is published again as a new version. Users get it `
                + 'immediately.'),
            productionNotice(context.details, 'This goes back in'),
            news, place,
            workspace.draft && message('info', 'Your draft stays. It is merged with the new '
                + 'version when you publish it.')],
        action: `Go back to version ${versionNumber}`, isDangerous: true, ready, submit,
    }, close), {isWide: true});
    if (!version) {
        await workspace.checkNewest().catch(() => {});
        return;
    }
    await workspace.load().catch(() => {});
    context.redraw();
    announce(`Version ${versionNumber} published again as version ${version.versionNumber}.`);
}

/**
 * @param {Version} version
 * @param {boolean} isCurrent
 * @param {HistoryContext} context
 */
function row(version, isCurrent, context) {
    const {versionNumber, updateTime, description} = version;
    const refused = refusal(context.session, 'publisher');
    return h('tr', {},
        h('th', {scope: 'row', class: 'number'}, versionNumber,
            isCurrent && [' ', badge('Current', 'good')]),
        h('td', {}, timeText(updateTime)),
        h('td', {}, publisherName(version)),
        h('td', {class: 'wide'}, h('div', {class: 'badges'}, typeBadges(version)),
            description || h('span', {class: 'muted'}, 'No description')),
        h('td', {}, h('div', {class: 'actions'},
            h('button', {type: 'button', class: 'quiet', 'data-focus': `compare ${versionNumber}`,
                'aria-label': `Show what version ${versionNumber} changed`,
                onclick: () => context.compare?.(String(Number(versionNumber) - 1), versionNumber)},
            'Changes'),
            !isCurrent && guarded(refused, h('button', {type: 'button',
                'data-focus': `rollback ${versionNumber}`,
                'aria-label': `Go back to version ${versionNumber}`,
                onclick: () => openRollback(context, versionNumber)}, 'Go back …')))));
}

/**
 * @param {HTMLElement} main
 * @param {HistoryContext} context
 */
function show(main, context) {
    const left = new AbortController();
    const body = h('div', {class: 'stack'}, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
    fill(main, pageHead('History', 'All published versions. Versions never change: '
        + 'going back publishes a new one.'), body);

    // Of an older comparison, which is below the versions.
    const isLinked = context.query.has('from');
    /** @type {Version[]} */
    let versions = [];
    /**
     * Page token of the versions older than the last one shown.
     *
     * @type {string | undefined}
     */
    let older;
    /** @type {?HTMLElement} */
    let card = null;
    const list = h('div', {class: 'stack'});
    /** @param {string} [nextPageToken] */
    const draw = (nextPageToken) => {
        older = nextPageToken;
        const tableRows = versions.map((version, index) => row(version, index === 0, context));
        // Loading more versions leaves the comparison unchanged.
        if (!card) {
            card = comparison(versions, context, left.signal);
            fill(body, h('div', {class: 'history'}, list, card));
            if (isLinked) card.scrollIntoView();
        } else context.offerVersions?.(versions.map(({versionNumber}) => versionNumber));
        redraw(list,
            h('div', {class: 'history-jump'}, h('button', {type: 'button', class: 'quiet',
                'data-focus': 'compare', onclick: () => context.showComparison?.()},
            'Compare two versions')),
            table('Versions, newest first',
                ['Version', 'Published', 'By', 'Description', ''], tableRows),
            nextPageToken && moreButton('Show older versions', () => read(nextPageToken)));
    };
    /** @param {string} [pageToken] */
    const read = async (pageToken) => {
        const answer = await call('GET', projectPath(
            context.project, 'remoteConfig:listVersions', {pageSize, pageToken}),
        {signal: left.signal});
        versions = [...versions, ...answer.body.versions];
        draw(answer.body.nextPageToken);
    };
    /** Adds the versions that were published since the newest one shown. */
    const readNews = async () => {
        try {
            const {body} = await call('GET', projectPath(
                context.project, 'remoteConfig:listVersions', {pageSize}), {signal: left.signal});
            const newest = Number(versions[0]?.versionNumber ?? 0);
            const news = /** @type {Version[]} */ (body.versions).filter(
                ({versionNumber}) => Number(versionNumber) > newest);
            const isGap = news.length === body.versions.length;
            versions = isGap ? body.versions : [...news, ...versions];
            draw(isGap ? body.nextPageToken : older);
        } catch {
            // The list stays unchanged; reloading the page reads it again.
        }
    };
    const first = read().catch((error) => {
        if (left.signal.aborted) return;
        fill(body, isMissing(error) ? h('section', {class: 'card'},
            nothing('Nothing has been published yet.')) : message('error', error.message));
    });
    context.workspace.addEventListener('versionchange', () => first.then(readNews), {
        signal: left.signal});
    return () => left.abort();
}

export const historyPage = {path: 'history', title: 'History', show};
