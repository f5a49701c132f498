/**
 * Button that copies a text.
 */

import {copyText} from './clipboard.js';
import {announce, h} from './dom.js';

/**
 * Creates the button.
 *
 * @param {string} label Text of the button.
 * @param {function(): string} text Returns what is copied.
 * @param {Attributes} attributes Further attributes.
 */
export function copyButton(label, text, attributes = {}) {
    const button = h('button', {type: 'button', ...attributes, onclick: async () => {
        const isCopied = await copyText(text());
        button.textContent = isCopied ? 'Copied' : 'The browser does not let this page copy';
        announce(`${button.textContent}.`);
        setTimeout(() => {
            button.textContent = label;
        }, 2000);
    }}, label);
    return button;
}
