/**
 * The content of open forms, kept in the tab's storage until they are closed, so that it survives a
 * reload.
 */

import {jsonText, parseJSON} from './json-text.js';

/** Key of the stored forms. */
export const formsKey = 'activeconfig.forms';

/**
 * Stores forms, each `{user, project, kind, arguments, content}`; replaces those stored before.
 *
 * @param {object[]} forms The lowest first.
 */
export function keepForms(forms) {
    if (!forms.length) {
        forgetForms();
        return;
    }
    try {
        sessionStorage.setItem(formsKey, jsonText(forms));
    } catch {
        // The storage is full: the browser still asks before the page is left.
    }
}

/** Deletes the stored forms. */
export function forgetForms() {
    sessionStorage.removeItem(formsKey);
}

/** The stored forms of a user and a project, the lowest first. */
export function keptForms(user, project) {
    try {
        const forms = parseJSON(sessionStorage.getItem(formsKey) ?? '[]');
        return forms.filter((form) => form.user === user && form.project === project);
    } catch {
        return [];
    }
}
