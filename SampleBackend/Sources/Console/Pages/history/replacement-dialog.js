/**
 * Dialog that publishes a version made of older ones over the current one, with what that changes.
 */

import {field, message, publisherName, timeText} from '../controls/controls.js';
import {dialogForm} from '../controls/dialog-form.js';
import {openDialog} from '../controls/dialog.js';
import {fill, h} from '../controls/dom.js';
import {showResult} from '../controls/focus.js';
import {beginning, readDifference} from '../differences/version-comparison.js';
import {productionNotice} from '../projects/project-details.js';
import {massRemoval, removalText} from '../review/mass-removal.js';
import {rollbackReach} from '../review/reach-view.js';
import {address} from '../routing/router.js';
import {call, projectPath} from '../server/api.js';
import {approvalsText, readProtection} from '../server/protection.js';
import {unsettledText} from '../server/publishing.js';
import {etagOf} from '../server/versions.js';
import {withoutVersion} from '../template/template.js';

/** Attempts to read what is current while others publish. */
const maximumAttempts = 5;

/**
 * What a dialog publishes, and its texts.
 *
 * @typedef {object} Replacement
 * @property {string} kind Kind of the kept form.
 * @property {string} versionNumber The older version.
 * @property {string} title
 * @property {string} action Text of the button.
 * @property {unknown} lead What happens.
 * @property {{production: string, newer: string, heading: string, change: string,
 *     doubt: string, failure: string}} texts `production` begins the notice about users, `newer`
 *     says what becomes of versions that others publish, `heading` is that of the changes,
 *     `change` names the action in a sentence, `doubt` and `failure` are for a lost response.
 * @property {(current: string, signal: AbortSignal) => Promise<ReplacementEffect>} read Reads the
 *     effect on a current version; rejects with status 412 if another one is current.
 * @property {(current: string, description: string | undefined, options: DoubtOptions) =>
 *     Promise<?Version>} publish As `rollback`.
 * @property {(protection: ?Protection) => boolean} [isFree] True if it needs no approval.
 */

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
 * @param {string} text What becomes of these versions.
 * @param {string} shown
 * @param {string} current
 */
async function newsView(context, text, shown, current) {
    const {body} = await call('GET', projectPath(
        context.project, 'remoteConfig:listVersions', {pageSize: 20}));
    const newer = /** @type {Version[]} */ (body.versions).filter(
        ({versionNumber}) => Number(versionNumber) > Number(shown)).reverse();
    return h('div', {class: 'stack'}, message('warning',
        h('p', {}, `Another version was published since this dialog opened. ${text}`),
        h('ul', {}, newer.map(publishView))),
    h('h3', {}, `What changed since version ${shown}`),
    await readDifference(context, shown, current));
}

/**
 * Offers to put a result into the draft, in a project where a publish needs approvals.
 *
 * @param {PageContext} context
 * @param {Replacement} replacement
 * @param {{template: Template, current: string, result: Template}} over
 * @param {() => void} leave Closes the dialog, and goes to the review.
 */
function draftOffer({workspace, project}, {kind, versionNumber}, over, leave) {
    const {template, current, result} = over;
    if (workspace.draft) {
        return h('p', {}, 'Publish or discard your draft, then open this again: the result becomes '
            + 'a draft, for which a review can be requested.');
    }
    const take = () => {
        workspace.rebase(withoutVersion(result), {versionNumber: current,
            etag: etagOf(project, current), baseTemplate: withoutVersion(template)},
        `${kind} of version ${versionNumber}`);
        workspace.describe(kind === 'undo' ? `Undo of version ${versionNumber}`
            : `Back to version ${versionNumber}`);
        leave();
    };
    return h('p', {}, h('button', {type: 'button', onclick: take},
        'Put the result into the draft'));
}

/**
 * Opens the dialog. It shows what the replacement changes in the current version, and sends that
 * version's entity tag: if another version was published meanwhile, the server refuses (412), and
 * the dialog shows the new changes before the user can confirm again.
 *
 * @param {PageContext} context
 * @param {Replacement} replacement
 * @param {string} [kept] Reason of an unfinished form.
 * @returns {Promise<Version | undefined>} The new version; undefined when nothing was published.
 */
export async function openReplacement(context, replacement, kept = '') {
    const {workspace, project} = context;
    const {kind, versionNumber, title, action, lead, texts, read, publish, isFree} = replacement;
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
    /**
     * Why nothing can be published over that version.
     *
     * @type {string | undefined}
     */
    let obstacle;
    /** Reads the current version, and the effect on it; again if another one is published. */
    const readCurrent = async () => {
        for (let attempt = 1; ; attempt += 1) {
            const {template, version} = await workspace.fetchTemplate();
            const current = version?.versionNumber ?? beginning;
            try {
                return {template, current, effect: await read(current, left.signal)};
            } catch (error) {
                if (error.status !== 412 || attempt === maximumAttempts) throw error;
            }
        }
    };
    let leave = () => {};
    let isDrafted = false;
    const showCurrent = async () => {
        const [{template, current, effect}, protection] = await Promise.all([readCurrent(),
            // The server refuses in any case.
            readProtection(project, left.signal).catch(() => null)]);
        const {template: replaced} = effect;
        const approvals = replaced && !isFree?.(protection) && approvalsText(protection);
        const [view, reach] = await Promise.all([effect.view,
            // Without an answer, the differences still say what changes.
            replaced && rollbackReach(project, replaced, left.signal).catch(() => null)]);
        const removal = replaced && massRemoval(template, replaced);
        const newer = shown && await newsView(context, texts.newer, shown, current);
        fill(news, newer);
        obstacle = effect.obstacle ?? (approvals || undefined);
        form.hidden = obstacle !== undefined;
        if (draftNote) draftNote.hidden = form.hidden;
        fill(place, approvals && message('info', h('p', {}, approvals),
            draftOffer(context, replacement, {template, current, result: replaced}, () => leave())),
        removal && message('warning', removalText(removal)),
            reach && h('h3', {}, 'Who changes'), reach,
        !effect.obstacle && h('h3', {}, `${texts.heading} version ${current}`), view);
        shown = current;
    };
    const reason = h('input', {type: 'text', autocomplete: 'off',
        'data-autofocus': true, value: kept});
    const form = h('div', {class: 'stack'}, productionNotice(context.details, texts.production),
        field('Reason', reason, {hint: 'It is the description of the new version, which the '
            + 'history and the audit trail show. It can be empty.'}));
    const draftNote = workspace.draft && message('info', 'Your draft stays. It is merged with the '
        + 'new version when you publish it.');
    const ready = showCurrent().then(() => {
        if (obstacle) throw new Error(obstacle);
    });
    ready.catch((error) => {
        if (!obstacle) fill(place, message('error', error.message));
        // The field that had the focus is gone.
        else if (!left.signal.aborted) showResult(place);
    });
    /** @param {number} attempt @param {boolean} [isUnsettled] */
    const onDoubt = (attempt, isUnsettled) => {
        isInDoubt = true;
        if (attempt > 1) return;
        fill(news, message('warning', isUnsettled ? unsettledText(texts.change) : texts.doubt));
    };
    const submit = async () => {
        if (obstacle) throw new Error(obstacle);
        try {
            const version = await publish(shown ?? beginning, reason.value.trim() || undefined,
                {signal: left.signal, onDoubt});
            fill(news);
            if (version === null) throw new Error(texts.failure);
            return version;
        } catch (error) {
            if (error.status !== 412) throw error;
            await showCurrent();
            throw new Error('Nothing was done: another version was published meanwhile. '
                + (obstacle ?? 'Review what changed, and decide again.'));
        } finally {
            isInDoubt = false;
        }
    };
    const version = await openDialog(title, (close) => {
        leave = () => {
            isDrafted = true;
            close();
        };
        return dialogForm({
            fields: [lead, form, news, place, draftNote],
            action, isDangerous: true, ready, submit, mayLeave: () => isInDoubt,
        }, close);
    }, {isWide: true, isDirty: () => kept !== '', form: {user: workspace.user, project,
        kind, arguments: [versionNumber], content: () => reason.value}});
    left.abort();
    if (isDrafted) location.hash = address('review');
    await (version ? workspace.load() : workspace.checkNewest()).catch(() => {});
    return version;
}
