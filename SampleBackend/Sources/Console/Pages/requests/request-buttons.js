/**
 * What is done with a change request besides voting: its content, publishing and closing it.
 */

import {productionNotice} from '../projects/project-details.js';
import {confirmRequest} from '../controls/dialog-form.js';
import {ask} from '../controls/dialog.js';
import {announce, h} from '../controls/dom.js';
import {showResult} from '../controls/focus.js';
import {askReason, reasonInput} from '../review/bypass-dialog.js';
import {confirmRemoval} from '../review/mass-removal.js';
import {address} from '../routing/router.js';
import {waitingPart} from '../schedules/schedule-state.js';
import {waitingNotice} from '../schedules/waiting-schedules.js';
import {approvalProblem, mayBypass} from '../server/protection.js';
import {settingCount, withoutArchived} from '../template/removals.js';
import {confirmPublish} from './publish-question.js';
import {actButton} from './request-forms.js';
import {isOwnRequest} from './request-rights.js';
import {isOpen} from './request-texts.js';
import {card} from './request-view.js';
import {rolloutButton} from './rollout-view.js';
import {scheduleButton} from './schedule-view.js';
import {takeRequest} from './requested-draft.js';

/** @typedef {import('./request-visit.js').RequestVisit} RequestVisit */
/** @typedef {import('./request-rights.js').RequestRights} RequestRights */

/**
 * Opens the content of a request in the draft.
 *
 * @param {RequestVisit} visit
 * @param {ChangeRequest} request
 */
async function take(visit, request) {
    const {workspace} = visit.context;
    const submit = () => takeRequest(workspace, request, visit.left);
    try {
        if (!workspace.draft) await submit();
        else if (!await confirmRequest({title: 'Replace your draft?',
            text: 'Your draft becomes the content of this request. Undo in the bar brings back '
                + 'what it is now.', action: 'Replace the draft', submit})) return;
        visit.say('success', 'It is in your draft. Edit it, then come back here and press “Replace '
            + 'with my draft”.', [], h('p', {class: 'actions'},
            h('a', {href: address('settings')}, 'Go to the settings'),
            h('a', {href: address('review')}, 'Review the draft')));
    } catch (error) {
        if (visit.left.aborted) return;
        visit.say('error', error.message);
    }
    showResult(visit.notice);
}

/**
 * Replaces the content of a request by the draft after a question.
 *
 * @param {RequestVisit} visit
 * @param {ChangeRequest} request
 */
async function replace(visit, request) {
    const isOwn = isOwnRequest(request, visit.context.session);
    const isSure = await ask({title: `Replace the content of “${request.title}”?`,
        text: 'The request gets what your draft changes. Approvals do not count any more.'
            + `${isOwn ? '' : ' You then count as one of those who made it.'}`,
        action: 'Replace the content'});
    if (isSure) {
        await visit.act((acts) => acts.replace(), 'The request has the content of your draft.');
    }
}

/**
 * Buttons for title and content, or the form for the title.
 *
 * @param {RequestVisit} visit
 * @param {ChangeRequest} request
 * @param {RequestRights} rights
 * @param {import('./request-forms.js').TitleForm} titles
 */
export function contentActs(visit, request, rights, titles) {
    const isChangeable = isOpen(request);
    // Also after the request has ended: what was entered can still be copied.
    if (titles.isOpen) return titles.node;
    return h('div', {class: 'actions'},
        isChangeable && actButton('edit-title', 'Edit title and text', rights.edit, () => {
            titles.open(request);
            visit.drawActs();
            titles.title.focus();
        }),
        actButton('take-request', 'Open in my draft', rights.take, () => take(visit, request)),
        isChangeable && actButton('replace-content', 'Replace with my draft …', rights.replace,
            () => replace(visit, request)));
}

/**
 * Publishes a request, after a question if that reaches production, removes most settings, or comes
 * before its time.
 *
 * @param {RequestVisit} visit
 * @param {ChangeRequest} request
 * @param {{bypass?: string, approves?: boolean}} [grounds]
 */
async function publish(visit, request, grounds) {
    const {details, workspace} = visit.context;
    const {liveChanges, liveVersionNumber, schedule} = request;
    const removed = (liveChanges?.parameters ?? [])
        .filter(({change, parts}) => change === 'REMOVED'
            || parts.some(({name, new: now}) => name === 'archived' && now === true)).length;
    const total = workspace.versionNumber === liveVersionNumber
        ? settingCount(withoutArchived(workspace.published)) : removed;
    const removesMost = removed * 2 > total;
    if (removesMost && !await confirmRemoval(details, {removed, total})) return;
    if (!await confirmPublish(details, request, {
        action: grounds?.approves ? 'Approve and publish' : 'Publish',
        isProductionAsked: removesMost || grounds?.bypass !== undefined})) return;
    const cancelsSchedule = waitingPart(schedule) === 'start';
    const answer = await visit.act((acts) => acts.publish({...grounds, cancelsSchedule}),
        'The request is published.', () => reasonInput(workspace).forget());
    if (answer?.outcome !== 'done') return;
    await workspace.load().catch(() => {});
    if (visit.left.aborted) return;
    await visit.read();
    const {versionNumber} = answer.version ?? {};
    const text = versionNumber ? `Published as version ${versionNumber}.`
        : 'The request is published.';
    visit.say('success', text, [], h('p', {class: 'actions'},
        h('a', {href: address('live')}, 'Watch it arrive'),
        h('a', {href: address('history')}, 'See the history')));
    announce(text);
}

/**
 * Closes a request after a question.
 *
 * @param {RequestVisit} visit
 * @param {import('./request-forms.js').CommentForm} comments
 */
async function close(visit, comments) {
    const {comment} = comments;
    const isSure = await ask({title: 'Close this request?', action: 'Close the request',
        text: `It cannot be opened again. ${comment ? `Your comment is recorded with it: ${comment}`
            : 'What it changes can still be opened in a draft.'}`,
        isDangerous: true, cancel: 'Keep it open'});
    if (!isSure) return;
    await visit.act((acts) => acts.close(comment), 'The request is closed.',
        () => comments.clear());
}

/**
 * Card with the buttons that end a request.
 *
 * @param {RequestVisit} visit
 * @param {ChangeRequest} request
 * @param {RequestRights} rights
 * @param {import('./request-forms.js').CommentForm} comments
 */
export function publishCard(visit, request, rights, comments) {
    const {details, session, workspace} = visit.context;
    const bypass = async () => {
        const reason = await askReason(
            workspace, visit.context.details, `“${request.title}” `);
        if (reason !== undefined) await publish(visit, request, {bypass: reason});
    };
    const mayPublish = [rights.publish, rights.approveAndPublish, rights.bypass].includes(null);
    const reasons = [...new Set([rights.publish, approvalProblem(request), rights.close])]
        .filter((reason) => reason !== null);
    return card('publish-request', 'Publish', null,
        mayPublish && productionNotice(details, 'This publishes to'),
        waitingNotice(visit.waiting.filter(({id}) => id !== request.id)),
        h('div', {class: 'actions'},
            actButton('publish', 'Publish', rights.publish, () => publish(visit, request),
                rights.publish ? '' : 'primary'),
            !rights.approveAndPublish && actButton('approve-and-publish', 'Approve and publish',
                null, () => publish(visit, request, {approves: true}), 'primary'),
            mayBypass(session) && !rights.bypass
                && actButton('bypass', 'Publish without approval …', null, bypass),
            !waitingPart(request.schedule) && [scheduleButton(visit, request, rights),
                rolloutButton(visit, request, rights)],
            actButton('close-request', 'Close the request …', rights.close,
                () => close(visit, comments))),
        reasons.map((reason) => h('p', {class: 'hint'}, reason)));
}
