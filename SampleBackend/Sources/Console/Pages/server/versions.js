/**
 * The published versions of a project.
 */

import {withoutVersion} from '../template/template.js';
import {call, isMissing, projectPath} from './api.js';

/**
 * Entity tag of a version's template, independent of the `ETag` field, which a proxy may drop; "0"
 * is the state before the first publish.
 *
 * @param {string} project
 * @param {string} versionNumber
 */
export function etagOf(project, versionNumber) {
    return `"etag-${project}-${versionNumber}"`;
}

/**
 * False for the empty template of a project that was only created. Its number is not 0 where a
 * deleted project had the same name.
 *
 * @param {Version} version
 */
function isPublished({versionNumber, updateType}) {
    return versionNumber !== '0' && updateType !== 'REMOTE_CONFIG_UPDATE_TYPE_UNSPECIFIED';
}

/**
 * Reads a version, by default the current one; empty if nothing has been published.
 *
 * @param {string} project
 * @param {string} [versionNumber]
 * @returns {Promise<PublishedVersion>}
 */
export async function readVersion(project, versionNumber) {
    try {
        const {body, etag} = await call(
            'GET', projectPath(project, 'remoteConfig', {versionNumber}));
        const {version} = body;
        return {
            template: withoutVersion(body),
            version: version && isPublished(version) ? version : null,
            number: version?.versionNumber ?? '0',
            etag: version ? etagOf(project, version.versionNumber) : etag};
    } catch (error) {
        if (versionNumber !== undefined || !isMissing(error)) throw error;
        return {template: {}, version: null, number: '0', etag: etagOf(project, '0')};
    }
}

/** Number of versions that the server keeps of a project. */
export const keptVersions = 300;

/**
 * Number of the version before a published one; "0" when it is the project's first. Numbers have
 * gaps where the server's store was restored.
 *
 * @param {string} project
 * @param {string} versionNumber
 * @param {AbortSignal} [signal]
 * @returns {Promise<string>}
 */
export async function versionBefore(project, versionNumber, signal) {
    /** @param {{pageSize: number, endVersionNumber?: string}} query */
    const list = async (query) => /** @type {Version[]} */ ((await call(
        'GET', projectPath(project, 'remoteConfig:listVersions', query), {signal})).body.versions);
    const [, before] = await list({pageSize: 2, endVersionNumber: versionNumber});
    if (before) return before.versionNumber;
    // The oldest stored version is the first one unless earlier ones were dropped.
    const all = await list({pageSize: keptVersions});
    return all.length < keptVersions ? '0' : String(Number(versionNumber) - 1);
}

/**
 * The newest version; null when nothing is published yet.
 *
 * @param {string} project
 * @returns {Promise<?Version>}
 */
export async function readNewest(project) {
    try {
        const {body} = await call(
            'GET', projectPath(project, 'remoteConfig:listVersions', {pageSize: 1}));
        return body.versions[0] ?? null;
    } catch (error) {
        if (isMissing(error)) return null;
        throw error;
    }
}
