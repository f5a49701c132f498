/**
 * What a user may do with a change request, and why not. The server decides again; where it has not
 * said what a token may do, the act is offered.
 */

import {waitingPart} from '../schedules/schedule-state.js';
import {approvalProblem, mayBypass} from '../server/protection.js';
import {refusal} from '../server/session.js';
import {isOpen} from './request-texts.js';

/**
 * The reason for which each act is refused, as a sentence; null where it is allowed.
 *
 * @typedef {Record<'approve' | 'requestChanges' | 'comment' | 'edit' | 'replace' | 'take' | 'close'
 *     | 'publish' | 'approveAndPublish' | 'bypass' | 'schedule' | 'moveSchedule' | 'endAnew',
 *     ?string>} RequestRights
 */

/**
 * True if a person, or the token of a program, has made or edited a request.
 *
 * @param {Pick<ChangeRequest, 'author' | 'editors'>} request
 * @param {Session} session
 */
export function isOwnRequest({author, editors = []}, {name, owner}) {
    return [author, ...editors].some(({person, creator, actor}) => (
        owner ? [person, creator].includes(owner) : actor === name));
}

/**
 * True if the current vote of the user approves a request and counts.
 *
 * @param {Pick<ChangeRequest, 'votes'>} request
 * @param {Session} session
 */
function hasApproved({votes}, {name, owner}) {
    return votes.some(({person, actor, verdict, outdated}) => (
        verdict === 'approve' && !outdated && (owner ? person === owner : actor === name)));
}

/**
 * Why a request cannot be merged with what is published now; null if it can.
 *
 * @param {ChangeRequest} request
 */
function mergeProblem({conflicts = [], problems = []}) {
    if (conflicts.length) return 'It conflicts with what was published since.';
    return problems.length ? 'Together with what was published since, it has problems.' : null;
}

/**
 * @param {ChangeRequest} request
 * @param {Session} session The session as it counts in the project.
 * @param {Protection} protection
 * @param {Pick<Workspace, 'draft' | 'isUnsaved'>} workspace
 * @returns {RequestRights}
 */
export function requestRights(request, session, protection, {draft, isUnsaved}) {
    const ended = isOpen(request) ? null : `The request is ${request.state}.`;
    const editor = refusal(session, 'editor');
    const publisher = refusal(session, 'publisher');
    const open = ended ?? editor;
    const isOwn = isOwnRequest(request, session);
    const owner = session.owner === null
        ? 'Your token has no owner, so it cannot vote: use a token that belongs to a person.'
        : null;
    const own = isOwn && !protection.selfApproval
        ? 'You have made or edited this request: somebody else must vote on it.' : null;
    const vote = open ?? owner ?? own;
    const merge = ended ?? publisher ?? mergeProblem(request);
    const unapproved = approvalProblem(request);
    const approve = vote ?? (hasApproved(request, session) ? 'You approve it already.' : null);
    const others = request.votes.some(({verdict, person}) => (
        verdict === 'requestChanges' && person !== session.owner));
    const noDraft = draft ? null : 'You have no draft.';
    const unsaved = isUnsaved ? 'Your draft is not saved yet.' : null;
    return {
        approve,
        requestChanges: vote,
        comment: open,
        edit: open,
        // Publishers have scheduled what it was.
        replace: open ?? (waitingPart(request.schedule) ? publisher : null) ?? noDraft ?? unsaved,
        take: editor,
        close: ended ?? (isOwn ? editor : publisher && `${publisher} Only those who made it, and `
            + 'publishers, close a request.'),
        publish: merge ?? unapproved,
        // Approvals can follow until its time.
        schedule: merge,
        moveSchedule: publisher,
        // Nobody votes on a published request.
        endAnew: publisher ?? (!protection.requiredApprovals || mayBypass(session) ? null
            : 'Nobody has approved another end, and your token may not bypass approvals: make a '
                + 'change request that takes it back.'),
        approveAndPublish: merge ?? approve ?? (request.missingApprovals === 1 && !others ? null
            : 'Your approval is not the only thing that is missing.'),
        bypass: merge ?? (unapproved ? null : 'Nothing is missing: publish it.')
            ?? (mayBypass(session) ? null : 'Your token may not publish without approval.'),
    };
}
