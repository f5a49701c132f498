/**
 * Folded sections in the list of settings.
 */

/**
 * Folded sections of a project, kept while the tab is open: a view of what all users of the project
 * see, so they belong to none.
 */
export class Folds {
    #key;
    #tokens;

    /** @param {string} project */
    constructor(project) {
        this.#key = `activeconfig.folds.${project}`;
        try {
            this.#tokens = new Set(JSON.parse(sessionStorage.getItem(this.#key) ?? '[]') ?? []);
        } catch {
            this.#tokens = new Set();
        }
    }

    /** @param {string} token */
    has(token) {
        return this.#tokens.has(token);
    }

    /**
     * Folds or unfolds sections.
     *
     * @param {string[]} tokens
     * @param {boolean} isFolded
     */
    set(tokens, isFolded) {
        for (const token of tokens) this.#tokens[isFolded ? 'add' : 'delete'](token);
        try {
            sessionStorage.setItem(this.#key, JSON.stringify([...this.#tokens]));
        } catch {
            // If the storage is full, only the fold state is lost.
        }
    }
}
