/**
 * The content of a change request as the user's draft.
 */

import {readRequestedTemplate} from '../server/change-requests.js';
import {etagOf} from '../server/versions.js';
import {withoutVersion} from '../template/template.js';

/**
 * Replaces the draft by the content of a request, over the request's base; a step that Undo takes
 * back. A draft without a description gets the title of the request.
 *
 * @param {Workspace} workspace
 * @param {Pick<ChangeRequest, 'id' | 'title' | 'baseVersionNumber'>} request
 * @param {AbortSignal} [signal] Ends it before the draft is changed.
 * @throws Error if the base is no longer kept, or the content cannot be read.
 */
export async function takeRequest(workspace, {id, title, baseVersionNumber: base}, signal) {
    const {project} = workspace;
    const [template, baseTemplate] = await Promise.all(
        [readRequestedTemplate(project, id), base === '0' ? {} : workspace.templateOf(base)]);
    signal?.throwIfAborted();
    if (!baseTemplate) {
        throw new Error(`Version ${base}, on which the request is based, is no longer kept, so it `
            + 'cannot be opened in a draft.');
    }
    // Not a part of the step: it would be lost.
    const {description = title} = workspace.draft?.template.version ?? {};
    workspace.rebase(withoutVersion(template), {versionNumber: base, baseTemplate,
        etag: etagOf(project, base)}, `change request “${title}”`);
    workspace.describe(description);
}
