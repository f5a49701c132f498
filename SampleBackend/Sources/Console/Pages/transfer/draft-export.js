/**
 * Export of the draft as a file, for example for a publisher who imports it.
 */

import {h} from '../controls/dom.js';
import {draftFile} from './template-transfer.js';

/**
 * Button that saves the draft as a file; disabled without a draft.
 *
 * @param {{workspace: Workspace, session: {name: string}, project: string}} context
 * @param {string} [label]
 */
export function draftExport({workspace, session, project}, label = 'Export the draft') {
    return h('button', {type: 'button', disabled: !workspace.draft, onclick: () => {
        const {draft} = workspace;
        if (!draft) return;
        const address = URL.createObjectURL(
            new Blob([draftFile(draft, session, project)], {type: 'application/json'}));
        const link = h('a', {href: address, download: `${project}-draft.json`});
        document.body.append(link);
        link.click();
        link.remove();
        // The browser reads the file after the click.
        setTimeout(() => URL.revokeObjectURL(address), 60_000);
    }}, label);
}

/**
 * Buttons that save drafts as files, before someone else continues in the tab.
 *
 * @param {Workspace[]} workspaces Those that have a draft.
 * @param {string} user
 */
export function draftDownloads(workspaces, user) {
    return workspaces.map((workspace) => draftExport(
        {workspace, session: {name: user}, project: workspace.project},
        `Download the edits${workspaces.length > 1 ? ` of ${workspace.project}` : ''}`));
}
