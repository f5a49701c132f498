/**
 * Form of a dialog whose action is a request.
 */

import {openDialog} from './dialog.js';
import {fill, h, newID} from './dom.js';

/** Milliseconds after which a form says that its request still runs. */
const slow = 5000;

/**
 * Form of a dialog with an asynchronous action. While the action runs, the dialog cannot be left,
 * since the server may execute it anyway. When it fails, the dialog stays open and shows the error.
 *
 * @param {{fields: *, action: string, isDangerous?: boolean, submit: function(): Promise<*>,
 *     ready?: Promise<*>, mayLeave?: () => boolean}} form The dialog closes with the result of
 *     `submit`, or with true when it has none. Submitting is disabled until `ready` is fulfilled.
 *     `mayLeave` is true when the running action need not be waited for.
 * @param {(value?: unknown) => void} close Closes the dialog.
 * @returns {DialogContent} Content for `openDialog`.
 */
export function dialogForm({fields, action, isDangerous = false, submit, ready,
    mayLeave = () => false}, close) {
    const id = newID('form');
    const problem = h('div', {role: 'alert'});
    const progress = h('p', {class: 'muted', role: 'status'});
    let isRunning = false;
    const button = h('button', {
        type: 'submit', form: id, class: isDangerous ? 'danger' : 'primary'}, action);
    if (ready) {
        button.disabled = true;
        ready.then(() => {
            button.disabled = false;
        }, () => {});
    }
    /** @param {string} text */
    const showProgress = (text) => {
        progress.textContent = `“${action}” is running${text}`;
        progress.scrollIntoView({block: 'nearest'});
    };
    /** @param {boolean} isStarting */
    const setRunning = (isStarting) => {
        isRunning = isStarting;
        button.disabled = isStarting;
        button.setAttribute('aria-busy', String(isStarting));
        progress.textContent = '';
    };
    const form = h('form', {id, class: 'form', novalidate: true, onsubmit: async (event) => {
        event.preventDefault();
        if (button.disabled) return;
        setRunning(true);
        fill(problem);
        const timer = setTimeout(() => mayLeave() || showProgress(
            '. The server has not answered yet; the console waits for the outcome.'), slow);
        try {
            const result = await submit() ?? true;
            isRunning = false;
            close(result);
        } catch (error) {
            fill(problem, h('p', {class: 'message error'}, error.message));
        } finally {
            clearTimeout(timer);
            setRunning(false);
            // A disabled button loses the focus.
            if (document.activeElement === document.body) button.focus();
        }
    }}, fields, problem, progress);
    return {
        body: form,
        actions: [h('button', {type: 'button', onclick: () => close()}, 'Cancel'), button],
        isBusy: () => {
            const isBusy = isRunning && !mayLeave();
            if (isBusy) {
                showProgress(' and can no longer be cancelled. This dialog closes when the server '
                    + 'has answered.');
            }
            return isBusy;
        },
    };
}

/**
 * Asks for a confirmation, then sends the request, as a form does: it can be left only before. The
 * focus starts on the cancel button.
 *
 * @param {{title: string, text: *, action: string, isDangerous?: boolean,
 *     submit: function(): Promise<*>}} question
 * @returns {Promise<boolean>} True when the request has succeeded.
 */
export async function confirmRequest({title, text, action, isDangerous = true, submit}) {
    return await openDialog(title, (close) => {
        const content = dialogForm({
            fields: typeof text === 'string' ? h('p', {}, text) : text, action, isDangerous,
            submit: async () => {
                await submit();
                return true;
            }}, close);
        /** @type {HTMLElement[]} */ (content.actions)[0].dataset.autofocus = 'true';
        return content;
    }) === true;
}
