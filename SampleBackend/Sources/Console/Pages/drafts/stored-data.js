/**
 * The console's data in the browser; all keys start with `activeconfig.`.
 */

import {forgetFormsOf, formsKey} from '../controls/unfinished-form.js';
import {isDraft, isDraftOfOthers} from './draft-mirror.js';
import {isSteps} from './draft-steps.js';

const prefix = 'activeconfig.';

/** Key of the last used project, independent of the user. */
export const projectKey = `${prefix}project`;

/**
 * Deletes the stored data of a user, such as previewed users and signals. The tab's unfinished
 * forms and unsaved drafts of other users stay until these sign in again.
 *
 * @param {string} user Name of the user.
 * @param {{keepsWork?: boolean}} options With `keepsWork`, the tab's unfinished forms, unsaved
 *     drafts and steps of the user stay as well.
 */
export function forgetUser(user, {keepsWork = false} = {}) {
    /** @param {string} key */
    const isKept = (key) => key === projectKey || isDraftOfOthers(key, user)
        || key === formsKey || (keepsWork && (isDraft(key) || isSteps(key)));
    if (!keepsWork) forgetFormsOf(user);
    for (const storage of [localStorage, sessionStorage]) {
        for (const key of Object.keys(storage)) {
            if (key.startsWith(prefix) && !isKept(key)) storage.removeItem(key);
        }
    }
}
