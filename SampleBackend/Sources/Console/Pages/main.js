/**
 * Entry point: shows the pages of a session, or the sign-in form, and follows the session.
 */

import {setCSRFToken, setForbiddenHandler, setSignedOutHandler} from './api.js';
import {message} from './controls.js';
import {ask, endDialogs, watchUnload} from './dialog.js';
import {fill, h} from './dom.js';
import {watchFocus} from './focus.js';
import {Frame} from './frame.js';
import {watchHistory} from './held-entry.js';
import {pages} from './pages.js';
import {watchPresses} from './press.js';
import {pathsToOpen} from './projects.js';
import {currentRoute} from './router.js';
import {currentSession, onSessionElsewhere, signIn, takeTokenOfLink} from './session.js';
import {SessionController} from './session-controller.js';
import {showSignIn, signInAgain} from './sign-in.js';
import {forgetUser} from './stored-data.js';

const root = /** @type {HTMLElement} */ (document.getElementById('root'));

const controller = new SessionController({
    ask, currentSession, endDialogs, forgetUser, setCSRFToken, setSignedOutHandler, signIn,
    signInAgain, firstSession: () => currentSession(pathsToOpen(currentRoute().project)),
    fragment: () => location.hash,
    reload: () => location.reload(),
    pagesOf: (session, onSignedOut) => new Frame(root, session, onSignedOut),
    showSignIn: (notice, onSignedIn) => showSignIn(root, {notice, onSignedIn}),
    showFailure: (text, retry) => fill(root, h('main', {class: 'sign-in'},
        h('h1', {}, 'ActiveConfig console'), message('error', text),
        h('button', {type: 'button', onclick: retry}, 'Try again'))),
});

watchHistory();
watchUnload();
watchPresses();
setForbiddenHandler(() => controller.follow());
// Runs before the frame's listener: a link with a token is not a page.
window.addEventListener('hashchange', (event) => {
    const before = new URL(event.oldURL).hash;
    const token = takeTokenOfLink(before);
    if (token === null) return;
    event.stopImmediatePropagation();
    controller.followLink(token, before);
});
onSessionElsewhere((isEnded) => controller.follow(isEnded));
watchFocus();
const token = takeTokenOfLink();
// Loads while the session is read; a failure is reported when the page is shown.
pages.find(({path}) => path === currentRoute().path)?.load().catch(() => {});
controller.start(token);
