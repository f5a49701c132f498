/**
 * Dialog that publishes an older version again, with what that changes.
 */

import {field, message, publisherName, timeText} from '../controls/controls.js';
import {dialogForm} from '../controls/dialog-form.js';
import {openDialog} from '../controls/dialog.js';
import {fill, h} from '../controls/dom.js';
import {beginning, readDifference} from '../differences/version-comparison.js';
import {productionNotice} from '../projects/project-details.js';
import {massRemoval, removalText} from '../review/mass-removal.js';
import {rollbackReach} from '../review/reach-view.js';
import {rollback} from '../review/rollback.js';
import {call, projectPath} from '../server/api.js';
import {unsettledText} from '../server/publishing.js';

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
 * @param {string} [kept] Reason of an unfinished form.
 * @returns {Promise<Version | undefined>} The new version; undefined when nothing was published.
 */
export async function openRollback(context, versionNumber, kept = '') {
    const {workspace, project} = context;
    const news = h('div', {'aria-live': 'polite'});
    const place = h('div', {class: 'stack'}, h('p', {class: 'muted'}, 'Comparing …'));
    const left = new AbortController();
    let isInDoubt = false;
    /**
     * Number of the version that is compared.
     *
     * @type {string | undefined}
     */
    let shown;
    const showCurrent = async () => {
        const {template, version} = await workspace.fetchTemplate();
        const current = version?.versionNumber ?? beginning;
        const older = await workspace.templateOf(versionNumber);
        const [view, reach] = await Promise.all([
            readDifference(context, current, versionNumber),
            // Without an answer, the differences still say what changes.
            older && rollbackReach(project, older, left.signal).catch(() => null)]);
        const removal = older && massRemoval(template, older);
        const newer = shown && await newsView(context, shown, current);
        fill(news, newer);
        fill(place, removal && message('warning', removalText(removal)),
            reach && h('h3', {}, 'Who changes'), reach,
            h('h3', {}, `What going back changes in version ${current}`), view);
        shown = current;
    };
    const reason = h('input', {type: 'text', autocomplete: 'off',
        'data-autofocus': true, value: kept});
    const ready = showCurrent();
    ready.catch((error) => fill(place, message('error', error.message)));
    const submit = async () => {
        try {
            const version = await rollback(project, {before: versionNumber,
                versionNumber: shown ?? beginning, description: reason.value.trim() || undefined},
            {signal: left.signal, onDoubt: (attempt, isUnsettled) => {
                isInDoubt = true;
                if (attempt === 1) {
                    fill(news, message('warning', isUnsettled ? unsettledText('Going back')
                        : 'The server did not answer. The console asks it whether it has gone '
                            + 'back, until it answers.'));
                }
            }});
            fill(news);
            if (version === null) {
                throw new Error('The server did not answer, and has not gone back. Try again.');
            }
            return version;
        } catch (error) {
            if (error.status !== 412) throw error;
            await showCurrent();
            throw new Error('Nothing was done: another version was published meanwhile. Review '
                + 'what changed, and decide again.');
        } finally {
            isInDoubt = false;
        }
    };
    const version = await openDialog(`Go back to version ${versionNumber}?`, (close) => dialogForm({
        fields: [
            h('p', {}, `Version ${versionNumber} is published again as a new version. Users get it `
                + 'immediately.'),
            productionNotice(context.details, 'This goes back in'),
            field('Reason', reason, {hint: 'It is the description of the new version, which the '
                + 'history and the audit trail show. It can be empty.'}),
            news, place,
            workspace.draft && message('info', 'Your draft stays. It is merged with the new '
                + 'version when you publish it.')],
        action: `Go back to version ${versionNumber}`, isDangerous: true, ready, submit,
        mayLeave: () => isInDoubt,
    }, close), {isWide: true, isDirty: () => kept !== '', form: {user: workspace.user, project,
        kind: 'rollback', arguments: [versionNumber], content: () => reason.value}});
    left.abort();
    await (version ? workspace.load() : workspace.checkNewest()).catch(() => {});
    return version;
}
