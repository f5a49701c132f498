/**
 * The choices of a merge, stored in the tab until the draft is merged, so that they survive a
 * reload.
 */

/** Chosen sides for the conflicts of one draft, by the conflict's path. */
export class KeptChoices {
    #key;
    #base;

    /**
     * `base` is the version on which the draft is based; the choices apply to that draft only.
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
            // Nothing usable was stored.
        }
    }

    keep() {
        try {
            sessionStorage.setItem(this.#key, JSON.stringify(
                {base: this.#base, choices: Object.entries(this.choices)}));
        } catch {
            // If the storage is full, only the choices are not remembered.
        }
    }

    forget() {
        sessionStorage.removeItem(this.#key);
    }
}
