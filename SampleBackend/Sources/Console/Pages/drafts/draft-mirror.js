/**
 * Copy of a draft in the tab's `sessionStorage`, kept until the server has the draft.
 */

import {jsonText, parseJSON} from '../json/json-text.js';
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
     * @param {string} user
     * @param {string} project
     */
    constructor(user, project) {
        this.#key = ownKey('draft', {user, project});
    }

    /** The stored copy; null without one. */
    read() {
        const text = sessionStorage.getItem(this.#key);
        return text ? parseJSON(text) : null;
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
        sessionStorage.removeItem(this.#key);
    }
}
