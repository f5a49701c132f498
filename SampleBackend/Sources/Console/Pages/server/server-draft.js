/**
 * The server's drafts, one for each user and project, and their reported changes.
 */

import {patch} from '../json/json-patch.js';
import {call, isMissing, projectPath, ServerError} from './api.js';

/**
 * The differences of two equal templates.
 *
 * @type {Differences}
 */
export const noChanges = {conditions: [], groups: [], parameters: []};

/**
 * The differences of a draft in a response; null if its base is gone.
 *
 * @param {{changes?: Differences}} response
 * @returns {ReportedChanges}
 */
export function reportedChanges({changes}) {
    return {changes: changes ?? noChanges, isBaseGone: !changes};
}

/**
 * Number of conditions, groups and parameters that differ, listed or not.
 *
 * @param {Differences} differences
 */
export function differenceCount({conditions, groups, parameters, omitted = 0}) {
    return conditions.length + groups.length + parameters.length + omitted;
}

/**
 * Reads the draft as `{template, base, tag, reported}`, where `reported` are its changes as the
 * server reports them. Returns null without a draft, and undefined when it has the known tag.
 *
 * @param {string} project
 * @param {string} [knownTag]
 */
export async function readDraft(project, knownTag) {
    const {status, body, etag} = await call(
        'GET', projectPath(project, 'draft'), {ifNoneMatch: knownTag});
    if (status === 304) return undefined;
    if (status === 204) return null;
    return {template: body.template, base: body.baseVersion, tag: etag,
        reported: reportedChanges(body)};
}

/**
 * Deletes the draft with a tag; false if it was gone before.
 *
 * @param {string} project
 * @param {string} tag
 */
export async function deleteDraft(project, tag) {
    try {
        await call('DELETE', projectPath(project, 'draft'), {ifMatch: tag});
        return true;
    } catch (error) {
        if (!isMissing(error)) throw error;
        return false;
    }
}

/**
 * Sends the changes of a draft against the server's template, or the whole draft if that fails.
 *
 * @param {string} project Name of the project.
 * @param {SentDraft} draft The draft.
 * @param {PatchedTemplate} patched The server's state, from
 *     `Workspace.patched`.
 */
export async function storeDraft(project, {template, base}, patched) {
    const {template: before, base: baseBefore, tag} = patched;
    const path = projectPath(project, 'draft');
    const expected = tag ? {ifMatch: tag} : {ifNoneMatch: '*'};
    if (base === baseBefore) {
        const place = tag ? path : projectPath(project, 'draft', {baseVersion: base});
        try {
            return await call('PATCH', place, {...expected,
                body: patch(before, template, {isOrdered: true}),
                contentType: 'application/json-patch+json'});
        } catch (error) {
            // The patch is too large, or the server's template has another form.
            const isRefused = error instanceof ServerError
                && [400, 409, 413].includes(error.status);
            if (!isRefused) throw error;
        }
    }
    return call('PUT', path, {...expected, body: {baseVersion: base, template}});
}
