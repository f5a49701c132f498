/**
 * Copy of a draft in the tab's `sessionStorage`, kept until the server has the draft.
 */

import {jsonText, storedObject} from '../json/json-text.js';
import {ownKey} from '../storage/stored-data.js';

/**
 * True if the tab has a draft of the user, in any project, that the server lacks.
 *
 * @param {string} user
 */
export function hasUnsavedDrafts(user) {
    const start = ownKey('draft', {user, project: ''});
    return Object.keys(sessionStorage).some((key) => key.startsWith(start));
}

/** The copy of one user's draft of a project. */
export class DraftMirror {
    #key;
    /**
     * The last copy that `keep` stored or tried to store.
     *
     * @type {?{copy: MirroredDraft, isKept: boolean}}
     */
    #last = null;

    /**
     * @param {string} user
     * @param {string} project
     */
    constructor(user, project) {
        this.#key = ownKey('draft', {user, project});
    }

    /**
     * The stored copy; null without one. A damaged one is deleted.
     *
     * @returns {?MirroredDraft}
     */
    read() {
        const kept = storedObject(sessionStorage.getItem(this.#key));
        if (Object.hasOwn(kept, 'draft')) return /** @type {MirroredDraft} */ (kept);
        this.clear();
        return null;
    }

    /**
     * Stores a copy, or deletes it without one; false when it does not fit. An unchanged one is not
     * written again, since a retry would repeat that for a large template every few seconds.
     *
     * @param {?MirroredDraft} copy
     * @param {function(): void} makeRoom Called when the copy does not fit, before another attempt.
     */
    keep(copy, makeRoom) {
        if (!copy) {
            this.clear();
            return true;
        }
        const last = this.#last;
        const isSame = last?.copy.draft?.template === copy.draft?.template
            && last?.copy.draft?.base === copy.draft?.base && last?.copy.saved === copy.saved
            && last?.copy.unanswered === copy.unanswered && last?.copy.version === copy.version;
        if (last && isSame && (!last.isKept || Object.hasOwn(sessionStorage, this.#key))) {
            return last.isKept;
        }
        let isKept = this.write(copy);
        if (!isKept) {
            makeRoom();
            isKept = this.write(copy);
        }
        this.#last = {copy, isKept};
        return isKept;
    }

    /**
     * Stores a copy; false when it does not fit.
     *
     * @param {MirroredDraft} copy
     */
    write(copy) {
        try {
            sessionStorage.setItem(this.#key, jsonText(copy));
            return true;
        } catch {
            return false;
        }
    }

    /** Deletes the copy. */
    clear() {
        this.#last = null;
        sessionStorage.removeItem(this.#key);
    }
}
