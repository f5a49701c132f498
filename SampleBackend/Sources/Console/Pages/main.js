/**
 * Entry point: shows the pages of a session, or the sign-in form, and follows the session.
 */

import {message} from './controls/controls.js';
import {ask, endDialogs, watchUnload} from './controls/dialog.js';
import {fill, h} from './controls/dom.js';
import {watchFocus} from './controls/focus.js';
import {watchHistory} from './controls/held-entry.js';
import {Frame} from './frame/frame.js';
import {pages} from './frame/pages.js';
import {arriveFromProvider} from './frame/provider-sign-in.js';
import {SessionController} from './frame/session-controller.js';
import {showSignIn, signInAgain} from './frame/sign-in.js';
import {watchPresses} from './input/press.js';
import {pathsToOpen} from './projects/projects.js';
import {fragment, takeToken, watchAddress} from './routing/address-bar.js';
import {currentRoute, dropQuery} from './routing/router.js';
import {setCSRFToken, setForbiddenHandler, setSignedOutHandler} from './server/api.js';
import {currentSession, onSessionElsewhere, signIn} from './server/session.js';
import {forgetUser} from './storage/stored-data.js';

// Before anything reads the address.
arriveFromProvider();
const root = /** @type {HTMLElement} */ (document.getElementById('root'));

const controller = new SessionController({
    ask, currentSession, dropQuery, endDialogs, forgetUser, setCSRFToken, setSignedOutHandler,
    signIn, signInAgain, firstSession: () => currentSession(pathsToOpen(currentRoute().project)),
    fragment, reload: () => location.reload(),
    pagesOf: (session, onSignedOut) => new Frame(root, session, onSignedOut),
    showSignIn: (notice, onSignedIn) => showSignIn(root, {notice, onSignedIn}),
    showFailure: (text, retry) => fill(root, h('main', {class: 'sign-in'},
        h('h1', {}, 'ActiveConfig console'), message('error', text),
        h('button', {type: 'button', onclick: retry}, 'Try again'))),
});

// From here on, only the server's answer is awaited.
fill(/** @type {HTMLElement} */ (root.querySelector('.not-started p')), 'Loading the settings …');
watchHistory();
watchUnload();
watchPresses();
setForbiddenHandler(() => controller.follow());
watchAddress((token, before) => controller.followLink(token, before));
onSessionElsewhere((isEnded) => controller.follow(isEnded));
watchFocus();
const token = takeToken();
// Loads while the session is read; a failure is reported when the page is shown.
pages.find(({path}) => path === currentRoute().path)?.load().catch(() => {});
controller.start(token);
