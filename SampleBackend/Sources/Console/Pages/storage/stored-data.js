/**
 * Keys of the console's entries in the browser's storages, which users of a browser share: what
 * someone entered has the user in its key, so that it is never shown to the next one.
 *
 * | kind           | storage        | what                                          | is work |
 * | -------------- | -------------- | --------------------------------------------- | ------- |
 * | `draft`        | sessionStorage | a draft that the server lacks                 | yes     |
 * | `steps`        | sessionStorage | steps of the draft, for undo                  | yes     |
 * | `forms`        | sessionStorage | open forms                                    | yes     |
 * | `page-…`       | sessionStorage | input of a page that was not used yet         | yes     |
 * | `merge`        | sessionStorage | choices of a merge                            | yes     |
 * | `user`         | sessionStorage | the user that was previewed last              | no      |
 * | `impact`       | localStorage   | users that the review previews                | no      |
 * | `palette`      | localStorage   | last choices in the command palette           | no      |
 *
 * Work stays until its user takes it up or signs out. Two entries belong to no user: the last
 * opened project (`projectKey`), and the folded sections (`settings/folds.js`).
 */

/** @typedef {'draft' | 'steps' | 'forms' | 'merge' | 'user' | 'impact' | 'palette'} PlainKind */
/** @typedef {PlainKind | `page-${string}`} Kind */

const prefix = 'activeconfig.';

/** Key of the last opened project, independent of the user. */
export const projectKey = `${prefix}project`;

const work = new Set(['draft', 'steps', 'forms', 'merge']);

const encoded = (/** @type {string} */ user) => encodeURIComponent(user).replaceAll('.', '%2E');

/**
 * Key of a user's entry of a kind in a project.
 *
 * @param {Kind} kind
 * @param {{user: string, project: string}} owner
 */
export function ownKey(kind, {user, project}) {
    return `${prefix}${kind}.${encoded(user)}.${project}`;
}

/**
 * True for the key of a user's entry.
 *
 * @param {string} key
 * @param {string} user
 */
export function isOwn(key, user) {
    return key.startsWith(prefix) && key.split('.')[2] === encoded(user);
}

/**
 * True for the key of an entry that is deleted when a user signs out: all of the console except the
 * last project and the work of other users.
 *
 * @param {string} key
 * @param {string} user
 * @param {boolean} keepsWork
 */
function isForgotten(key, user, keepsWork) {
    if (!key.startsWith(prefix) || key === projectKey) return false;
    const [, kind] = key.split('.');
    const isWork = work.has(kind) || kind.startsWith('page-');
    return !isWork || (!keepsWork && isOwn(key, user));
}

/**
 * Deletes the stored entries when a user signs out.
 *
 * @param {string} user Name of the user.
 * @param {{keepsWork?: boolean}} options With `keepsWork`, the work of the user stays as well.
 */
export function forgetUser(user, {keepsWork = false} = {}) {
    for (const storage of [localStorage, sessionStorage]) {
        for (const key of Object.keys(storage)) {
            if (isForgotten(key, user, keepsWork)) storage.removeItem(key);
        }
    }
}
