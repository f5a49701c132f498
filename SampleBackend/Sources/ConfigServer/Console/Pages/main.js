/**
 * The console's start: finds out who is signed in, and shows the pages.
 */

import {ServerError, setSignedOutHandler} from './api.js';
import {message} from './controls.js';
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

/** Takes up the session, or the token of a link. */
async function start() {
    const token = takeTokenOfLink();
    try {
        begin(token ? await signIn(token) : await currentSession());
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
