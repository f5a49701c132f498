/**
 * Asks for the reason of a publish without the approvals that a protected project needs.
 */

import {field, message} from '../controls/controls.js';
import {dialogForm} from '../controls/dialog-form.js';
import {openDialog} from '../controls/dialog.js';
import {h} from '../controls/dom.js';
import {PageInput} from '../controls/page-input.js';
import {productionNotice} from '../projects/project-details.js';

/**
 * Where the tab keeps the reason until it is used.
 *
 * @param {{user: string, project: string}} workspace
 */
export const reasonInput = (workspace) => new PageInput('bypass', workspace);

/**
 * Asks for the reason; undefined when it was cancelled. The tab keeps what was entered, also if the
 * publish fails.
 *
 * @param {{user: string, project: string}} workspace
 * @param {Project} details
 * @param {string} [what] What is published, with a space behind it; the draft is not named.
 * @returns {Promise<string | undefined>}
 */
export function askReason(workspace, details, what = '') {
    const kept = reasonInput(workspace);
    /** @type {HTMLInputElement} */
    const reason = h('input', {type: 'text', autocomplete: 'off', required: true,
        'data-autofocus': true, value: typeof kept.content === 'string' ? kept.content : '',
        oninput: () => kept.keep(reason.value)});
    return openDialog('Publish without approval?', (close) => dialogForm({
        fields: [
            productionNotice(details, `This publishes ${what}to`),
            message('warning', 'Nobody has to approve this. The history, the audit trail and the '
                + 'change request show your name and the reason.'),
            field('Reason', reason, {hint: 'At most 200 characters.'})],
        action: 'Publish without approval',
        isDangerous: true,
        submit: async () => {
            const text = reason.value.trim();
            if (!text) throw new Error('Nothing was published: give a reason.');
            return text;
        },
    }, close), {isForm: false});
}
