/**
 * Keeping a form that the server still checks: the click waits for the result instead of being lost.
 */

/** @typedef {import('../server/validation.js').LiveValidation} LiveValidation */

/**
 * True if no other dialog, such as a question, is open above an element's.
 *
 * @param {Element} element
 */
function isOnTop(element) {
    const dialogs = document.querySelectorAll('dialog[open]');
    return dialogs[dialogs.length - 1]?.contains(element) ?? false;
}

/** The submit button of a form with its check. */
export class CheckedKeep {
    #isWaiting = false;

    /**
     * @param {LiveValidation} validation Check of the form; its report disables the button if there
     *     are problems.
     * @param {HTMLButtonElement} button
     * @param {HTMLElement} [state] Element for the state of the check.
     */
    constructor(validation, button, state) {
        this.validation = validation;
        this.button = button;
        this.state = state;
    }

    /**
     * Waits for a running check; false if the form has problems, the first of which is then focused,
     * or if it was edited or left meanwhile.
     */
    async isReady() {
        if (this.#isWaiting) return false;
        if (this.validation.isChecking) {
            if (this.state) this.state.textContent = 'Checking … It is kept as soon as it is checked.';
            this.#isWaiting = true;
            const isChecked = await this.validation.settled();
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
