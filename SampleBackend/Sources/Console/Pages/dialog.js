/**
 * Dialogs: the browser's own, which keep the focus inside and end with Escape.
 */

import {fill, focusOn, h, newID} from './dom.js';

/**
 * Opens a dialog; the control that had the focus gets it back.
 *
 * @param {string} title The heading.
 * @param {function(function(*): void): {body: *, actions: *}} build Makes the content; gets the
 *     function that closes the dialog with a result.
 * @param {{isWide?: boolean, mayClose?: function(): Promise<boolean>}} options `mayClose` is asked
 *     before Escape or the cross close the dialog.
 * @returns {Promise<*>} The result; undefined when it was left.
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
 * Asks a question.
 *
 * @param {{title: string, text: *, action: string, isDangerous?: boolean, cancel?: string}} question
 *     The words; `action` is the button that says yes.
 * @returns {Promise<boolean>} Whether the answer is yes.
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
 * A form of a dialog that does something on the server: its error is shown in the dialog, which
 * stays open.
 *
 * @param {{fields: *, action: string, isDangerous?: boolean, submit: function(): Promise<*>,
 *     ready?: Promise<*>}} form `submit` does the work; the dialog closes with what it answers.
 *     Nothing can be submitted until `ready` is fulfilled.
 * @param {function(*): void} close Closes the dialog.
 * @returns {{body: *, actions: *}} What `openDialog` needs.
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
