/**
 * Sending the reviewed draft as a change request, which others approve before it is published, or
 * which the server publishes at a time.
 */

import {field, guarded, message} from '../controls/controls.js';
import {dialogForm} from '../controls/dialog-form.js';
import {openDialog} from '../controls/dialog.js';
import {announce, fill, h} from '../controls/dom.js';
import {PageInput} from '../controls/page-input.js';
import {discardDraft} from '../drafts/draft-bar.js';
import {address} from '../routing/router.js';
import {productionNotice} from '../projects/project-details.js';
import {timesText} from '../schedules/chosen-times.js';
import {ScheduleFields} from '../schedules/schedule-fields.js';
import {makeRequest} from '../server/change-requests.js';
import {approvalsText} from '../server/protection.js';
import {unsettledText} from '../server/publishing.js';
import {refusal} from '../server/session.js';
import {withoutVersion} from '../template/template.js';
import {count} from '../text/formats.js';

/** @typedef {import('./review-session.js').ReviewSession} ReviewSession */

/**
 * Button that asks for title and text of a request, and sends it.
 *
 * @param {ReviewSession} page
 * @param {Review} review
 * @param {boolean} isMain True where it is what comes next.
 * @returns {{node: unknown, button: HTMLButtonElement, isOffered: boolean}} `isOffered` is false if
 *     the user cannot send one.
 */
export function requestButton(page, review, isMain) {
    const refused = refusal(page.session, 'editor')
        ?? (review.choice.count === 0 ? 'Choose at least one change.' : null);
    const button = h('button', {type: 'button', class: isMain ? 'primary' : null,
        'data-focus': 'request-review', onclick: () => requestReview(page, review)},
    'Request review …');
    return {node: guarded(refused, button), button, isOffered: !refused};
}

/**
 * Button that asks for title, text and times of a request, and sends and schedules it; its
 * `node` is null for those who may not publish.
 *
 * @param {ReviewSession} page
 * @param {Review} review
 */
export function scheduleButton(page, review) {
    const refused = review.choice.count === 0 ? 'Choose at least one change.' : null;
    const button = h('button', {type: 'button', 'data-focus': 'schedule-review',
        onclick: () => requestReview(page, review, true)}, 'Schedule …');
    return {button,
        node: refusal(page.session, 'publisher') ? null : guarded(refused, button)};
}

/**
 * Message that a publish lacks approvals, with what to do.
 *
 * @param {ReviewSession} page
 * @param {Review} review
 * @param {number} missing
 */
export function unapprovedView(page, review, missing) {
    return message('warning',
        h('p', {}, h('strong', {}, 'Nothing was published: '), 'this project is protected. A '
            + `publish needs ${missing ? count(missing, 'approval') : 'approvals'}. Request a `
            + 'review: others approve the draft, and it is published then.'),
        h('div', {class: 'actions'}, requestButton(page, review, true).node));
}

/**
 * Message that a request was made of the draft, which stays.
 *
 * @param {ReviewSession} page
 * @param {Pick<ChangeRequest, 'id' | 'title'>} request
 * @param {?ScheduleTimes} times
 */
function requestedView(page, {id, title}, times) {
    return message('success',
        h('p', {}, h('strong', {}, `The change request “${title}” is made${
            times ? ` and scheduled for ${timesText(times)}` : ''}.`),
            ' It has a copy of what you chose: later edits of your draft do not change it.'),
        h('div', {class: 'actions'},
            h('a', {class: 'button primary', href: address('change-request', {id})},
                'Open the request'),
            h('button', {type: 'button', 'data-focus': 'discard-requested', onclick: () => (
                discardDraft({workspace: page.workspace, redraw: () => page.show()}))},
            'Discard the draft …')));
}

/**
 * What a request does, for its form.
 *
 * @param {ReviewSession} page
 * @param {Review} review
 * @param {?ScheduleFields} schedule
 */
function leadViews({protection, details}, {choice}, schedule) {
    const what = choice.isWhole ? 'All changes of your draft' : choice.shortText;
    if (!schedule) {
        return h('p', {}, `${what} become a change request. Nothing is published before somebody `
            + 'publishes it.');
    }
    const approvals = approvalsText(protection);
    return [
        productionNotice(details, 'This publishes to', 'its users get it at that time'),
        h('p', {}, `${what} become a change request. At its time, the server merges them into what `
            + 'is live then, and publishes them in your name. If they conflict, or approvals are '
            + 'missing, it publishes nothing.'),
        approvals && message('warning', `${approvals} People approve on the page of the request.`),
    ];
}

/**
 * Opens the form of a request, and sends it. The tab keeps what was entered until it is sent.
 *
 * @param {ReviewSession} page
 * @param {Review} review
 * @param {boolean} [isScheduled]
 */
async function requestReview(page, review, isScheduled = false) {
    const {workspace} = page;
    const {chosen} = review;
    const kept = new PageInput('request', workspace);
    /**
     * @type {?{title: string, text: string,
     *     times?: import('../schedules/chosen-times.js').EnteredTimes}}
     */
    const entered = kept.content;
    const keep = () => kept.keep({title: title.value, text: text.value,
        ...(schedule ? {times: schedule.entered} : entered?.times && {times: entered.times})});
    /** @type {?ScheduleFields} */
    const schedule = isScheduled ? new ScheduleFields(entered?.times ?? null, () => keep()) : null;
    const title = h('input', {type: 'text', autocomplete: 'off', required: true,
        'data-autofocus': true, oninput: keep, value: entered?.title ?? page.entered
            ?? workspace.draft?.template.version?.description ?? ''});
    const text = h('textarea', {rows: 5, oninput: keep, value: entered?.text ?? ''});
    const doubtful = h('div', {'aria-live': 'polite'});
    const left = new AbortController();
    let isInDoubt = false;
    /** @type {?ScheduleTimes} */
    let times = null;
    const action = schedule ? 'Schedule' : 'Request review';
    /** @type {Pick<ChangeRequest, 'id' | 'title'> | undefined} */
    const made = await openDialog(schedule ? 'Schedule a publish' : action, (close) => dialogForm({
        fields: [
            leadViews(page, review, schedule),
            field('Title', title, {hint: 'Say what changes. It becomes the description of the '
                + 'version. At most 200 characters.'}),
            field('Text', text, {hint: 'Optional: say why, and what reviewers should look at.'}),
            schedule?.node, doubtful],
        action,
        submit: async () => {
            if (!title.value.trim()) throw new Error('Nothing was sent: give a title.');
            times = schedule?.times() ?? null;
            if (page.isStale(review)) {
                throw new Error('Nothing was sent: the draft was changed since. Close this form, '
                    + 'review the draft, and request again; what you entered stays.');
            }
            try {
                return await makeRequest(workspace.project, {title: title.value.trim(),
                    text: text.value, template: withoutVersion(chosen.template),
                    base: chosen.etag, times}, workspace.user, {signal: left.signal,
                    onDoubt: (attempt) => {
                        isInDoubt = true;
                        if (attempt === 1) {
                            fill(doubtful, message('warning', unsettledText('The request')));
                        }
                    }});
            } finally {
                isInDoubt = false;
                fill(doubtful);
            }
        },
        mayLeave: () => isInDoubt,
    }, close), {isForm: false});
    left.abort();
    if (!made?.id) return;
    kept.forget();
    announce(times ? 'The publish is scheduled.' : 'The change request is made.');
    if (!page.left.aborted) page.say(requestedView(page, made, times));
}
