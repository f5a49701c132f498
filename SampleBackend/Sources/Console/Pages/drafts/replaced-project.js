/**
 * Whether a project was deleted and another one has its name: a tab must not continue its draft and
 * its steps there.
 *
 * Version numbers are never used again: the version that a tab has seen is one of the project, or
 * was one of the deleted project and is not there.
 */

import {call, isMissing, projectPath} from '../server/api.js';
import {keptVersions, readVersion} from '../server/versions.js';

/**
 * True if another project has the name now.
 *
 * @param {string} project
 * @param {string} known Number of the version that the tab has seen.
 * @param {Pick<PublishedVersion, 'number'>} current
 */
export async function isReplaced(project, known, {number}) {
    if (known === number) return false;
    // There is no project. Lower numbers otherwise are those of a restored backup.
    if (number === '0') return true;
    const later = Number(number) - Number(known);
    if (later < 0 || later >= keptVersions) return false;
    const next = String(Number(known) + 1);
    const {body} = await call('GET', projectPath(project, 'remoteConfig:listVersions',
        {pageSize: 2, endVersionNumber: next}));
    const listed = /** @type {Version[]} */ (body.versions).map(({versionNumber}) => versionNumber);
    if (listed.includes(known)) return false;
    // What precedes the first publish is not listed: 0, or the empty version of a created project.
    return !listed.includes(next) || (known !== '0' && !await isCreation(project, known));
}

/**
 * True if a version is the empty one with which the project was created.
 *
 * @param {string} project
 * @param {string} number
 */
async function isCreation(project, number) {
    try {
        return (await readVersion(project, number)).version === null;
    } catch (error) {
        if (isMissing(error)) return false;
        throw error;
    }
}
