/**
 * Reading of drafts from the server, with the template of the version on which they are based.
 */

import {isMissing, ServerError} from '../server/api.js';
import {readDraft} from '../server/server-draft.js';
import {etagOf, readVersion} from '../server/versions.js';

/**
 * Template of a version; null if the server no longer keeps it.
 *
 * @param {string} project
 * @param {string} base Its number.
 * @param {KnownTemplates} known What need not be read.
 * @returns {Promise<?Template>}
 */
export async function templateOfVersion(project, base, {draft, current}) {
    if (base === '0') return {};
    if (base === draft?.base && !draft.isBaseGone) return draft.baseTemplate;
    if (base === current.number) return current.template;
    try {
        return (await readVersion(project, base)).template;
    } catch (error) {
        if (isMissing(error)) return null;
        throw error;
    }
}

/**
 * A draft of a template over a version, or over the current one if that version is gone.
 *
 * @param {string} project
 * @param {SentDraft} sent
 * @param {KnownTemplates} known
 * @param {ReportedChanges} [reported] Its changes as the server reports them.
 * @returns {Promise<Draft>}
 */
export async function draftOn(project, {template, base}, known, reported = {changes: null}) {
    const baseTemplate = await templateOfVersion(project, base, known) ?? known.current.template;
    return {template, base, baseTemplate, etag: etagOf(project, base), ...reported};
}

/**
 * Reads the server's draft: `{draft, saved}`, both null without one; null when it has the known
 * tag.
 *
 * @param {string} project
 * @param {string | undefined} knownTag
 * @param {KnownTemplates} known
 * @returns {Promise<?FoundDraft>}
 */
export async function readServerDraft(project, knownTag, known) {
    const found = await readDraft(project, knownTag);
    if (found === undefined) return null;
    if (!found) return {draft: null, saved: null};
    const {template, base, tag, reported} = found;
    return {saved: {template, base, tag},
        draft: await draftOn(project, {template, base}, known, reported)};
}

/**
 * Why a request of the draft failed: another tab or browser has saved (`conflict`); this draft is
 * not accepted (`refused`), also since its project or version is gone (`gone`); the server may have
 * executed it (`unanswered`); or a passing reason.
 *
 * @param {unknown} error
 * @returns {SyncEvents['failed']['reason']}
 */
export function failureReason(error) {
    if (!(error instanceof ServerError) || error.status >= 500) return 'unanswered';
    if (error.status === 412) return 'conflict';
    if (error.status === 404) return 'gone';
    return [401, 429].includes(error.status) ? 'unavailable' : 'refused';
}
