/**
 * Modal dialogs, on the browser's `dialog` element, which traps the focus and closes with Escape.
 */

import {fill, focusOn, h, newID} from './dom.js';

/**
 * Opens a dialog. On close, the focus returns to the control that had it; if that is gone, to the
 * one with the same `data-focus`, else to the page's heading.
 *
 * @param {string} title Heading.
 * @param {function(function(*): void): {body: *, actions: *}} build Makes the content; receives the
 *     function that closes the dialog with a result.
 * @param {{isWide?: boolean, mayClose?: function(): Promise<boolean>}} options `mayClose` can veto
 *     closing by Escape or the close button.
 * @returns {Promise<*>} The result; undefined when the dialog was cancelled.
 */
export function openDialog(title, build, {isWide = false, mayClose = async () => true} = {}) {
    const opener = document.activeElement;
    const key = opener?.getAttribute('data-focus');
    const heading = newID('dialog');
    return new Promise((resolve) => {
        let result;
        const close = (value) => {
            result = value;
            dialog.close();
        };
        const leave = async () => {
            if (await mayClose()) close();
        };
        const {body, actions} = build(close);
        const dialog = h('dialog', {
            class: isWide ? 'dialog wide' : 'dialog', 'aria-labelledby': heading,
            oncancel: (event) => {
                event.preventDefault();
                leave();
            },
            onclose: () => {
                dialog.remove();
                if (opener?.isConnected) opener.focus();
                else if (!key || !focusOn(key)) document.querySelector('h1')?.focus();
                resolve(result);
            },
        },
        h('div', {class: 'dialog-header'},
            h('h2', {id: heading}, title),
            h('button', {type: 'button', class: 'quiet icon', 'aria-label': 'Close',
                onclick: leave}, '×')),
        h('div', {class: 'dialog-body'}, body),
        h('div', {class: 'dialog-actions'}, actions));
        document.body.append(dialog);
        dialog.showModal();
        dialog.querySelector('[data-autofocus]')?.focus();
    });
}

/**
 * Asks for a confirmation. The focus starts on the cancel button.
 *
 * @param {{title: string, text: *, action: string, isDangerous?: boolean,
 *     cancel?: string}} question `action` and `cancel` label the buttons.
 * @returns {Promise<boolean>} True when confirmed.
 */
export async function ask({title, text, action, isDangerous = false, cancel = 'Cancel'}) {
    const answer = await openDialog(title, (close) => ({
        body: typeof text === 'string' ? h('p', {}, text) : text,
        actions: [
            h('button', {type: 'button', 'data-autofocus': true, onclick: () => close(false)},
                cancel),
            h('button', {type: 'button', class: isDangerous ? 'danger' : 'primary',
                onclick: () => close(true)}, action),
        ],
    }));
    return answer === true;
}

/**
 * Form of a dialog with an asynchronous action. When the action fails, the dialog stays open and
 * shows the error.
 *
 * @param {{fields: *, action: string, isDangerous?: boolean, submit: function(): Promise<*>,
 *     ready?: Promise<*>}} form The dialog closes with the result of `submit`, or with true when it
 *     has none. Submitting is disabled until `ready` is fulfilled.
 * @param {function(*): void} close Closes the dialog.
 * @returns {{body: *, actions: *}} Content for `openDialog`.
 */
export function dialogForm({fields, action, isDangerous = false, submit, ready}, close) {
    const id = newID('form');
    const problem = h('div', {role: 'alert'});
    const button = h('button', {
        type: 'submit', form: id, class: isDangerous ? 'danger' : 'primary'}, action);
    if (ready) {
        button.disabled = true;
        ready.then(() => {
            button.disabled = false;
        }, () => {});
    }
    const form = h('form', {id, class: 'form', novalidate: true, onsubmit: async (event) => {
        event.preventDefault();
        if (button.disabled) return;
        button.disabled = true;
        try {
            close(await submit() ?? true);
        } catch (error) {
            fill(problem, h('p', {class: 'message error'}, error.message));
        } finally {
            button.disabled = false;
            // A disabled button loses the focus.
            if (document.activeElement === document.body) button.focus();
        }
    }}, fields, problem);
    return {
        body: form,
        actions: [h('button', {type: 'button', onclick: () => close()}, 'Cancel'), button],
    };
}
