/**
 * How change requests are described: their states and votes, and what is new in one.
 */

import {administratorName} from '../controls/controls.js';
import {conflictName} from '../merge/conflict-view.js';
import {capitalized, count, numberText, versionText} from '../text/formats.js';
import {scheduleBadge, scheduleNews} from './schedule-texts.js';

/**
 * States with their texts, those of open requests first.
 *
 * @type {Choice[]}
 */
export const states = [
    ['open', 'Open'], ['changesRequested', 'Changes requested'], ['approved', 'Approved'],
    ['needsAttention', 'Needs attention'], ['published', 'Published'], ['closed', 'Closed'],
    ['expired', 'Expired'],
];

/** @type {Record<string, string>} */
const kinds = {changesRequested: 'changed', approved: 'good', needsAttention: 'bad'};

/**
 * Text and kind of the badge of a state; one that this console does not know is shown in words.
 *
 * @param {string} state
 * @returns {[text: string, kind: string]}
 */
export function stateBadge(state) {
    const words = capitalized(state.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase());
    return [states.find(([name]) => name === state)?.[1] ?? words, kinds[state] ?? ''];
}

/**
 * True while a request can be changed and published.
 *
 * @param {Pick<ChangeRequest, 'state'>} request
 */
export function isOpen({state}) {
    return !['published', 'closed', 'expired'].includes(state);
}

/**
 * The person who acted, or the token of a program.
 *
 * @param {Participant} participant
 */
export function participantName({person, actor}) {
    return person ?? administratorName(actor ?? '');
}

/**
 * Those who made a request: its author and the editors, such as "Ada, edited by Bob".
 *
 * @param {Pick<ChangeRequest, 'author' | 'editors'>} request
 */
export function makersText({author, editors = []}) {
    const others = editors.map(participantName);
    return `${participantName(author)}${others.length ? `, edited by ${others.join(', ')}` : ''}`;
}

/**
 * Approvals of those that are needed, such as "1 of 2"; their number where none is needed.
 *
 * @param {Pick<ChangeRequest, 'votes' | 'requiredApprovals' | 'missingApprovals'>} request
 */
export function votesText({votes, requiredApprovals = 0, missingApprovals = 0}) {
    if (requiredApprovals) {
        return `${numberText(requiredApprovals - missingApprovals)} of ${
            numberText(requiredApprovals)}`;
    }
    return numberText(votes.filter(({verdict, outdated}) => (
        verdict === 'approve' && !outdated)).length);
}

/**
 * Why an approval does not count any more; null for a vote that counts.
 *
 * @param {RequestVote} vote
 * @param {Pick<ChangeRequest, 'liveVersionNumber' | 'schedule'>} request
 */
export function outdatedText(
    {outdated, liveVersionNumber: seen}, {liveVersionNumber: live, schedule}) {
    if (!outdated) return null;
    const edited = `Does not count any more: the request was edited${
        schedule ? ' or moved to another time' : ''} since`;
    return live === undefined || seen === live ? `${edited}.`
        : `${edited}, or a version after ${seen} changed what it uses.`;
}

/**
 * True if two states of a request differ in what they change: a vote is on one of them.
 *
 * @param {Pick<ChangeRequest, 'changes' | 'baseVersionNumber'>} before
 * @param {Pick<ChangeRequest, 'changes' | 'baseVersionNumber'>} now
 */
export function hasOtherContent(before, now) {
    const [was, is] = [before, now].map(({changes, baseVersionNumber}) => (
        JSON.stringify([changes, baseVersionNumber])));
    return was !== is;
}

/**
 * What is new in a request since it was shown, as sentences.
 *
 * @param {ChangeRequest} before
 * @param {ChangeRequest} now
 * @returns {string[]}
 */
export function newsOf(before, now) {
    const newVotes = now.votes.filter(({person, time}) => !before.votes.some((vote) => (
        vote.person === person && vote.time === time)));
    const known = (before.comments ?? []).length;
    const live = now.liveVersionNumber;
    return [
        before.title === now.title ? [] : [`The title is now “${now.title}”.`],
        (before.text ?? '') === (now.text ?? '') ? [] : ['The text was changed.'],
        hasOtherContent(before, now) ? ['What it changes was edited.'] : [],
        newVotes.map((vote) => `${vote.person} ${vote.verdict === 'approve' ? 'approved'
            : 'asked for changes'}.`),
        (now.comments ?? []).slice(known).map((comment) => `${participantName(comment)} `
            + 'commented.'),
        live === undefined || live === before.liveVersionNumber ? []
            : [`${capitalized(versionText(live))} was published.`],
        before.state === now.state || isOpen(now) ? []
            : [`The request is ${now.state} now.`],
        scheduleNews(before.schedule, now.schedule),
    ].flat();
}

/** Requests that the news of a list name. */
const namedNumber = 3;

/**
 * What is new in a list of requests since it was shown, as sentences.
 *
 * @param {ChangeRequest[]} before
 * @param {ChangeRequest[]} now
 * @returns {string[]}
 */
export function listNews(before, now) {
    const known = new Map(before.map((request) => [request.id, request]));
    /** @param {ChangeRequest} request */
    const badges = (request) => [stateBadge(request.state)[0],
        ...request.schedule ? [scheduleBadge(request.schedule)[0]] : []];
    /** @param {ChangeRequest} request */
    const votes = (request) => [`${votesText(request)} ${
        (request.requiredApprovals || request.votes.length) === 1 ? 'approval' : 'approvals'}`];
    const news = now.flatMap((request) => {
        const was = known.get(request.id);
        known.delete(request.id);
        if (!was) return [`“${request.title}” is new.`];
        const changed = [badges, votes].flatMap((texts) => {
            const old = texts(was);
            return texts(request).filter((text) => !old.includes(text));
        });
        return changed.length ? [`“${request.title}”: ${changed.join(', ')}.`] : [];
    });
    const gone = [...known.values()].map(({title}) => `“${title}” is no longer in this list.`);
    const all = [...news, ...gone];
    return all.length > namedNumber ? [`${count(all.length, 'request')} in this list changed.`]
        : all;
}

/**
 * Names of the conflicts of a request with what was published since its base.
 *
 * @param {Pick<ChangeRequest, 'conflicts'>} request
 */
export function conflictNames({conflicts = []}) {
    return conflicts.map((conflict) => conflictName(conflict) ?? conflict.path);
}
