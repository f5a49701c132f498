/**
 * Form that publishes the reviewed draft, and the handling of each outcome.
 */

import {field, guarded, message} from '../controls/controls.js';
import {announce, fill, h} from '../controls/dom.js';
import {mergeState} from '../merge/merge-state.js';
import {isProduction, productionNotice, shownName} from '../projects/project-details.js';
import {go} from '../routing/router.js';
import {approvalsText, mayBypass} from '../server/protection.js';
import {publish, unsettledText} from '../server/publishing.js';
import {refusal} from '../server/session.js';
import {withoutVersion} from '../template/template.js';
import {draftExport} from '../transfer/draft-export.js';
import {askReason, reasonInput} from './bypass-dialog.js';
import {problemsView} from './draft-check.js';
import {confirmRemoval, massRemoval} from './mass-removal.js';
import {requestButton, scheduleButton, unapprovedView} from './request-review.js';
import {overtakenView, publishedView, sameView, supersededView} from './review-messages.js';

/** @typedef {import('./review-session.js').ReviewSession} ReviewSession */

/**
 * Form with the description, and the button that publishes the draft shown by `review`.
 *
 * @param {ReviewSession} page
 * @param {Review} review
 */
export function publishForm(page, review) {
    const {workspace, details} = page;
    const {chosen, choice} = review;
    const unable = refusal(page.session, 'publisher')
        ?? (choice.count === 0 ? 'Choose at least one change.' : null);
    const approvals = approvalsText(page.protection);
    const needed = approvals && `${approvals} Request a review.`;
    const refused = unable ?? needed;
    // Stored in the draft, so that it survives a reload and a merge with another version.
    const store = () => {
        if (page.entered === null) return;
        workspace.describe(page.entered.trim());
        page.entered = null;
    };
    // A key can leave the page while the field has the focus.
    page.shown.addEventListener('abort', () => page.left.aborted && store());
    window.addEventListener('pagehide', store, {signal: page.shown});
    const description = h('input', {type: 'text', autocomplete: 'off',
        disabled: page.session.isReadOnly,
        'data-focus': 'description',
        value: page.entered ?? workspace.draft?.template.version?.description ?? '',
        oninput: () => {
            page.entered = description.value;
        },
        // Enter alone must not publish to every user.
        onkeydown: (event) => {
            if (event.key !== 'Enter' || event.isComposing) return;
            event.preventDefault();
            if (event.ctrlKey || event.metaKey) button.form?.requestSubmit(button);
            else if (refused) request.button.focus();
            else button.focus();
        },
        onchange: store});
    // Where the user cannot publish, a review is what comes next.
    const request = requestButton(page, review, Boolean(refused) && choice.count > 0);
    const schedule = scheduleButton(page, review);
    const button = h('button', {type: 'submit', class: refused ? null : 'primary',
        'data-focus': 'publish'},
        ['Publish', !choice.isWhole && choice.shortText,
            isProduction(details) && `to ${shownName(details)}`]
            .filter(Boolean).join(' '));
    const outcome = h('div', {class: 'stack', 'aria-live': 'polite'});
    const waiting = h('p', {class: 'muted', role: 'status'});
    /** Prevents publishing until the page shows the changed draft. */
    const wait = () => {
        if (page.isPublishing || (unable && !request.isOffered)) return;
        const isWaiting = page.isStale(review);
        if (!refused) button.disabled = isWaiting;
        request.button.disabled = bypass.disabled = isWaiting;
        if (choice.count > 0) schedule.button.disabled = isWaiting;
        const text = isWaiting ? 'You can publish when the changed draft is saved and shown here.'
            : '';
        if (waiting.textContent !== text) waiting.textContent = text;
    };
    workspace.addEventListener('change', wait, {signal: page.shown});
    /** @param {string} [reason] The reason for a publish without approvals. */
    const submit = async (reason) => {
        const removal = massRemoval(workspace.baseTemplate, chosen.template);
        if (removal && !await confirmRemoval(page.details, removal)) return;
        const controls = [button, bypass, request.button, schedule.button];
        const disabled = controls.map((control) => control.disabled);
        for (const control of controls) control.disabled = true;
        description.disabled = true;
        fill(outcome, h('p', {class: 'muted'}, 'Publishing …'));
        /** @type {PublishOutcome} */
        let answer;
        /** @type {Template | undefined} */
        let sent;
        page.isPublishing = true;
        page.sayNext(null);
        // Leaving the page must not hide the outcome, so only the end of the session stops it.
        const doubt = new AbortController();
        try {
            await review.checking;
            if (page.isStale(review)) {
                page.sayNext(message('warning', 'Nothing was published: the draft was changed '
                    + 'while you reviewed it. Review it again.'));
                throw new Error(
                    'Nothing was published: the draft differs from what is shown here.');
            }
            // The description may have been entered since.
            const version = workspace.draft?.template.version;
            sent = choice.isWhole ? workspace.draft?.template
                : {...chosen.template, ...version && {version}};
            // Without a validation result, assumes that the server stores it unchanged.
            const stored = review.normalized ?? withoutVersion(chosen.template);
            answer = await publish(workspace, stored, {sent,
                description: description.value.trim(), bypass: reason, signal: doubt.signal,
                onDoubt: (attempt, isUnsettled) => {
                    if (workspace.state.phase === 'stopped') doubt.abort();
                    if (attempt === 1) fill(outcome, doubtView(isUnsettled));
                }});
        } catch (error) {
            answer = {outcome: 'refused', message: error.message};
        }
        await finish(page, review, outcome, {...answer, sent});
        page.isPublishing = false;
        page.follow();
        controls.forEach((control, index) => {
            control.disabled = disabled[index];
        });
        description.disabled = Boolean(page.session.isReadOnly);
        // A disabled button loses the focus.
        const pressed = reason === undefined ? button : bypass;
        if (pressed.isConnected && document.activeElement === document.body) pressed.focus();
    };
    const bypass = h('button', {type: 'button', 'data-focus': 'bypass', onclick: async () => {
        const reason = await askReason(page.workspace, page.details);
        if (reason !== undefined) await submit(reason);
    }}, 'Publish without approval …');
    const isProtected = needed !== null && !unable;
    return h('form', {class: 'form', onsubmit: (event) => {
        event.preventDefault();
        if (!button.disabled) submit();
    }},
        (!refused || (isProtected && mayBypass(page.session)))
            && productionNotice(details, 'This publishes to'),
        field('Description of this version', description,
            {hint: 'Say what changes and why. Shown in History.'}),
        h('div', {class: 'actions'}, refused ? request.node : null, guarded(refused, button),
            refused ? null : request.node, schedule.node,
            isProtected && mayBypass(page.session) && bypass),
        waiting, [unable, needed].map((reason) => reason && h('p', {class: 'hint'}, reason)),
        choice.leftConditions.length > 0 && h('p', {class: 'hint'}, 'Left out, although chosen '
            + `settings have values for ${choice.leftConditions.length === 1 ? 'it' : 'them'}: `
            + `${choice.leftConditions.join(', ')}. The published expression counts.`),
        refusal(page.session, 'publisher') && !refusal(page.session, 'editor')
            && h('div', {class: 'stack tight'}, h('p', {},
                'Request a review. Or export the draft, and give the file to a publisher, who '
                    + 'imports it.'),
            draftExport(page)), outcome);
}

/**
 * Message while the outcome of the publish is unknown.
 *
 * @param {boolean} [isUnsettled]
 */
function doubtView(isUnsettled) {
    return message('warning', isUnsettled ? `${unsettledText('This publish')} Your draft is kept.`
        : 'The connection broke during the publish, so the console does not know the outcome. It '
            + 'asks the server until it answers. Your draft is kept.');
}

/** @type {Record<string, string>} */
const problems = {
    outdated: 'another version was published meanwhile.',
    notPublished: 'the connection broke, and no version has your draft.',
    invalid: 'the draft has problems.',
    unapproved: 'approvals are missing.',
};

/**
 * Handles the outcome of a publish; `outcome` is the element for its message.
 *
 * @param {ReviewSession} page
 * @param {Review} review
 * @param {HTMLElement} outcome
 * @param {PublishOutcome & {sent?: Template}} answer
 */
async function finish(page, review, outcome, answer) {
    const {workspace} = page;
    if (page.left.aborted && !answer.version && answer.outcome !== 'left') {
        workspace.notePublish({time: Date.now(), isSeen: false,
            problem: problems[answer.outcome] ?? answer.message ?? ''});
    }
    switch (answer.outcome) {
    case 'published':
    case 'publishedByOthers': {
        const {sent, version} = answer;
        if (!sent || !version) break;
        const isOwn = answer.outcome === 'published';
        // If rebasing the remaining edits fails now, a later merge combines them.
        await workspace.endPublished(sent, version.versionNumber).catch(() => {});
        await workspace.load().catch(() => {});
        page.entered = null;
        reasonInput(workspace).forget();
        const time = Date.now();
        workspace.notePublish({version, isOwn, time, isSeen: !page.left.aborted});
        if (!page.left.aborted) {
            page.say(isOwn ? publishedView(page, version, time) : sameView(version));
        }
        announce(isOwn ? `Published as version ${version.versionNumber}.`
            : `Someone else published the same as version ${version.versionNumber}.`);
        break;
    }
    case 'superseded': {
        // The other version may have undone it, so the draft stays.
        await workspace.checkNewest().catch(() => {});
        const {version, newest} = answer;
        const last = {version, newest, isOwn: true, time: Date.now(),
            isSeen: !page.left.aborted};
        workspace.notePublish(last);
        if (!last.isSeen) break;
        page.say(supersededView(last));
        break;
    }
    case 'outdated':
        await workspace.checkNewest().catch(() => {});
        if (page.left.aborted) break;
        if (mergeState(workspace) === 'open') {
            go('merge');
            break;
        }
        page.say(overtakenView(workspace));
        break;
    case 'notPublished':
        fill(outcome, message('info', h('strong', {}, 'Not published; your draft is kept.'),
            ' The server answers again, and no version has this draft. You can publish it now.'));
        break;
    case 'invalid':
        fill(outcome, problemsView(
            answer.problems ?? [], answer.sent ?? workspace.template));
        break;
    case 'unapproved':
        fill(outcome, unapprovedView(page, review, answer.missing ?? 0));
        break;
    case 'refused':
        fill(outcome, message('error', answer.message));
        break;
    default:
        break;
    }
}
