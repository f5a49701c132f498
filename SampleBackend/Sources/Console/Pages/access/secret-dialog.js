/**
 * Dialog that shows a new secret, which cannot be shown again.
 */

import {copyText} from '../controls/clipboard.js';
import {field, message} from '../controls/controls.js';
import {ask, openDialog} from '../controls/dialog.js';
import {announce, fill, h} from '../controls/dom.js';

/**
 * Shows a secret with a copy button; resolves when the dialog is closed. Asks before it closes
 * uncopied, except with "Done".
 *
 * @param {{title: string, label: string, secret: string, text: string, link?: string}} options
 *     `label` names the secret's field, `text` is the warning above it, and `link` is an address
 *     with the secret, which signs in.
 */
export function showSecret({title, label, secret, text, link}) {
    let isCopied = false;
    const input = h('input', {type: 'text', readonly: true, class: 'code', value: secret,
        'data-autofocus': true, onfocus: () => input.select(), oncopy: () => {
            isCopied = true;
        }});
    const copy = h('button', {type: 'button', class: 'primary', onclick: async () => {
        if (await copyText(secret)) {
            isCopied = true;
            copy.textContent = 'Copied';
            copy.classList.remove('primary');
            done.classList.add('primary');
            announce(`${label} copied.`);
        } else {
            input.focus();
            input.select();
            announce('Copy the selected text.');
        }
    }}, 'Copy');
    /** @type {HTMLElement | false} */
    const copyLink = link !== undefined && h('button', {type: 'button', onclick: async () => {
        if (await copyText(link)) {
            isCopied = true;
            if (copyLink) fill(copyLink, 'Copied the link');
            announce('Sign-in link copied.');
        } else {
            input.focus();
            input.select();
            announce(`The browser does not copy the link. Copy the selected ${
                label.toLowerCase()}.`);
        }
    }}, 'Copy sign-in link');
    const done = h('button', {type: 'button'}, 'Done');
    return openDialog(title, (close) => {
        done.addEventListener('click', () => close(true));
        return {body: [message('warning', text), field(label, input)],
            actions: [copy, copyLink, done]};
    }, {isForm: false, isDirty: () => !isCopied, question: () => ask({
        title: 'Close without copying?', cancel: 'Back', action: 'Close', isDangerous: true,
        text: `${label} not copied: it cannot be shown again.`})});
}
