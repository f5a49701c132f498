/**
 * Copying texts.
 */

import {h} from './dom.js';

/**
 * Copies a text to the clipboard. Browsers offer the clipboard only to pages in secure contexts,
 * and can deny it; then selects the text in a hidden field and uses the older copy command.
 *
 * @param {string} text
 * @returns {Promise<boolean>} False when the browser does not let the page copy.
 */
export async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        const focused = /** @type {?HTMLElement} */ (document.activeElement);
        const field = h('textarea', {readonly: true, class: 'visually-hidden',
            'aria-hidden': 'true', value: text});
        // An open dialog prevents selection outside of it.
        (focused?.closest('dialog') ?? document.body).append(field);
        field.select();
        const isCopied = document.execCommand('copy');
        field.remove();
        focused?.focus();
        return isCopied;
    }
}
