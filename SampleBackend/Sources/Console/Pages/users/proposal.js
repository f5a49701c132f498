/**
 * Preview of publishing a draft, or some of its changes, or a change request; of a merge with the
 * current version if another version was published since the edit began.
 */

import {call, projectPath} from '../server/api.js';
import {mergedWithCurrent} from '../server/merging.js';

/** Maximum number of attempts; an attempt fails when a version is published during it. */
const attempts = 5;

/**
 * Merges an edit with the current version; the edit wins all conflicts.
 *
 * @param {{draft: SentDraft, project: string}} proposal
 * @param {AbortSignal} [signal]
 */
async function merged({draft, project}, signal) {
    const answer = await mergedWithCurrent(project, draft, signal);
    return {template: answer.template, versionNumber: answer.versionNumber, isMerged: true,
        conflictCount: answer.conflicts.length};
}

/**
 * Evaluates users under the current version and under an edit of it. The proposal is always based
 * on the version that the server compares it with.
 *
 * @param {{project: string, isOutdated: boolean, draft: ?SentDraft}} workspace A workspace with a
 *     draft, or what has the same members: `isOutdated` is true if a version was published since
 *     the edit began.
 * @param {PreviewUser[]} users Users in the format of `:preview`.
 * @param {AbortSignal} signal Aborts the requests.
 * @param {?Template} [chosen] The draft's template with the changes that are chosen, if not all.
 * @returns {Promise<DraftPreview>} Response of `:preview`, with `isMerged`, true when the edit was
 *     merged with a newer version, and `conflictCount`, the number of conflicts in that merge.
 */
export async function previewDraft(workspace, users, signal, chosen = null) {
    const {project} = workspace;
    if (!workspace.draft) throw new Error('There is no draft.');
    const draft = chosen ? {...workspace.draft, template: chosen} : workspace.draft;
    let proposal = workspace.isOutdated ? await merged({draft, project}, signal) : {
        template: draft.template, versionNumber: draft.base, isMerged: false, conflictCount: 0};
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
        const {body} = await call('POST', projectPath(project, 'remoteConfig:preview'), {
            signal, body: {template: proposal.template, users}});
        const {template, ...rest} = proposal;
        if ((body.versionNumber ?? '0') === proposal.versionNumber) return {...body, ...rest};
        proposal = await merged(
            {draft: (!chosen && workspace.draft) || draft, project}, signal);
    }
    throw new Error('Other versions keep being published. Try again.');
}
