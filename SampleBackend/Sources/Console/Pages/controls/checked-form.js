/**
 * Form whose content the server checks while it is edited, and which keeps it in the draft.
 */

import {acceptance, LiveValidation, sentence} from '../server/validation.js';
import {count} from '../text/formats.js';
import {openDialog} from './dialog.js';
import {announce, h, newID} from './dom.js';

/**
 * True if no other dialog, such as a question, is open above an element's.
 *
 * @param {Element} element
 */
function isOnTop(element) {
    const dialogs = document.querySelectorAll('dialog[open]');
    return dialogs[dialogs.length - 1]?.contains(element) ?? false;
}

/** The check of a form, its submit button, and its dialog. */
export class CheckedForm {
    #id = newID('form');
    #isEdited = false;
    #isWaiting = false;
    #workspace;
    #validation;
    /** True while the form shows a doubt about a value that the server accepts. */
    isDoubtful = () => false;
    /** State of the check, for the form. */
    state = h('p', {class: 'check-state', role: 'status'});
    button = h('button', {type: 'submit', form: this.#id, class: 'primary'}, 'Keep in the draft');

    /**
     * @param {Workspace} workspace Workspace whose template is edited.
     * @param {(problems: Problem[]) => Problem[]} ownOf Those problems of the template that are the
     *     form's; with any of them, it cannot be kept.
     * @param {(own: Problem[]) => Problem[] | void} show Shows the form's problems at their fields;
     *     returns those of required fields, which wait until these are left.
     */
    constructor(workspace, ownOf, show) {
        this.#workspace = workspace;
        this.#validation = new LiveValidation(workspace, ({state, problems, message}) => {
            const own = ownOf(problems);
            this.button.disabled = own.length > 0;
            const waiting = state === 'checking' ? [] : show(own) ?? [];
            this.state.textContent = state === 'checking' ? 'Checking …'
                : state === 'unknown' ? `It could not be checked: ${message} You can keep it; the `
                    + 'server checks it again before publishing.'
                    : own.length ? own.length === waiting.length ? sentence(waiting[0])
                        : `${count(own.length, 'problem')} to fix before you can keep it.`
                        : acceptance(problems, this.isDoubtful());
        });
    }

    /**
     * Checks a template after an edit of the form.
     *
     * @param {Template} template
     */
    check(template) {
        this.#isEdited = true;
        this.#validation.check(template);
    }

    /**
     * Disables the button after an edit that cannot be kept.
     *
     * @param {string} [reason] For the state, unless a field has it.
     */
    refuse(reason = '') {
        this.#isEdited = true;
        this.#validation.stop();
        this.button.disabled = true;
        this.state.textContent = reason;
    }

    /**
     * Opens the dialog; resolves to true when its content is in the draft.
     *
     * @param {string} title
     * @param {{fields: unknown, isComplete: () => boolean, name: () => string, isWide?: boolean,
     *     result: () => {template: Template, conflicts?: TreePath[]}}
     *     & Pick<DialogForm, 'kind' | 'arguments' | 'content'>} options `isComplete` focuses what
     *     is missing; `name` is that of the edited item; `result` is the draft with it, and what
     *     it replaces of others. The rest is the `form` of `openDialog`.
     * @returns {Promise<true | undefined>}
     */
    async open(title, {fields, isComplete, name, isWide = true, result, ...form}) {
        const {user, project} = this.#workspace;
        /** @param {(isKept: true) => void} close */
        const keep = async (close) => {
            if (!isComplete() || !await this.#isReady()) return;
            const {template, conflicts} = result();
            this.#workspace.edit(template, conflicts);
            announce(`${name()} added to the draft.`);
            close(true);
        };
        const isKept = await openDialog(title, (close) => ({
            body: h('form', {id: this.#id, class: 'form', novalidate: true, onsubmit: (event) => {
                event.preventDefault();
                keep(close);
            }}, fields),
            actions: [h('button', {type: 'button', onclick: () => close()}, 'Cancel'), this.button],
        }), {isWide, isDirty: () => this.#isEdited, form: {user, project, ...form}});
        this.#validation.stop();
        return isKept;
    }

    /**
     * Waits for a running check, so that the click is not lost; false if the form has problems, the
     * first of which is then focused, or if it was edited or left meanwhile.
     */
    async #isReady() {
        if (this.#isWaiting) return false;
        if (this.#validation.isChecking) {
            this.state.textContent = 'Checking … It is kept as soon as it is checked.';
            this.#isWaiting = true;
            const isChecked = await this.#validation.settled();
            this.#isWaiting = false;
            if (!isChecked || !isOnTop(this.button)) return false;
        }
        if (!this.button.disabled) return true;
        /** @type {?HTMLElement | undefined} */
        const wrong = this.button.form?.querySelector('[aria-invalid="true"]');
        wrong?.focus();
        return false;
    }
}
