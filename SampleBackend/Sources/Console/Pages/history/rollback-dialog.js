/**
 * Dialog that publishes an older version again.
 */

import {h} from '../controls/dom.js';
import {readDifference} from '../differences/version-comparison.js';
import {rollback} from '../review/rollback.js';
import {openReplacement} from './replacement-dialog.js';

/**
 * Opens the rollback dialog.
 *
 * @param {PageContext} context
 * @param {string} versionNumber
 * @param {string} [kept] Reason of an unfinished form.
 * @returns {Promise<Version | undefined>} The new version; undefined when nothing was published.
 */
export function openRollback(context, versionNumber, kept) {
    return openReplacement(context, {
        kind: 'rollback', versionNumber, title: `Go back to version ${versionNumber}?`,
        action: `Go back to version ${versionNumber}`,
        lead: h('p', {}, `The whole content of version ${versionNumber} is published again as a `
            + 'new version: what later versions changed is taken back, too. Users get it '
            + 'immediately.'),
        texts: {
            production: 'This goes back in',
            newer: 'Going back would undo it, too:',
            heading: 'What going back changes in',
            change: 'Going back',
            doubt: 'The server did not answer. The console asks it whether it has gone back, '
                + 'until it answers.',
            failure: 'The server did not answer, and has not gone back. Try again.',
        },
        read: async (current) => ({template: await context.workspace.templateOf(versionNumber),
            view: readDifference(context, current, versionNumber)}),
        publish: (current, description, options) => rollback(context.project,
            {before: versionNumber, versionNumber: current, description}, options),
        isFree: (protection) => protection?.rollbackWithoutApproval === true,
    }, kept);
}
