/**
 * Acts on a change request as it is shown, with what becomes of each: the request may have changed,
 * and the response may be lost.
 */

import {NoAnswerError, ServerError} from '../server/api.js';
import {waitingPart} from '../schedules/schedule-state.js';
import {actOn, cancelSchedule, commentOn, editRequest, moveEnd, moveSchedule, publishRequest,
    readRequest, scheduleRequest} from '../server/change-requests.js';
import {clearDoubt, isUnsettled} from '../server/publishing.js';
import {actOnRollout, rollOutRequest} from '../server/rollouts.js';
import {hasOtherContent, newsOf} from './request-texts.js';

/**
 * An act: how it is sent, and whether a newer state of the request has it.
 *
 * @typedef {object} RequestAct
 * @property {() => Promise<{request?: ChangeRequest, version?: Version}>} send
 * @property {(now: ChangeRequest) => boolean} isDone
 * @property {boolean} [isRepeatable] False if sending it twice does it twice.
 * @property {boolean} [isEdit] True if it edits what the request changes.
 */

/**
 * The acts of a user on a request as it was read.
 *
 * @param {string} project
 * @param {ChangeRequest} request
 * @param {string} user Name of the user's token.
 */
export function requestActs(project, request, user) {
    /** @param {Promise<ChangeRequest>} answer */
    const changed = async (answer) => ({request: await answer});
    /**
     * @param {'approve' | 'requestChanges'} verdict
     * @param {string} comment
     * @returns {RequestAct}
     */
    const vote = (verdict, comment) => ({
        send: () => changed(actOn(project, request, verdict, comment)),
        isDone: ({votes}) => votes.some((vote) => vote.actor === user && vote.verdict === verdict
            && !request.votes.some(({actor, time}) => actor === user && time === vote.time)),
    });
    /**
     * @param {() => Promise<ChangeRequest>} send
     * @param {ScheduleTimes} times
     * @returns {RequestAct}
     */
    const toTimes = (send, {at, until}) => ({
        send: () => changed(send()),
        isDone: ({schedule}) => waitingPart(schedule) === 'start' && schedule?.at === at
            && (schedule.until ?? null) === until,
    });
    /**
     * @param {'hold' | 'resume' | 'takeBack'} act
     * @param {{reason?: string, ignoreReports?: true}} body
     * @param {(now: Rollout) => boolean} isDone
     * @returns {RequestAct}
     */
    const onRollout = (act, body, isDone) => ({
        send: () => changed(actOnRollout(project, request, act, body)),
        isDone: ({schedule}) => schedule?.rollout !== undefined && isDone(schedule.rollout),
    });
    return {
        /** @param {ScheduleTimes} times */
        schedule: (times) => toTimes(() => scheduleRequest(project, request, times), times),
        /** @param {ScheduleTimes} times */
        moveSchedule: (times) => toTimes(() => moveSchedule(project, request, times), times),
        /**
         * @param {string} until
         * @returns {RequestAct}
         */
        endAnew: (until) => ({
            send: () => changed(moveEnd(project, request, until)),
            isDone: ({schedule}) => waitingPart(schedule) === 'end' && schedule?.until === until,
        }),
        /** @returns {RequestAct} */
        cancelSchedule: () => ({
            send: () => changed(cancelSchedule(project, request)),
            isDone: ({schedule}) => [schedule?.state, schedule?.end?.state].includes('cancelled'),
        }),
        /**
         * @param {SentRollout} sent
         * @returns {RequestAct}
         */
        rollOut: (sent) => ({
            send: () => changed(rollOutRequest(project, request, sent)),
            isDone: ({schedule}) => schedule?.rollout?.condition === sent.condition
                && JSON.stringify(schedule.rollout.percents) === JSON.stringify(sent.percents)
                && (sent.at === undefined || schedule.at === sent.at),
        }),
        /**
         * @param {string} reason
         * @returns {RequestAct}
         */
        hold: (reason) => onRollout('hold', reason ? {reason} : {}, ({state}) => state === 'held'),
        /**
         * @param {boolean} ignoresReports
         * @param {boolean} [isNow]
         * @returns {RequestAct}
         */
        resume: (ignoresReports, isNow = false) => onRollout('resume',
            {...isNow && {now: true}, ...ignoresReports && {ignoreReports: true}}, ({state}) => (
                ['running', 'completed'].includes(state))),
        /**
         * @param {string} reason
         * @returns {RequestAct}
         */
        takeBack: (reason) => onRollout('takeBack', reason ? {reason} : {}, ({state, percent}) => (
            state === 'stopped' || (percent ?? 0) < (request.schedule?.rollout?.percent ?? 0))),
        /** @returns {RequestAct} */
        stopRollout: () => ({
            send: () => changed(cancelSchedule(project, request)),
            isDone: ({schedule}) => schedule?.rollout?.state === 'stopped',
        }),
        /** @param {string} comment */
        approve: (comment) => vote('approve', comment),
        /** @param {string} comment */
        requestChanges: (comment) => vote('requestChanges', comment),
        /**
         * @param {string} text
         * @param {string} path
         * @returns {RequestAct}
         */
        comment: (text, path) => ({
            send: () => changed(commentOn(project, request, text, path)), isRepeatable: false,
            isDone: ({comments = []}) => comments.slice((request.comments ?? []).length)
                .some((comment) => comment.actor === user && comment.text === text
                    && (comment.path ?? '') === path),
        }),
        /**
         * @param {string} title
         * @param {string} text
         * @returns {RequestAct}
         */
        edit: (title, text) => ({
            send: () => changed(editRequest(project, request, {title, text})),
            isDone: (now) => now.title === title && (now.text ?? '') === text,
        }),
        /** @returns {RequestAct} */
        replace: () => ({
            send: () => changed(editRequest(project, request, {draft: true})), isEdit: true,
            // The answer does not say whose draft it is.
            isDone: () => false,
        }),
        /**
         * @param {string} comment
         * @returns {RequestAct}
         */
        close: (comment) => ({
            send: () => changed(actOn(project, request, 'close', comment)),
            isDone: ({state}) => state === 'closed',
        }),
        /**
         * @param {{bypass?: string, approves?: boolean, cancelsSchedule?: boolean}} [grounds] The
         *     reason for a publish without approvals, or true for the user's approval, which is
         *     stored with the version only; true for a publish before its time.
         * @returns {RequestAct}
         */
        publish: (grounds = {}) => ({
            send: async () => ({version: await publishRequest(project, request, grounds)}),
            isDone: ({state, ending}) => state === 'published' && ending?.actor === user,
        }),
    };
}

/**
 * What became of an act. `done` has the newer `request`, or the published `version`; `changed` has
 * the `request` that was not as it was shown, with its `news`, and nothing was done; `unclear` is
 * the same after a lost response, so that the news can be what was done; `refused` and `notDone`
 * have a `message`; `unapproved` says that approvals are missing; `left` that the signal was
 * aborted.
 *
 * @typedef {{outcome: 'done' | 'changed' | 'unclear' | 'refused' | 'unapproved' | 'notDone'
 *     | 'left', request?: ChangeRequest, version?: Version, news?: string[],
 *     message?: string}} ActOutcome
 */

/** Errors that say that the request is not as it was shown, or must be read again. */
const ofOtherState = ['CHANGE_REQUEST_MISMATCH', 'CHANGE_REQUEST_ENDED', 'MERGE_CONFLICT',
    'SCHEDULED_PUBLISH', 'SCHEDULE_ENDED', 'ROLLOUT_STATE'];

/**
 * Does an act on a request.
 *
 * @param {string} project
 * @param {ChangeRequest} request The request as it is shown.
 * @param {RequestAct} act
 * @param {DoubtOptions} options
 * @returns {Promise<ActOutcome>}
 */
export async function perform(project, request, act, options) {
    const {send, isDone, isRepeatable = true} = act;
    let isLost = false;
    /** @returns {Promise<ActOutcome>} */
    const readNow = async () => {
        const now = await readRequest(project, request.id);
        if (isDone(now)) {
            const {versionNumber = ''} = now.ending ?? {};
            return {outcome: 'done', request: now, ...now.state === 'published'
                && {version: {versionNumber, updateTime: now.updateTime}}};
        }
        if (now.etag !== request.etag) {
            return {outcome: isLost ? 'unclear' : 'changed', request: now,
                news: newsOf(request, now)};
        }
        return {outcome: 'notDone', request: now, message: 'The connection broke, and nothing was '
            + 'done. The server answers again: repeat it.'};
    };
    /** @returns {Promise<ActOutcome>} */
    const sendNow = async () => {
        try {
            return {outcome: 'done', ...await send()};
        } catch (error) {
            if (!(error instanceof ServerError) || error.status >= 500) throw error;
            if (ofOtherState.includes(error.code) || error.status === 412) {
                const now = await readNow();
                return now.outcome !== 'notDone' || isLost ? now
                    : {...now, outcome: 'refused', message: error.message};
            }
            const outcome = error.code === 'APPROVAL_REQUIRED' ? 'unapproved' : 'refused';
            return {outcome, message: error.message};
        }
    };
    try {
        return await sendNow();
    } catch (error) {
        if (!(error instanceof NoAnswerError) && !isUnsettled(error) && error.status < 500) {
            return {outcome: 'refused', message: error.message};
        }
        isLost = true;
        // Sent again for the same state, it is done at most once.
        const repeats = isUnsettled(error) && isRepeatable;
        const found = await clearDoubt(repeats ? sendNow : readNow, {...options,
            onDoubt: (attempt) => options.onDoubt(attempt, repeats)});
        return found ?? {outcome: 'left'};
    }
}

/** What is said of a request that is not as it was shown. */
export const changedText = 'This request has changed: look at what is new.';

/**
 * What is said of an act; null when the page was left before its outcome is known.
 *
 * @param {ActOutcome} answer
 * @param {string} done Sentence about the success.
 * @param {ChangeRequest} shown The request as it was shown.
 * @param {Pick<RequestAct, 'isEdit'>} act
 * @returns {?{kind: 'success' | 'warning' | 'error', text: string, news?: string[]}}
 */
export function outcomeMessage({outcome, request, message, news}, done, shown, {isEdit}) {
    switch (outcome) {
    case 'done':
        // A comment is added to whatever the request is then.
        return !isEdit && request && hasOtherContent(shown, request)
            ? {kind: 'warning', text: `${done} ${changedText}`, news: newsOf(shown, request)}
            : {kind: 'success', text: done};
    case 'changed':
        return {kind: 'warning', news,
            text: `${changedText} Nothing was done; what you entered is kept.`};
    case 'unclear':
        return {kind: 'warning', news, text: `${changedText} The connection broke, so look whether `
            + 'it has what you did; what you entered is kept.'};
    case 'left':
        return null;
    default:
        return {kind: outcome === 'refused' ? 'error' : 'warning', text: message ?? ''};
    }
}
