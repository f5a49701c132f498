/**
 * The content of open forms, stored in the tab until they are closed, so that it survives a reload.
 */

import {jsonText, parseJSON} from '../json/json-text.js';
import {ownKey} from '../storage/stored-data.js';

/**
 * Stores the forms of a page, a user and a project; replaces the page's earlier ones.
 *
 * @param {{user: string, project: string}} owner The user and the project.
 * @param {string} page Path of the page.
 * @param {KeptForm[]} opened In stacking order, lowest first.
 */
export function keepForms(owner, page, opened) {
    const key = ownKey('forms', owner);
    const forms = [...keptForms(owner.user, owner.project).filter((form) => form.page !== page),
        ...opened];
    if (!forms.length) {
        sessionStorage.removeItem(key);
        return;
    }
    try {
        sessionStorage.setItem(key, jsonText(forms));
    } catch {
        // The storage is full: the browser still asks before the page is left.
    }
}

/**
 * The valid stored forms of a user and a project, lowest first.
 *
 * @param {string} user
 * @param {string} project
 * @returns {KeptForm[]}
 */
export function keptForms(user, project) {
    try {
        const text = sessionStorage.getItem(ownKey('forms', {user, project}));
        const forms = parseJSON(text ?? '[]');
        return Array.isArray(forms) ? forms.filter((form) => form?.kind) : [];
    } catch {
        return [];
    }
}
