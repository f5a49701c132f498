/**
 * Versions that are published while a page is open, also beside a draft, with which the workspace
 * keeps its version.
 */

/** @param {Workspace} workspace */
const newestOf = ({newestVersion}) => Number(newestVersion?.versionNumber ?? 0);

/**
 * Calls an action for each newer version that the workspace learns of.
 *
 * @param {Workspace} workspace
 * @param {AbortSignal} signal Ends the calls.
 * @param {() => unknown} action
 */
export function onNewVersion(workspace, signal, action) {
    let known = newestOf(workspace);
    workspace.addEventListener('change', () => {
        const newest = newestOf(workspace);
        if (newest <= known) return;
        known = newest;
        action();
    }, {signal});
}
