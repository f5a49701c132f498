/**
 * Signing out, which may lose edits.
 */

import {ask} from '../controls/dialog.js';
import {h} from '../controls/dom.js';
import {forgetInputOf} from '../controls/page-input.js';
import {replaceFragment} from '../routing/address-bar.js';
import {ServerError} from '../server/api.js';
import {signOut} from '../server/session.js';
import {forgetUser} from '../storage/stored-data.js';
import {draftDownloads} from '../transfer/draft-export.js';

/**
 * Signs out; asks first when that loses edits that the server does not have.
 *
 * @param {string} user
 * @param {import('../drafts/workspaces.js').Workspaces} workspaces
 * @param {AbortSignal} ended Aborted when the pages of the user end.
 * @returns {Promise<?string>} A sentence about the draft or ""; null if the user is still signed
 *     in.
 */
export async function signOutUser(user, workspaces, ended) {
    await workspaces.saved();
    // Another user may have signed in while the draft was saved.
    if (ended.aborted) return null;
    if (workspaces.isUnsaved && !await ask({
        title: 'Sign out?', text: [
            h('p', {}, 'Your last changes are not saved on the server. Signing out loses them.'),
            h('div', {class: 'actions'}, draftDownloads(workspaces.withDraft, user))],
        action: 'Lose them and sign out', isDangerous: true})) return null;
    const hasDraft = Boolean(workspaces.open?.draft);
    /** @type {?string} */
    let atProvider;
    try {
        atProvider = await signOut();
    } catch (error) {
        const advice = error instanceof ServerError && error.status === 403
            ? ' If another session has begun in this browser, sign out again to end that.' : '';
        await ask({title: 'Not signed out', text: error.message + advice, action: 'OK',
            cancel: 'Close'});
        return null;
    }
    workspaces.stop();
    forgetUser(user);
    forgetInputOf(user);
    replaceFragment('');
    if (atProvider) location.assign(atProvider);
    return hasDraft ? ' Your draft is kept for when you sign in again.' : '';
}
