/**
 * Notices what others have published or changed.
 */

import {publisherName} from '../controls/controls.js';
import {announce} from '../controls/dom.js';
import {isPageLocked} from '../controls/held-entry.js';
import {poll} from '../server/poll.js';

/** Milliseconds between checks for a new version. */
const lookInterval = 5000;

/**
 * Checks for a new version and for changed details of projects every five seconds and when the
 * browser's tab is shown, but not while it is hidden. Without a draft or an open form, the page
 * then shows the new version.
 *
 * @param {() => ?Workspace} workspaceNow The open project.
 * @param {() => Promise<unknown>} reloadProjects Reads the marks of projects, and the number of
 *     their change requests.
 * @param {AbortSignal} signal Ends the checks.
 */
export function watchNews(workspaceNow, reloadProjects, signal) {
    const look = async () => {
        const workspace = workspaceNow();
        if (!workspace) return;
        await workspace.checkNewest();
        await reloadProjects();
        if (workspace !== workspaceNow()) return;
        if (workspace.draft || !workspace.isOutdated || isPageLocked()) return;
        let isTaken = false;
        await workspace.load(() => {
            isTaken = workspace === workspaceNow() && !isPageLocked();
            return isTaken;
        });
        if (!isTaken || workspace !== workspaceNow()) return;
        announce(`Version ${workspace.versionNumber} was published by `
            + `${publisherName(workspace.version)}; the page shows it.`);
    };
    const lookNow = poll(look, lookInterval, signal);
    document.addEventListener('visibilitychange', () => lookNow(), {signal});
}
