/**
 * The console's start: finds out who is signed in, and shows the pages.
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

/** Shows the pages to somebody. */
function begin(session) {
    frame?.end();
    frame = new Frame(root, session, () => end('You are signed out.'));
    frame.start();
}

/** Shows the page for signing in. */
function end(notice) {
    frame?.end();
    frame = null;
    document.querySelectorAll('dialog').forEach((dialog) => dialog.remove());
    showSignIn(root, {notice, onSignedIn: begin});
}

/**
 * Whether the token of a link may sign in: a link that somebody sent must not make a browser work
 * under another name without a word.
 *
 * @param {?object} session Who is signed in.
 * @returns {Promise<boolean>} True when nobody is, or when they agree.
 */
async function mayReplace(session) {
    return !session || await ask({
        title: 'Sign in with this link?',
        text: `You are signed in as ${session.name}. The link signs you in with another token; what `
            + 'you publish is then recorded under its name.',
        action: 'Sign in with the link', cancel: `Stay ${session.name}`});
}

/** The session that there is, or null. */
async function sessionIfAny() {
    try {
        return await currentSession();
    } catch (error) {
        if (error instanceof ServerError && error.status === 401) return null;
        throw error;
    }
}

/** Takes up the session, or the token of a link. */
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
