/**
 * The dialog that shows a secret this once.
 */

import {field, message} from './controls.js';
import {openDialog} from './dialog.js';
import {announce, h} from './dom.js';

/**
 * Shows a secret with a button that copies it.
 *
 * @param {{title: string, label: string, secret: string, text: string}} options The words.
 */
export function showSecret({title, label, secret, text}) {
    const input = h('input', {type: 'text', readonly: true, class: 'code', value: secret,
        'data-autofocus': true, onfocus: () => input.select()});
    const copy = h('button', {type: 'button', class: 'primary', onclick: async () => {
        try {
            await navigator.clipboard.writeText(secret);
            copy.textContent = 'Copied';
            announce(`${label} copied.`);
        } catch {
            // Without a secure connection there is no clipboard: the secret is selected, ready to
            // copy.
            input.focus();
            input.select();
            announce('Copy the selected text.');
        }
    }}, 'Copy');
    return openDialog(title, (close) => ({
        body: [message('warning', text), field(label, input)],
        actions: [copy, h('button', {type: 'button', onclick: () => close()}, 'Done')],
    }));
}
