/**
 * Entry point: restores or starts a session, and shows the pages or the sign-in form.
 */

import {ServerError, setSignedOutHandler} from './api.js';
import {message} from './controls.js';
import {ask} from './dialog.js';
import {fill, h} from './dom.js';
import {Frame} from './frame.js';
import {currentSession, signIn, takeTokenOfLink} from './session.js';
import {showSignIn} from './sign-in.js';

const root = document.getElementById('root');
let frame = null;

/** Shows the pages for a session; replaces the frame of an earlier one. */
function begin(session) {
    frame?.end();
    frame = new Frame(root, session, () => end('You are signed out.'));
    frame.start();
}

/** Closes the pages and all dialogs, and shows the sign-in form with an optional notice. */
function end(notice) {
    frame?.end();
    frame = null;
    document.querySelectorAll('dialog').forEach((dialog) => dialog.remove());
    showSignIn(root, {notice, onSignedIn: begin});
}

/**
 * Asks before the token of a link replaces a session. Prevents login CSRF: a link from somebody
 * else must not switch the browser to another account unnoticed.
 *
 * @param {?object} session Current session.
 * @returns {Promise<boolean>} True without a session, or when the user confirms.
 */
async function mayReplace(session) {
    return !session || await ask({
        title: 'Sign in with this link?',
        text: `You are signed in as ${session.name}. The link signs you in with another token; what `
            + 'you publish is then recorded under its name.',
        action: 'Sign in with the link', cancel: `Stay ${session.name}`});
}

/** Current session; null when nobody is signed in. */
async function sessionIfAny() {
    try {
        return await currentSession();
    } catch (error) {
        if (error instanceof ServerError && error.status === 401) return null;
        throw error;
    }
}

/**
 * Signs in with the token of the link if there is one, else continues the current session. Shows
 * the sign-in form if neither is valid.
 */
async function start() {
    const token = takeTokenOfLink();
    try {
        const session = token ? await sessionIfAny() : await currentSession();
        begin(token && await mayReplace(session) ? await signIn(token) : session);
    } catch (error) {
        if (error instanceof ServerError && error.status === 401) {
            end(token ? 'The token of this link is unknown, expired or revoked.' : undefined);
        } else {
            fill(root, h('main', {class: 'sign-in'},
                h('h1', {}, 'ActiveConfig console'), message('error', error.message),
                h('button', {type: 'button', onclick: start}, 'Try again')));
        }
    }
}

setSignedOutHandler(() => {
    if (frame) end('The session has ended. Sign in again; your draft is kept.');
});
start();
