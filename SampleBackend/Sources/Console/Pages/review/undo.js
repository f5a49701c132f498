/**
 * Undo of a just published version, after which the content is that of the one before it.
 */

import {guarded, message} from '../controls/controls.js';
import {announce, fill, h} from '../controls/dom.js';
import {arrivalView} from '../live/arrival.js';
import {unsettledText} from '../server/publishing.js';
import {refusal} from '../server/session.js';
import {versionBefore} from '../server/versions.js';
import {versionText} from '../text/formats.js';
import {confirmRemoval, massRemoval} from './mass-removal.js';
import {rollbackReach} from './reach-view.js';
import {editAgain, undo} from './rollback.js';

/**
 * Message about an undone version, with a button that restores it as a draft.
 *
 * @param {Pick<PageContext, 'workspace' | 'project'>} context
 * @param {{before: string, versionNumber: string}} undone The undone version, and the version
 *     before it.
 * @param {Version} version The new version, which equals the one before.
 * @param {AbortSignal} signal Ends the view.
 * @param {function(string[]): void} onDraft Called when it is a draft again, unless the signal was
 *     aborted, with the places where an earlier draft wins.
 */
export function undoneView({workspace, project}, undone, version, signal, onDraft) {
    const {before, versionNumber} = undone;
    const outcome = h('div', {'aria-live': 'polite'});
    const edit = h('button', {type: 'button', 'data-focus': 'edit-again', onclick: async () => {
        edit.disabled = true;
        fill(outcome);
        try {
            const kept = await editAgain(workspace, before, versionNumber);
            if (!signal.aborted) onDraft(kept);
            announce(`The changes of version ${versionNumber} are a draft again.`);
        } catch (error) {
            fill(outcome, message('error', error.message));
            edit.disabled = false;
        }
    }}, 'Edit it again as a draft');
    return message('success',
        h('p', {}, h('strong', {}, undoneText(undone, version))),
        h('div', {class: 'stack tight'}, arrivalView(project, version.versionNumber, signal),
            h('div', {class: 'actions'}, edit), outcome));
}

/**
 * Sentence that the changes of a version were taken back.
 *
 * @param {{before: string, versionNumber: string}} undone
 * @param {Version} version The new version.
 */
export function undoneText({before, versionNumber}, version) {
    return before === '0'
        ? `Undone: version ${version.versionNumber} is empty, as before the first one.`
        : `The changes of version ${versionNumber} were taken back, as version ${
            version.versionNumber}.`;
}

/**
 * View of the delivery of a version, with a button that undoes it, as long as no other version is
 * published.
 *
 * @param {Pick<PageContext, 'workspace' | 'project' | 'session' | 'details'>} context
 * @param {{versionNumber: string}} published The version.
 * @param {number} time Milliseconds since 1970 at which it was published.
 * @param {AbortSignal} signal Ends the view.
 * @param {(undone: {before: string, versionNumber: string}, version: Version) => void} onUndone
 *     Called with the version that was undone, as `undoneView` expects it, and the new version; not
 *     after the signal was aborted.
 */
export function undoView(
    {workspace, project, session, details}, {versionNumber}, time, signal, onUndone) {
    const outcome = h('div', {'aria-live': 'polite'});
    const reading = versionBefore(project, versionNumber, signal);
    const refused = refusal(session, 'publisher');
    /**
     * Asks before the undo removes most of the settings; false without a confirmation.
     *
     * @param {string} before
     */
    const mayUndo = async (before) => {
        const [older, current] = await Promise.all(
            [before, versionNumber].map((number) => workspace.templateOf(number)));
        const removal = older && current && massRemoval(current, older);
        return !removal || confirmRemoval(details, removal);
    };
    /**
     * @param {string} before
     * @param {Version} version
     */
    const finish = async (before, version) => {
        const {lastPublish} = workspace;
        await workspace.load().catch(() => {});
        if (lastPublish) {
            workspace.notePublish({...lastPublish, undone: version, isSeen: !signal.aborted});
        }
        if (!signal.aborted) onUndone({before, versionNumber}, version);
        announce(undoneText({before, versionNumber}, version));
    };
    const button = h('button', {type: 'button', 'data-focus': 'undo', onclick: async () => {
        button.disabled = true;
        fill(outcome);
        try {
            const before = await reading.catch(
                () => versionBefore(project, versionNumber, signal));
            const isWanted = await mayUndo(before);
            const replaced = {undone: versionNumber, versionNumber};
            const version = isWanted && await undo(project, replaced, {
                signal, onDoubt: (attempt, isUnsettled) => attempt === 1 && fill(outcome, message(
                    'warning', isUnsettled ? unsettledText('This undo')
                        : 'The connection broke, so the console does not know the outcome. '
                        + 'It asks the server until it answers.'))});
            if (version) await finish(before, version);
            else if (!signal.aborted) {
                fill(outcome, message('info', 'Not undone. You can try again.'));
                button.disabled = false;
            }
        } catch (error) {
            const isOutdated = error.status === 412;
            fill(outcome, message(isOutdated ? 'warning' : 'error', isOutdated
                ? 'Not undone, since a newer version was published. See History.' : error.message));
            button.disabled = isOutdated;
        }
    }}, 'Undo');
    const reach = h('div', {class: 'hint'});
    reading.then(async (before) => {
        if (refused) return;
        button.title = `Brings back the content of ${versionText(before)}.`;
        const template = await workspace.templateOf(before);
        const view = template && await rollbackReach(project, template, signal);
        if (view) fill(reach, h('p', {}, 'Who changes when you undo it:'), view);
    }).catch(() => {});
    const place = arrivalView(project, versionNumber, signal, (left) => {
        button.hidden = left === 0;
        reach.hidden = left === 0;
    }, time);
    return h('div', {class: 'stack tight'}, place,
        h('div', {class: 'actions'}, guarded(refused, button)),
        reach, outcome);
}
