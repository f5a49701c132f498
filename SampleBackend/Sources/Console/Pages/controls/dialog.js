/**
 * Modal dialogs, on the browser's `dialog` element, which traps the focus.
 *
 * A dialog with unsaved input asks before it closes, whether by Escape, its button, the browser's
 * Back, another address, or unloading the page. While its request runs, it stays open: closing it
 * would hide the outcome.
 */

import {focusOn, h, newID} from './dom.js';
import {focusHeading} from './focus.js';
import {hold, isPageLocked, release} from './held-entry.js';
import {enter} from '../routing/address-bar.js';
import {currentRoute} from '../routing/router.js';
import {keepForms} from './unfinished-form.js';

/** Milliseconds from the last edit until the form's content is stored. */
const pause = 300;

/**
 * Open dialogs, the topmost last.
 *
 * @type {{isDirty: () => boolean, leave: () => Promise<boolean>, form?: DialogForm,
 *     end: () => void, onAddress: (entered: EnteredAddress) => void}[]}
 */
const opened = [];

/** The topmost dialog; undefined when none is open. */
const topmost = () => opened[opened.length - 1];

/** Stores the open, edited forms, in place of those stored earlier for their projects. */
function storeForms() {
    const forms = opened.flatMap(({form, isDirty}) => (form ? [{form, isDirty}] : []));
    if (!forms.length) return;
    const page = currentRoute().path;
    keepForms(forms[0].form, page, forms.filter(({isDirty}) => isDirty())
        .map(({form}) => ({...form, page, content: form.content()})));
}

/**
 * Closes the topmost dialog because of Back or another address, then navigates there.
 *
 * @param {?EnteredAddress} entered
 */
async function leaveTo(entered) {
    const isLast = opened.length === 1;
    if (entered) topmost()?.onAddress(entered);
    if (await topmost()?.leave() && isLast && entered) enter(entered);
}

/** Starts to store edited forms when the page is unloaded, after the browser has asked. */
export function watchUnload() {
    window.addEventListener('beforeunload', (event) => {
        if (opened.some(({isDirty}) => isDirty())) event.preventDefault();
    });
    window.addEventListener('pagehide', () => {
        storeForms();
    });
}

/** Closes all dialogs without asking; keeps the input for its user. */
export async function endDialogs() {
    storeForms();
    for (const {end} of opened.splice(0)) end();
    if (isPageLocked()) await release();
}

/** Asks whether to discard a form with unsaved input. */
const inputQuestion = () => ask({title: 'Discard your input?', action: 'Discard',
    text: 'What you changed in this form is lost.', cancel: 'Keep editing', isDangerous: true});

/**
 * Opens a dialog. On close, the focus returns to the control that had it; if that is gone, to the
 * control with the same `data-focus`, else to the page's heading.
 *
 * @param {string} title Heading.
 * @param {(close: (value?: unknown) => void) => DialogContent} build
 *     Builds the content; receives the function that closes the dialog with a result. Without a
 *     result, that function asks before it discards input. The content's `isBusy` is called
 *     before the dialog is left: true keeps it open.
 * @param {{isWide?: boolean, isRequired?: boolean, isForm?: boolean, isDirty?: function(): boolean,
 *     onAddress?: function(EnteredAddress): void, form?: DialogForm,
 *     question?: () => Promise<boolean>}} options `isForm` is false if what is
 *     entered is not lost, as a search. `isRequired` leaves no way to close it but its own buttons,
 *     or `onAddress`, which receives an address that was entered. `isDirty` says
 *     whether closing loses something, in addition to what was entered in the dialog's controls.
 *     `form`, as `{user, project, kind, arguments, content}`, opens again for that user with what
 *     the function `content` returned, when the page is loaded anew. `question` asks whether to
 *     close a dirty dialog.
 * @returns {Promise<*>} The result; undefined when the dialog was cancelled.
 */
export function openDialog(title, build, options = {}) {
    const {isWide = false, isRequired = false, isForm = true, isDirty = () => false,
        onAddress = () => {}, form, question = inputQuestion} = options;
    const opener = /** @type {?HTMLElement} */ (document.activeElement);
    const key = opener?.getAttribute('data-focus');
    const heading = newID('dialog');
    return new Promise((resolve) => {
        let isTouched = false;
        let isClosing = false;
        let isAsking = false;
        let timer = 0;

        /** @param {unknown} [value] */
        const finish = async (value) => {
            if (isClosing) return;
            isClosing = true;
            clearTimeout(timer);
            if (form) storeForms();
            // A question about this dialog has no subject any more.
            for (const above of opened.splice(opened.indexOf(self) + 1)) above.end();
            // Release before closing, so that nothing navigates while the entry is removed.
            if (opened.length === 1) await release();
            // The dialog was ended meanwhile.
            if (!dialog.isConnected) return;
            dialog.close();
            // Not in the event `close`, which comes later: a key pressed until then belongs to what
            // is below the dialog.
            dialog.remove();
            opened.splice(opened.indexOf(self), 1);
            if (opener?.isConnected) opener.focus();
            if (document.activeElement !== opener || opener === document.body) {
                if (!key || !focusOn(key)) focusHeading();
            } else {
                // The dialog may have moved it, and the browser focuses it without scrolling.
                opener?.scrollIntoView({block: 'nearest'});
            }
            resolve(value);
        };
        /** Closes the dialog unless the user wants to keep editing; true when it closes. */
        const leave = async () => {
            if (isRequired || isAsking || isClosing || isBusy()) return false;
            isAsking = true;
            const isFree = !self.isDirty() || await question();
            isAsking = false;
            if (isFree) await finish();
            return isFree;
        };
        const self = {
            leave, onAddress, form, isDirty: () => !isClosing && (isTouched || isDirty()),
            end: () => {
                isClosing = true;
                clearTimeout(timer);
                dialog.remove();
                resolve(undefined);
            },
        };
        const touch = () => {
            isTouched = isForm && !isRequired;
            clearTimeout(timer);
            if (form) timer = setTimeout(storeForms, pause);
        };
        const {body, actions, isBusy = () => false} = build(
            (value) => (value === undefined ? leave() : finish(value)));
        const dialog = h('dialog', {
            class: isWide ? 'dialog wide' : 'dialog', 'aria-labelledby': heading,
            onkeydown: (event) => {
                if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return;
                // Browsers close a dialog at the second Escape even if the first was prevented.
                event.preventDefault();
                leave();
            },
            oncancel: (event) => {
                // A file chooser that is closed dispatches `cancel` as well.
                if (event.target !== dialog) return;
                event.preventDefault();
                leave();
            },
            onclose: () => {
                if (isClosing) return;
                // The browser closed it without asking.
                dialog.showModal();
                leave();
            },
        },
        h('div', {class: 'dialog-header'},
            h('h2', {id: heading}, title),
            !isRequired && h('button', {type: 'button', class: 'quiet icon', 'aria-label': 'Close',
                onclick: leave}, '×')),
        h('div', {class: 'dialog-body', oninput: touch, onchange: touch}, body),
        h('div', {class: 'dialog-actions'}, actions));
        document.body.append(dialog);
        opened.push(self);
        hold(leaveTo);
        dialog.showModal();
        /** @type {?HTMLElement} */ (dialog.querySelector('[data-autofocus]'))?.focus();
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
