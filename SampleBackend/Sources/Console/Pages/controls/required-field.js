/**
 * A field that must be filled: that it is empty is no error before the user had the chance to fill
 * it.
 */

/** When the errors of an empty field are shown: after it was left, or its form was sent. */
export class RequiredField {
    #input;
    #isDue = false;

    /**
     * @param {HTMLInputElement | HTMLTextAreaElement} input
     * @param {() => void} left Called when the field was left empty for the first time.
     */
    constructor(input, left) {
        this.#input = input;
        input.addEventListener('blur', () => {
            // In a window that is left, the field stays the active one.
            if (!this.isPending || document.activeElement === input) return;
            this.send();
            left();
        });
    }

    /** True while the field is empty, and has no error to show yet. */
    get isPending() {
        return !this.#isDue && !this.#input.value.trim();
    }

    /** The form is sent: the field shows its errors from now on. */
    send() {
        this.#isDue = true;
    }
}
