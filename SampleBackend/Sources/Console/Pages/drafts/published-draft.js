/**
 * The end of a draft that was published, in whole or in part.
 */

import {isEqual} from '../json/json.js';
import {isOwnVersion} from '../server/publishing.js';
import {readVersion} from '../server/versions.js';
import {mergeTemplates} from '../template/template-merge.js';
import {withoutVersion} from '../template/template.js';
import {isOutdated} from './draft-state.js';
import {isChoiceOf} from './ended-draft.js';

/**
 * What the read version has of a draft, if it has all of it, or some by a choice of this user: it
 * was published, for example by this page before it was closed. Null otherwise.
 *
 * @param {SyncState} state
 * @param {string} user
 * @returns {?{sent: Template, publish: LastPublish & {version: Version}}}
 */
export function publishFound(state, user) {
    const {draft, isPublishing, current: {version, template: published}} = state;
    if (!draft || !version || !isOutdated(state) || isPublishing) return null;
    const isWhole = isEqual(withoutVersion(draft.template), published);
    const isOwn = isOwnVersion(version, user);
    return isWhole || (isOwn && isChoiceOf(draft, published))
        ? {sent: isWhole ? draft.template : published,
            publish: {version, isOwn, isSeen: false, time: Date.parse(version.updateTime)}} : null;
}

/**
 * Ends a draft that was published. Later edits, here or in another tab, become a draft based on the
 * new version.
 *
 * @param {import('./synced-draft.js').SyncedDraft} sync
 * @param {Template} sent Template of the draft that was published.
 * @param {string} versionNumber Number of the new version.
 * @throws ServerError or NoAnswerError when there are such edits and reading the version fails; the
 *     draft is unchanged then.
 */
export async function endPublished(sync, sent, versionNumber) {
    const {draft} = sync.state;
    if (!draft) return;
    sync.steps.published(draft.template, sent);
    if (isEqual(draft.template, sent)) {
        sync.send({type: 'edit', draft: null});
        await sync.saved();
    }
    if (!sync.state.draft) return;
    const {template: baseTemplate, etag} = await readVersion(sync.project, versionNumber);
    const {draft: later} = sync.state;
    if (!later) return;
    sync.send({type: 'edit', draft: {
        template: mergeTemplates(sent, later.template, baseTemplate),
        base: versionNumber, baseTemplate, etag, changes: null}});
}
