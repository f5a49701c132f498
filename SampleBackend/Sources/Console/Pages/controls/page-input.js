/**
 * What was entered in the form of a page but not used yet, stored in the tab until it is used: it
 * survives other pages and a reload. Dialogs have `unfinished-form.js`.
 */

import {jsonText, parseJSON} from '../json/json-text.js';
import {isOwn, ownKey} from '../storage/stored-data.js';

/** Maximum length of a stored text; a longer one only stays until the page is unloaded. */
const maximumLength = 1 << 20;

/**
 * Texts that are too long to be stored, by key.
 *
 * @type {Map<string, string>}
 */
const unstored = new Map();

/** Asks before the page is unloaded with texts that are not stored. */
function askBefore(/** @type {BeforeUnloadEvent} */ event) {
    if (unstored.size) event.preventDefault();
}

/** Asks before the page is unloaded while there are texts that are not stored. */
function watchUnload() {
    if (unstored.size) globalThis.addEventListener?.('beforeunload', askBefore);
    else globalThis.removeEventListener?.('beforeunload', askBefore);
}

/**
 * Forgets the texts of a user that are not stored.
 *
 * @param {string} user
 */
export function forgetInputOf(user) {
    for (const key of unstored.keys()) if (isOwn(key, user)) unstored.delete(key);
    watchUnload();
}

/** The input of one form of a user and a project. */
export class PageInput {
    #key;

    /**
     * @param {string} page
     * @param {{user: string, project: string}} workspace
     */
    constructor(page, workspace) {
        this.#key = ownKey(`page-${page}`, workspace);
    }

    /** What was kept; null if nothing was. */
    get content() {
        try {
            return parseJSON(
                unstored.get(this.#key) ?? sessionStorage.getItem(this.#key) ?? 'null');
        } catch {
            return null;
        }
    }

    /** @param {unknown} content */
    keep(content) {
        const text = jsonText(content);
        this.forget();
        try {
            if (text.length > maximumLength) throw new Error('The text is too long.');
            sessionStorage.setItem(this.#key, text);
        } catch {
            unstored.set(this.#key, text);
            watchUnload();
        }
    }

    forget() {
        unstored.delete(this.#key);
        watchUnload();
        sessionStorage.removeItem(this.#key);
    }
}
