/**
 * What the merge page says of a draft and of the versions that were published after it began.
 */

import {isChoiceOf, isContained} from '../drafts/ended-draft.js';
import {isEqual} from '../json/json.js';
import {call, projectPath} from '../server/api.js';
import {isOwnVersion} from '../server/publishing.js';
import {withoutVersion} from '../template/template.js';

/**
 * Whether there is something to merge: `none` without a draft, `current` if it begins at the
 * newest known version, `baseGone` if its changes are unknown, else `open`.
 *
 * @param {Pick<Workspace, 'draft' | 'isOutdated'>} workspace
 */
export function mergeState({draft, isOutdated}) {
    if (!draft) return 'none';
    if (draft.isBaseGone) return 'baseGone';
    return isOutdated ? 'open' : 'current';
}

/**
 * Sentence that this user published the draft, or a part of it, and that the current version lacks
 * that: the response to the publish can have been lost. Null if there was none.
 *
 * @param {Workspace} workspace
 * @param {{version: ?Version, template: Template}} current
 * @returns {Promise<?string>}
 */
export async function undonePublish(workspace, current) {
    const {draft, project, user} = workspace;
    if (!draft || draft.isBaseGone || !current.version) return null;
    const {base, baseTemplate} = draft;
    const {body} = await call(
        'GET', projectPath(project, 'remoteConfig:listVersions', {pageSize: 20}));
    // A publish of the draft is the first version over its base.
    const version = /** @type {Version[]} */ (body.versions).filter(
        ({versionNumber}) => Number(versionNumber) > Number(base)).at(-1);
    if (!version || !isOwnVersion(version, user)) return null;
    const {template} = await workspace.fetchTemplate(version.versionNumber);
    if (!isChoiceOf(draft, template) || isContained({template, baseTemplate}, current.template)) {
        return null;
    }
    const isWhole = isEqual(template, withoutVersion(draft.template));
    const isUndone = isEqual(current.template, baseTemplate);
    return `You published ${isWhole ? 'this draft' : 'a part of this draft'} as version ${
        version.versionNumber}, and version ${current.version.versionNumber} ${
        isUndone ? 'undid that' : 'has replaced some of it'}. Publishing the merge brings it back.`;
}
