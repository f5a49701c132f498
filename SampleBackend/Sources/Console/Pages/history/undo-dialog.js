/**
 * Dialog that takes back the changes of one version, and keeps those of later ones.
 */

import {message, publisherName, timeText} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {diffView} from '../differences/diff-view.js';
import {undo} from '../review/rollback.js';
import {openReplacement} from './replacement-dialog.js';
import {previewUndo, undoConflicts} from './version-undo.js';

/**
 * The places that later versions changed, too.
 *
 * @param {Conflict[]} conflicts
 */
function conflictsView(conflicts) {
    return h('ul', {}, undoConflicts(conflicts).map((
        {name, change, version}) => h('li', {}, h('strong', {}, name), h('p', {}, version
        ? [`${change} by `, publisherName(version), ` in version ${version.versionNumber}, `,
            timeText(version.updateTime), version.description && `: “${version.description}”`]
        : `${change} by a later version`))));
}

/**
 * Reads what an undo changes in a current version, or why it is not possible.
 *
 * @param {PageContext} context
 * @param {string} versionNumber
 * @param {string} current
 * @param {AbortSignal} signal
 * @returns {Promise<ReplacementEffect>}
 */
async function readEffect({project, workspace}, versionNumber, current, signal) {
    const preview = await previewUndo(project, versionNumber, current, signal);
    if (preview.state === 'possible') {
        return {template: preview.template, view: preview.changes.then(
            (changes) => diffView(changes, {template: workspace.published}))};
    }
    if (preview.state === 'nothing') {
        const obstacle = `Nothing is left to take back: version ${current} has none of the `
            + `changes of version ${versionNumber}.`;
        return {template: null, obstacle, view: message('info', obstacle)};
    }
    return {template: null,
        obstacle: `Later versions changed what version ${versionNumber} changed.`,
        view: message('warning',
            h('p', {}, `Version ${versionNumber} cannot be undone, since later versions changed `
                + 'the same:'),
            conflictsView(preview.conflicts),
            h('p', {}, 'Edit these in a draft, or undo the later versions first.'))};
}

/**
 * Opens the dialog that undoes a version.
 *
 * @param {PageContext} context
 * @param {string} versionNumber
 * @param {string} [kept] Reason of an unfinished form.
 * @returns {Promise<Version | undefined>} The new version; undefined when nothing was published.
 */
export function openUndo(context, versionNumber, kept) {
    return openReplacement(context, {
        kind: 'undo', versionNumber, title: `Undo version ${versionNumber}?`,
        action: `Undo version ${versionNumber}`,
        lead: h('p', {}, `Only what version ${versionNumber} changed is taken back; what later `
            + 'versions changed stays. The result is published as a new version. Users get it '
            + 'immediately.'),
        texts: {
            production: 'This undoes a version in',
            newer: 'The undo keeps its changes:',
            heading: 'What the undo changes in',
            change: 'The undo',
            doubt: 'The server did not answer. The console asks it whether the version was '
                + 'undone, until it answers.',
            failure: 'The server did not answer, and has not undone the version. Try again.',
        },
        read: (current, signal) => readEffect(context, versionNumber, current, signal),
        publish: (current, description, options) => undo(context.project,
            {undone: versionNumber, versionNumber: current, description}, options),
    }, kept);
}
