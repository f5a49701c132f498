/**
 * Export of the draft as a file, for example for a publisher who imports it.
 */

import {h} from '../controls/dom.js';
import {draftFile} from './template-transfer.js';

/**
 * Button that saves the draft as a file; disabled without a draft.
 *
 * @param {Pick<PageContext, 'workspace' | 'session' | 'project'>} context
 */
export function draftExport({workspace, session, project}) {
    return h('button', {type: 'button', disabled: !workspace.draft, onclick: () => {
        const {draft} = workspace;
        if (!draft) return;
        const address = URL.createObjectURL(
            new Blob([draftFile(draft, session)], {type: 'application/json'}));
        const link = h('a', {href: address, download: `${project}-draft.json`});
        document.body.append(link);
        link.click();
        link.remove();
        // The browser reads the file after the click.
        setTimeout(() => URL.revokeObjectURL(address), 60_000);
    }}, 'Export the draft');
}
