/**
 * The content of open forms, stored in the tab until they are closed, so that it survives a reload.
 */

import {jsonText, parseJSON} from '../json/json-text.js';

/** Key of the stored forms. */
export const formsKey = 'activeconfig.forms';

/** All valid stored forms. */
function storedForms() {
    try {
        const forms = parseJSON(sessionStorage.getItem(formsKey) ?? '[]');
        return Array.isArray(forms) ? forms.filter((form) => form?.kind) : [];
    } catch {
        return [];
    }
}

/**
 * Stores the forms of a user and a project, each `{user, project, kind, arguments, content}`;
 * replaces the earlier ones, and keeps those of other owners.
 *
 * @param {{user: string, project: string}} owner The user and the project.
 * @param {KeptForm[]} forms In stacking order, lowest first.
 */
export function keepForms({user, project}, forms) {
    const others = storedForms().filter((form) => form.user !== user || form.project !== project);
    const all = [...others, ...forms];
    if (!all.length) {
        forgetForms();
        return;
    }
    try {
        sessionStorage.setItem(formsKey, jsonText(all));
    } catch {
        // The storage is full: the browser still asks before the page is left.
    }
}

/** Deletes the stored forms. */
function forgetForms() {
    sessionStorage.removeItem(formsKey);
}

/**
 * Deletes the stored forms of a user.
 *
 * @param {string} user
 */
export function forgetFormsOf(user) {
    const others = storedForms().filter((form) => form.user !== user);
    if (others.length) sessionStorage.setItem(formsKey, jsonText(others));
    else forgetForms();
}

/**
 * The stored forms of a user and a project, lowest first.
 *
 * @param {string} user
 * @param {string} project
 */
export function keptForms(user, project) {
    return storedForms().filter((form) => form.user === user && form.project === project);
}
