/**
 * The protection of a project: how many approvals a publish in it needs.
 */

import {count} from '../text/formats.js';
import {call, projectPath} from './api.js';
import {refusal} from './session.js';

/** Largest number of approvals that can be required. */
export const maximumApprovals = 10;

/**
 * Reads a protection with its entity tag.
 *
 * @param {string} project
 * @param {AbortSignal} [signal]
 * @returns {Promise<Protection & {etag: string}>}
 */
export async function readProtection(project, signal) {
    const {body, etag} = await call('GET', projectPath(project, 'protection'), {signal});
    return {...body, etag};
}

/**
 * Replaces a protection if it is as it was read.
 *
 * @param {string} project
 * @param {Protection} protection
 * @param {string} etag
 */
export async function saveProtection(project, protection, etag) {
    const {requiredApprovals, selfApproval, rollbackWithoutApproval} = protection;
    await call('PUT', projectPath(project, 'protection'), {ifMatch: etag,
        body: {requiredApprovals, selfApproval, rollbackWithoutApproval}});
}

/**
 * Sentence about the approvals that a publish needs; null without a protection.
 *
 * @param {?Protection} protection
 */
export function approvalsText(protection) {
    return protection?.requiredApprovals
        ? `A publish in this project needs ${count(protection.requiredApprovals, 'approval')}.`
        : null;
}

/**
 * The people who ask for changes.
 *
 * @param {Pick<ChangeRequest, 'votes'>} request
 */
export function objectors({votes}) {
    return votes.filter(({verdict}) => verdict === 'requestChanges').map(({person}) => person);
}

/**
 * What prevents a publish in a protected project, as a sentence; null if nothing does.
 *
 * @param {Pick<ChangeRequest, 'votes' | 'requiredApprovals' | 'missingApprovals'>} request
 */
export function approvalProblem(request) {
    const {requiredApprovals = 0, missingApprovals = 0} = request;
    if (!requiredApprovals) return null;
    const people = objectors(request);
    const texts = [
        missingApprovals > 0 && `${count(missingApprovals, 'approval')} ${
            missingApprovals === 1 ? 'is' : 'are'} missing.`,
        people.length > 0 && `${people.join(', ')} ${people.length === 1 ? 'asks' : 'ask'} for `
            + 'changes.',
    ].filter(Boolean);
    return texts.length ? texts.join(' ') : null;
}

/**
 * True if a publish that the first protection refuses can pass with the second one.
 *
 * @param {Protection} before
 * @param {Protection} now
 */
export function isLowered(before, now) {
    if (!before.requiredApprovals) return false;
    return now.requiredApprovals < before.requiredApprovals
        || (now.selfApproval && !before.selfApproval)
        || (now.rollbackWithoutApproval && !before.rollbackWithoutApproval);
}

/**
 * True if the user may publish without approvals, as far as the server has said.
 *
 * @param {Session} session
 */
export function mayBypass({bypass}) {
    return bypass !== false;
}

/**
 * Why a user cannot replace a protection by another one; null if that is allowed.
 *
 * @param {Session} session
 * @param {Protection} before
 * @param {Protection} now
 */
export function protectionRefusal(session, before, now) {
    const refused = refusal(session, 'publisher');
    if (refused || mayBypass(session) || !isLowered(before, now)) return refused;
    return 'This lets publishes pass that the protection refuses. It needs a token that may '
        + 'publish without approval; yours may not.';
}
