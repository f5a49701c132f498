/**
 * Delivery of a version that was just published, and its rollback.
 */

import {call, projectPath, ServerError} from './api.js';
import {count, guarded, message} from './controls.js';
import {announce, fill, h} from './dom.js';
import {clearDoubt} from './publishing.js';
import {refusal} from './session.js';

/** Milliseconds between two looks at the connected clients. */
const interval = 1000;

/** Seconds for which a publish can be undone here; later, the history can. */
const lifetime = 60;

/** Number of connected clients, and of those with a version. */
async function arrival(project, versionNumber, signal) {
    const {body} = await call('GET', projectPath(project, 'connections'), {signal});
    const versions = Object.entries(body.versions);
    const has = versions.filter(([number]) => Number(number) >= Number(versionNumber))
        .reduce((sum, [, clients]) => sum + Number(clients), 0);
    return {all: Number(body.connections), has};
}

/**
 * Publishes the version `before` again in place of `versionNumber`; after a lost response, finds
 * out whether that was done.
 *
 * @returns {Promise<?object>} The new version; null when there is none, undefined when the signal
 *     was aborted before the server answered.
 * @throws ServerError with a status below 500; 412 when another version was published since.
 */
async function rollback(project, {before, versionNumber}, options) {
    try {
        const {body} = await call('POST', projectPath(project, 'remoteConfig:rollback'), {
            body: {versionNumber: before}, ifMatch: `etag-${project}-${versionNumber}`});
        return body.version;
    } catch (error) {
        if (error instanceof ServerError && error.status < 500) throw error;
    }
    return clearDoubt(async () => {
        const {body} = await call(
            'GET', projectPath(project, 'remoteConfig:listVersions', {pageSize: 20}));
        return body.versions.find((version) => version.rollbackSource === before
            && Number(version.versionNumber) === Number(versionNumber) + 1) ?? null;
    }, options);
}

/**
 * View of the arrival of a version, with a button that publishes the version before it again while
 * nobody else has published.
 *
 * @param {object} context Page context.
 * @param {{versionNumber: string}} published The version.
 * @param {AbortSignal} signal Ends the view.
 */
export function undoView({workspace, project, session, redraw}, {versionNumber}, signal) {
    const place = h('p', {role: 'status'}, 'Looking at the connected apps …');
    const outcome = h('div', {'aria-live': 'polite'});
    const before = String(Number(versionNumber) - 1);
    const end = Date.now() + lifetime * 1000;
    const refused = refusal(session, 'publisher');
    const finish = async (version) => {
        await workspace.load().catch(() => {});
        if (!signal.aborted) redraw();
        announce(`Undone: version ${before} is published again as version `
            + `${version.versionNumber}.`);
    };
    const undo = h('button', {type: 'button', 'data-focus': 'undo', onclick: async () => {
        undo.disabled = true;
        fill(outcome);
        try {
            const version = await rollback(project, {before, versionNumber}, {
                signal, onDoubt: (attempt) => attempt === 1 && fill(outcome, message('warning',
                    'The connection broke, so the console does not know whether it was undone. It '
                    + 'asks the server again until it answers.'))});
            if (version) await finish(version);
            else if (!signal.aborted) {
                fill(outcome, message('info', 'Not undone. You may try again.'));
                undo.disabled = false;
            }
        } catch (error) {
            const isOutdated = error.status === 412;
            fill(outcome, message(isOutdated ? 'warning' : 'error', isOutdated
                ? 'Not undone: somebody has published since. See the history.' : error.message));
            undo.disabled = isOutdated;
        }
    }}, 'Undo');
    const look = async () => {
        if (signal.aborted) return;
        const left = Math.max(0, Math.ceil((end - Date.now()) / 1000));
        undo.hidden = left === 0 || before === '0';
        if (!refused) undo.title = `Publishes version ${before} again; for ${left} more seconds.`;
        try {
            const {all, has} = await arrival(project, versionNumber, signal);
            place.textContent = all === 0 ? 'No app is connected now; apps get it when they ask next.'
                : `${has} of ${count(all, 'connected app')} ${has === 1 ? 'has' : 'have'} it.`;
        } catch {
            // Asked again soon.
        }
        if (left > 0) setTimeout(look, interval);
    };
    look();
    return h('div', {class: 'stack tight'}, place,
        h('div', {class: 'actions'}, guarded(refused, undo)), outcome);
}
