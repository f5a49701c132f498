/**
 * What the draft would make of the version that is current: the draft itself, or both put together
 * when somebody published since it began.
 */

import {call, projectPath} from './api.js';

/** How often a preview is asked for while others publish. */
const attempts = 5;

/** The draft put together with the current version; where both changed the same, the draft's. */
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
 * Asks what users get now, and what they would get if the draft were published.
 *
 * @param {object} workspace The workspace with the draft.
 * @param {object[]} users The users, as `:preview` takes them.
 * @param {AbortSignal} signal Ends the question.
 * @returns {Promise<object>} The answer of `:preview`, with `isMerged`, whether the draft began
 *     with an older version, and `conflictCount`, how many things both changed.
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
