/**
 * View of the delivery of a just published version, and its rollback.
 */

import {guarded, message} from '../controls/controls.js';
import {announce, fill, h} from '../controls/dom.js';
import {unsettledText} from '../server/publishing.js';
import {refusal} from '../server/session.js';
import {count} from '../text/formats.js';
import {arrival, editAgain, rollback} from './rollback.js';

/** Milliseconds between two queries of the connected clients. */
const interval = 1000;

/** Seconds during which a publish can be undone here; later, the history page can do it. */
const lifetime = 60;

/**
 * Sentence with the number of connected apps that have a version; updated every second for a
 * minute, or until it leaves the page.
 *
 * @param {string} project Name of the project.
 * @param {string} versionNumber The version.
 * @param {AbortSignal} signal Ends the updates.
 * @param {function(number): void} onLook Called at each update with the seconds that are left.
 */
export function arrivalView(project, versionNumber, signal, onLook = () => {}) {
    const place = h('p', {role: 'status'}, 'Counting the connected apps …');
    const end = Date.now() + lifetime * 1000;
    const look = async () => {
        if (signal.aborted) return;
        const left = Math.max(0, Math.ceil((end - Date.now()) / 1000));
        onLook(left);
        try {
            const {all, has} = await arrival(project, versionNumber, signal);
            place.textContent = all === 0 ? 'No app is connected; apps get it with their next request.'
                : `${has} of ${count(all, 'connected app')} ${has === 1 ? 'has' : 'have'} it.`;
        } catch {
            // The next query follows soon.
        }
        if (left > 0) setTimeout(() => place.isConnected && look(), interval);
    };
    look();
    return place;
}

/**
 * Message about an undone version, with a button that restores it as a draft.
 *
 * @param {PageContext} context Page context.
 * @param {{before: string, versionNumber: string}} undone The undone version, and the version
 *     before it.
 * @param {Version} version The new version, which equals the one before.
 * @param {AbortSignal} signal Ends the view.
 * @param {function(): void} onDraft Called when it is a draft again, unless the signal was aborted.
 */
export function undoneView(
    {workspace, project}, {before, versionNumber}, version, signal, onDraft) {
    const outcome = h('div', {'aria-live': 'polite'});
    const edit = h('button', {type: 'button', 'data-focus': 'edit-again', onclick: async () => {
        edit.disabled = true;
        fill(outcome);
        try {
            await editAgain(workspace, before, versionNumber);
            if (!signal.aborted) onDraft();
            announce(`The changes of version ${versionNumber} are a draft again.`);
        } catch (error) {
            fill(outcome, message('error', error.message));
            edit.disabled = false;
        }
    }}, 'Edit it again as a draft');
    return message('success',
        h('p', {}, h('strong', {}, undoneText(before, version))),
        h('div', {class: 'stack tight'}, arrivalView(project, version.versionNumber, signal),
            h('div', {class: 'actions'}, edit), outcome));
}

/**
 * Sentence that a version was published again.
 *
 * @param {string} before
 * @param {Version} version
 */
function undoneText(before, version) {
    return `Undone: version ${before} was published again as version ${version.versionNumber}.`;
}

/**
 * View of the delivery of a version, with a button that republishes the version before it, as long
 * as no other version is published.
 *
 * @param {PageContext} context Page context.
 * @param {{versionNumber: string}} published The version.
 * @param {AbortSignal} signal Ends the view.
 * @param {(undone: {before: string, versionNumber: string}, version: Version) => void} onUndone
 *     Called with the version that was undone, as `undoneView` expects it, and the new version; not
 *     after the signal was aborted.
 */
export function undoView({workspace, project, session}, {versionNumber}, signal, onUndone) {
    const outcome = h('div', {'aria-live': 'polite'});
    const before = String(Number(versionNumber) - 1);
    const refused = refusal(session, 'publisher');
    /** @param {Version} version */
    const finish = async (version) => {
        await workspace.load().catch(() => {});
        if (!signal.aborted) onUndone({before, versionNumber}, version);
        announce(undoneText(before, version));
    };
    const undo = h('button', {type: 'button', 'data-focus': 'undo', onclick: async () => {
        undo.disabled = true;
        fill(outcome);
        try {
            const version = await rollback(project, {before, versionNumber}, {
                signal, onDoubt: (attempt, isUnsettled) => attempt === 1 && fill(outcome, message(
                    'warning', isUnsettled ? unsettledText('This undo')
                        : 'The connection broke, so the console does not know the outcome. '
                        + 'It asks the server until it answers.'))});
            if (version) await finish(version);
            else if (!signal.aborted) {
                fill(outcome, message('info', 'Not undone. You can try again.'));
                undo.disabled = false;
            }
        } catch (error) {
            const isOutdated = error.status === 412;
            fill(outcome, message(isOutdated ? 'warning' : 'error', isOutdated
                ? 'Not undone: another version was published since: see History.' : error.message));
            undo.disabled = isOutdated;
        }
    }}, 'Undo');
    const place = arrivalView(project, versionNumber, signal, (left) => {
        undo.hidden = left === 0 || before === '0';
        if (!refused) undo.title = `Publishes version ${before} again; for ${left} more seconds.`;
    });
    return h('div', {class: 'stack tight'}, place,
        h('div', {class: 'actions'}, guarded(refused, undo)), outcome);
}
