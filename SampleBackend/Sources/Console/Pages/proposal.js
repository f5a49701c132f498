/**
 * Preview of publishing the draft: of the draft itself, or of its merge with the current version
 * when somebody published since it began.
 */

import {call, projectPath} from './api.js';

/** Maximum number of attempts; one fails when somebody publishes during it. */
const attempts = 5;

/** Merges the draft with the current version; the draft wins all conflicts. */
async function merged({draft, project}, signal) {
    const merge = async (resolutions) => (await call(
        'POST', projectPath(project, 'remoteConfig:merge'), {
            signal, body: {base: draft.base, mine: draft.template, resolutions}})).body;
    const open = await merge({});
    const answer = open.conflicts.length
        ? await merge(Object.fromEntries(open.conflicts.map(({path}) => [path, 'mine']))) : open;
    return {template: answer.template, versionNumber: answer.versionNumber, isMerged: true,
        conflictCount: answer.conflicts.length};
}

/**
 * Evaluates users under the current version and under the draft. The proposal is always based on
 * the version that the server compares it with.
 *
 * @param {object} workspace Workspace with a draft.
 * @param {object[]} users Users in the format of `:preview`.
 * @param {AbortSignal} signal Aborts the requests.
 * @returns {Promise<object>} Response of `:preview`, with `isMerged`, true when the draft was
 *     merged with a newer version, and `conflictCount`, the number of conflicts in that merge.
 */
export async function previewDraft(workspace, users, signal) {
    const {draft, project} = workspace;
    let proposal = workspace.isOutdated ? await merged(workspace, signal) : {
        template: draft.template, versionNumber: draft.base, isMerged: false, conflictCount: 0};
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
        const {body} = await call('POST', projectPath(project, 'remoteConfig:preview'), {
            signal, body: {template: proposal.template, users}});
        const {template, ...told} = proposal;
        if ((body.versionNumber ?? '0') === proposal.versionNumber) return {...body, ...told};
        proposal = await merged(workspace, signal);
    }
    throw new Error('Others publish without a pause. Look again.');
}
