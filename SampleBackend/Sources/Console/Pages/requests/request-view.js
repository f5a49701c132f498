/**
 * Shows a change request: what it is, what it changes, its votes and its comments.
 */

import {badge, message, timeText} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {folded} from '../controls/folded.js';
import {placed} from '../controls/problem-list.js';
import {valueText} from '../controls/value-view.js';
import {differenceSummary, diffView} from '../differences/diff-view.js';
import {isEqual} from '../json/json.js';
import {conflictName} from '../merge/conflict-view.js';
import {address} from '../routing/router.js';
import {objectors} from '../server/protection.js';
import {noChanges} from '../server/server-draft.js';
import {sentence} from '../server/validation.js';
import {count, versionText} from '../text/formats.js';
import {capitalizedPlace} from './request-places.js';
import {isOpen, makersText, outdatedText, participantName, stateBadge, votesText}
    from './request-texts.js';

/**
 * Card with a heading, by which focus and screen readers find it.
 *
 * @param {string} id
 * @param {string} title
 * @param {unknown} lead
 * @param {...unknown} content
 */
export function card(id, title, lead, ...content) {
    return h('section', {class: 'card', 'aria-labelledby': id},
        h('div', {class: 'card-head'}, h('h2', {id, tabindex: '-1'}, title),
            lead && h('p', {class: 'muted'}, lead)),
        h('div', {class: 'card-body'}, content));
}

/**
 * How a request ended; null while it is open.
 *
 * @param {ChangeRequest} request
 */
function endingView({state, ending}) {
    if (state === 'expired') {
        return message('info', 'The request expired: nobody changed it for 90 days.');
    }
    if (!ending) return null;
    const {versionNumber, bypassReason, time} = ending;
    return message(state === 'published' ? 'success' : 'info', h('p', {},
        versionNumber ? [h('strong', {}, h('a', {href: address('history', {to: versionNumber})},
            `Version ${versionNumber}`)), ' has these changes, published by ']
            : ['Closed by '], participantName(ending), ', ', timeText(time), '.'),
    bypassReason && h('p', {}, `It was published without approval: ${bypassReason}`));
}

/** @param {ChangeRequest} request */
export function aboutBadge({state}) {
    return badge(...stateBadge(state));
}

/**
 * Author and text of a request, and how it ended.
 *
 * @param {ChangeRequest} request
 */
export function aboutTexts(request) {
    const {text, creationTime, updateTime, baseVersionNumber} = request;
    return [
        h('p', {}, `By ${makersText(request)}, `, timeText(creationTime),
            updateTime !== creationTime && [', last changed ', timeText(updateTime)],
            `. Based on ${versionText(baseVersionNumber)}.`),
        text && h('p', {class: 'request-text'}, text), endingView(request)];
}

/**
 * A conflict: what the request has, and what was published.
 *
 * @param {Conflict} conflict
 */
function conflictItem(conflict) {
    const {mine, theirs, changedBy} = conflict;
    /** @param {unknown} value */
    const shown = (value) => h('code', {class: 'value'},
        value === undefined ? '(removed)' : valueText(value) || '(empty)');
    return h('li', {}, h('strong', {}, conflictName(conflict) ?? conflict.path), ': published ',
        changedBy && `in version ${changedBy.versionNumber} `, shown(theirs),
        ', in this request ', shown(mine));
}

/**
 * Why a request cannot be published over what is live now, with what to do; null if it can.
 *
 * @param {ChangeRequest} request
 */
export function attentionView(request) {
    const {conflicts = [], problems = [], omittedConflicts} = request;
    if (!isOpen(request) || (!conflicts.length && !problems.length)) return null;
    return message('error',
        conflicts.length > 0 && [
            h('p', {}, 'What was published since changed the same as this request:'),
            folded(conflicts, (some) => h('ul', {}, some.map(conflictItem))),
            omittedConflicts && h('p', {},
                `${count(omittedConflicts, 'more conflict')}, not listed.`),
            h('p', {}, 'Open it in your draft, merge the draft on the review, and replace the '
                + 'content of the request with the draft.')],
        problems.length > 0 && [
            h('p', {}, `Together with what is live now, it has ${
                count(problems.length, 'problem')}:`),
            folded(problems, (some) => h('ul', {}, some.map((problem) => h('li', {},
                placed(problem), sentence(problem)))))]);
}

/**
 * What a request changes in its base, and in what is live now.
 *
 * @param {ChangeRequest} request
 * @param {Template} template One with the types of the settings.
 * @param {Record<'own' | 'live', {opened: Set<string>, search: {text: string}}>} shown What is
 *     unfolded and searched.
 */
export function changesViews(request, template, shown) {
    const {changes = noChanges, liveChanges, baseVersionNumber, liveVersionNumber} = request;
    const isSame = liveChanges !== undefined && isEqual(changes, liveChanges);
    return [
        card('changes', 'What it changes',
            `${differenceSummary(changes)} since ${versionText(baseVersionNumber)}`,
            diffView(changes, {template, ...shown.own})),
        isOpen(request) && liveChanges && card('live-changes', 'What a publish changes now',
            `${differenceSummary(liveChanges)} in ${versionText(liveVersionNumber ?? '0')}`,
            isSame ? h('p', {class: 'muted'}, 'The same as above.')
                : diffView(liveChanges, {template, ...shown.live})),
    ];
}

/**
 * One vote, with the reason if it does not count.
 *
 * @param {RequestVote} vote
 * @param {ChangeRequest} request
 */
function voteItem(vote, request) {
    const {person, verdict, comment, time} = vote;
    const reason = outdatedText(vote, request);
    const text = verdict === 'approve' ? (reason ? 'Outdated' : 'Approves') : 'Asks for changes';
    const kind = verdict === 'approve' ? (reason ? '' : 'good') : 'changed';
    return h('li', {class: 'request-entry'},
        h('p', {}, h('strong', {}, person), ' ', badge(text, kind), ' ',
            h('span', {class: 'muted'}, timeText(time))),
        comment && h('p', {class: 'request-text'}, comment),
        reason && h('p', {class: 'hint'}, reason));
}

/** @param {ChangeRequest} request */
export function votesView(request) {
    const {votes, requiredApprovals} = request;
    const people = objectors(request);
    const number = votesText(request);
    return card('votes', 'Votes',
        requiredApprovals ? `${number} ${requiredApprovals === 1 ? 'approval' : 'approvals'}`
            : count(number, 'approval'),
        votes.length ? h('ul', {class: 'plain'}, votes.map((vote) => voteItem(vote, request)))
            : h('p', {class: 'muted'}, 'Nobody has voted yet.'),
        isOpen(request) && people.length > 0 && Boolean(requiredApprovals)
            && h('p', {class: 'hint'}, `Nobody can publish it before ${people.join(', ')} ${
                people.length === 1 ? 'approves' : 'approve'} it.`));
}

/** @param {ChangeRequest} request */
export function commentsView({comments = []}) {
    return comments.length ? h('ol', {class: 'plain', 'aria-label': 'Comments'},
        comments.map((comment) => h('li', {class: 'request-entry'},
            h('p', {}, h('strong', {}, participantName(comment)), ' ',
                comment.path && [badge(capitalizedPlace(comment.path)), ' '],
                h('span', {class: 'muted'}, timeText(comment.time))),
            h('p', {class: 'request-text'}, comment.text))))
        : h('p', {class: 'muted'}, 'There is no comment yet.');
}
