/**
 * What the console keeps in the browser: all keys begin with `activeconfig.`.
 */

import {isDraft, isDraftOfOthers} from './draft-mirror.js';
import {forgetFormsOf, formsKey} from './unfinished-form.js';

const prefix = 'activeconfig.';

/** Key of the last used project, which is of no user. */
export const projectKey = `${prefix}project`;

/**
 * Deletes what is kept of a user, such as the users and signals that were looked at. The tab's
 * unfinished forms and unsaved drafts of others stay, for when they sign in again.
 *
 * @param {string} user Name of the user.
 * @param {{keepsWork?: boolean}} options With `keepsWork`, the tab's unfinished forms and unsaved
 *     drafts of the user stay as well.
 */
export function forgetUser(user, {keepsWork = false} = {}) {
    /** @param {string} key */
    const isKept = (key) => key === projectKey || isDraftOfOthers(key, user)
        || key === formsKey || (keepsWork && isDraft(key));
    if (!keepsWork) forgetFormsOf(user);
    for (const storage of [localStorage, sessionStorage]) {
        for (const key of Object.keys(storage)) {
            if (key.startsWith(prefix) && !isKept(key)) storage.removeItem(key);
        }
    }
}
