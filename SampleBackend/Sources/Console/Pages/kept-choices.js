/**
 * The choices of a merge, kept in the tab's storage until the draft is merged, so that they survive
 * a reload.
 */

/** Choices between both sides of the conflicts of one draft, by the conflict's path. */
export class KeptChoices {
    #key;
    #base;

    /**
     * `base` is the version that the draft began with: the choices are of that draft only.
     *
     * @param {string} project
     * @param {string} [base]
     */
    constructor(project, base) {
        this.#key = `activeconfig.merge.${project}`;
        this.#base = base;
        /** @type {Record<string, string>} */
        this.choices = {};
        try {
            const kept = JSON.parse(sessionStorage.getItem(this.#key) ?? 'null');
            if (kept?.base === base) this.choices = Object.fromEntries(kept.choices);
        } catch {
            // Nothing usable was kept.
        }
    }

    keep() {
        try {
            sessionStorage.setItem(this.#key, JSON.stringify(
                {base: this.#base, choices: Object.entries(this.choices)}));
        } catch {
            // A full storage costs only the memory of choices.
        }
    }

    forget() {
        sessionStorage.removeItem(this.#key);
    }
}
