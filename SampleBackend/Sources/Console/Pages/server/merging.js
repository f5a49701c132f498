/**
 * Merge of a template with the current version, by the server.
 */

import {call, projectPath} from './api.js';

/**
 * Merges a template with the current version; the template wins all conflicts. The server stores
 * nothing.
 *
 * @param {string} project
 * @param {SentDraft} mine The template, and the version with which it began.
 * @param {AbortSignal} [signal]
 * @returns {Promise<Omit<DraftMerge, 'mine'>>}
 */
export async function mergedWithCurrent(project, {base, template}, signal) {
    /** @param {Record<string, string>} resolutions */
    const merge = async (resolutions) => (await call(
        'POST', projectPath(project, 'remoteConfig:merge'), {
            signal, body: {base, mine: template, resolutions}})).body;
    const open = await merge({});
    return open.conflicts.length ? merge(Object.fromEntries(
        /** @type {Conflict[]} */ (open.conflicts).map(({path}) => [path, 'mine']))) : open;
}
