/**
 * History page: the versions, their differences, rollback, and the undo of single versions.
 */

import {badge, guarded, message, moreButton, nothing, pageHead, publisherName, table, timeText}
    from '../controls/controls.js';
import {fill, h, redraw} from '../controls/dom.js';
import {isPageLocked} from '../controls/held-entry.js';
import {failedReading} from '../controls/shown-answer.js';
import {keptForms} from '../controls/unfinished-form.js';
import {comparison} from '../differences/version-comparison.js';
import {arrivalView} from '../live/arrival.js';
import {call, isMissing, projectPath} from '../server/api.js';
import {refusal} from '../server/session.js';
import {onNewVersion} from './new-versions.js';
import {openRollback} from './rollback-dialog.js';
import {openUndo} from './undo-dialog.js';

/** Versions per request. */
const pageSize = 30;

/**
 * What published a version, besides a caller of the API.
 *
 * @type {Record<string, string>}
 */
const origins = {CONSOLE: 'Console', SCHEDULE: 'Schedule'};

/**
 * Badges for the origin of a version: rollback or publish, and the interface.
 *
 * @param {Version} version
 */
function typeBadges({updateType, updateOrigin, rollbackSource, undoneVersionNumber}) {
    if (updateType === 'ROLLBACK') return [badge(`Version ${rollbackSource} again`, 'changed')];
    if (updateType === 'UNDO') {
        return [badge(`Undoes version ${undoneVersionNumber}`, 'changed')];
    }
    return [badge(origins[updateOrigin ?? ''] ?? 'API'),
        updateType === 'FORCED_UPDATE' && badge('Replaced any version')];
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
        h('td', {class: 'name'}, publisherName(version)),
        h('td', {class: 'wide'}, h('div', {class: 'badges'}, typeBadges(version)),
            description || h('span', {class: 'muted'}, 'No description')),
        h('td', {}, h('div', {class: 'actions'},
            h('button', {type: 'button', class: 'quiet', 'data-focus': `compare ${versionNumber}`,
                'aria-label': `Show what version ${versionNumber} changed`,
                onclick: () => context.showChanges?.(versionNumber)},
            'Changes'),
            guarded(refused, h('button', {type: 'button', 'data-focus': `undo ${versionNumber}`,
                'aria-label': `Undo version ${versionNumber}`,
                onclick: () => context.undoVersion?.(versionNumber)}, 'Undo …')),
            !isCurrent && guarded(refused, h('button', {type: 'button',
                'data-focus': `rollback ${versionNumber}`,
                'aria-label': `Go back to version ${versionNumber}`,
                onclick: () => context.goBack?.(versionNumber)}, 'Go back …')))));
}

/**
 * @param {HTMLElement} main
 * @param {HistoryContext} context
 */
export function show(main, context) {
    const left = new AbortController();
    const body = h('div', {class: 'stack'}, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
    fill(main, pageHead('History', 'All published versions. Versions never change: undoing a '
        + 'version, or going back to one, publishes a new one.'), body);

    // Of an older comparison, which is below the versions.
    const isLinked = context.query.has('to');
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
    const outcome = h('div', {role: 'status'});
    /** @param {Version | undefined} version @param {(number: string) => string} textOf */
    const showOutcome = (version, textOf) => {
        if (!version || left.signal.aborted) return;
        fill(outcome, message('success', h('p', {tabindex: '-1'}, h('strong', {},
            textOf(version.versionNumber))),
        arrivalView(context.project, version.versionNumber, left.signal)));
        outcome.querySelector('p')?.focus();
    };
    context.goBack = async (versionNumber, reason) => showOutcome(
        await openRollback(context, versionNumber, reason),
        (number) => `Version ${versionNumber} is published again as version ${number}.`);
    context.undoVersion = async (versionNumber, reason) => showOutcome(
        await openUndo(context, versionNumber, reason),
        (number) => `The changes of version ${versionNumber} were taken back, as version ${
            number}.`);
    /** @param {string} [nextPageToken] */
    const draw = (nextPageToken) => {
        older = nextPageToken;
        const tableRows = versions.map((version, index) => row(version, index === 0, context));
        // Loading more versions leaves the comparison unchanged.
        if (!versions.length) {
            fill(body, h('section', {class: 'card'}, nothing('Nothing has been published yet.')));
            return;
        }
        if (!card) {
            card = comparison(versions, context, left.signal);
            fill(body, outcome, h('div', {class: 'history'}, list, card));
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
            if (newest === Number(body.versions[0]?.versionNumber ?? 0)) return;
            const news = /** @type {Version[]} */ (body.versions).filter(
                ({versionNumber}) => Number(versionNumber) > newest);
            const isGap = news.length === body.versions.length;
            versions = isGap ? body.versions : [...news, ...versions];
            draw(isGap ? body.nextPageToken : older);
        } catch {
            // The list stays unchanged; reloading the page reads it again.
        }
    };
    /** @returns {Promise<void>} */
    const start = () => read().catch((error) => {
        if (left.signal.aborted) return;
        fill(body, isMissing(error) ? h('section', {class: 'card'},
            nothing('Nothing has been published yet.'))
            : failedReading(error, left.signal, start));
    });
    const first = start();
    // Not in `resume-form.js`: the page says what became of it.
    const kept = isPageLocked() || refusal(context.session, 'publisher') ? undefined
        : keptForms(context.workspace.user, context.project).find(
            ({kind}) => kind === 'rollback' || kind === 'undo');
    if (kept) {
        const [versionNumber] = /** @type {string[]} */ (kept.arguments);
        const open = kept.kind === 'undo' ? context.undoVersion : context.goBack;
        first.then(() => !isPageLocked() && open?.(
            versionNumber, /** @type {string} */ (kept.content)));
    }
    onNewVersion(context.workspace, left.signal, () => first.then(readNews));
    context.workspace.addEventListener('versionchange', () => first.then(readNews), {
        signal: left.signal});
    return () => left.abort();
}
