/**
 * Entry point: restores or starts a session, and shows the pages or the sign-in form.
 */

import {ServerError, setCSRFToken, setForbiddenHandler, setSignedOutHandler} from './api.js';
import {administratorName, message} from './controls.js';
import {ask, endDialogs, watchUnload} from './dialog.js';
import {fill, h} from './dom.js';
import {watchFocus} from './focus.js';
import {Frame} from './frame.js';
import {watchHistory} from './held-entry.js';
import {watchPresses} from './press.js';
import {currentSession, onSessionElsewhere, signIn, takeTokenOfLink} from './session.js';
import {showSignIn, signInAgain} from './sign-in.js';
import {forgetUser} from './stored-data.js';

const root = /** @type {HTMLElement} */ (document.getElementById('root'));
/** @type {?Frame} */
let frame = null;

/**
 * Session of the pages that were shown last; null if none were.
 *
 * @type {?Session}
 */
let shown = null;

/** Number of the last change between pages and sign-in form, which supersedes earlier ones. */
let change = 0;

/** Number of the last query for another tab's session; only its response counts. */
let followed = 0;

/**
 * Closes the sign-in dialog over the pages with the session of another tab; null when it is not
 * open.
 *
 * @type {?(session: Session) => void}
 */
let endSignInAgain = null;

/**
 * Settles when the last resumption of the pages has ended and its dialog is closed.
 *
 * @type {?Promise<boolean>}
 */
let lastResumption = null;

/**
 * Closes the pages and all dialogs, and keeps unfinished forms; false when a later change
 * superseded it.
 */
async function leave() {
    change += 1;
    const own = change;
    frame?.end();
    frame = null;
    endSignInAgain = null;
    await endDialogs();
    return own === change;
}

/**
 * True when the last shown pages belong to a session's user, possibly with another token.
 *
 * @param {Session} session
 */
function isSameUser({name, role}) {
    return name === shown?.name && role === shown.role;
}

/**
 * Continues with another session of the same user. Another token of that user has no drafts yet.
 *
 * @param {Session} session
 */
function renew(session) {
    const isOtherToken = !isShown(session);
    shown = session;
    setCSRFToken(session.csrfToken);
    if (isOtherToken) frame?.sendDrafts();
    endSignInAgain?.(session);
}

/**
 * Shows the pages for a session in place of earlier ones; keeps the pages if the session has the
 * same user. `isFirst` is true when the page has just loaded.
 *
 * @param {Session} session
 * @param {{isFirst?: boolean}} [options]
 */
async function begin(session, options = {}) {
    const {isFirst = false} = options;
    if (frame && isSameUser(session)) {
        renew(session);
        return;
    }
    const isOther = shown !== null && shown.csrfToken !== session.csrfToken;
    if (!await leave()) return;
    if (isOther) {
        // Stops what the previous user started, so that it does not run in another user's name.
        location.reload();
        return;
    }
    shown = session;
    setCSRFToken(session.csrfToken);
    frame = new Frame(root, session, (note) => end(`You are signed out.${note}`));
    setSignedOutHandler(resumption(frame));
    frame.start({isFirst});
}

/**
 * Closes the pages, and shows the sign-in form with an optional notice.
 *
 * @param {string} [notice]
 */
async function end(notice) {
    if (await leave()) showSignIn(root, {notice, onSignedIn: begin});
}

/**
 * True when the pages are shown with the session's token, whose sessions share a CSRF token.
 *
 * @param {Session} session
 */
function isShown(session) {
    return frame !== null && shown?.csrfToken === session.csrfToken;
}

/**
 * Continues after the server refused a call of the pages because its session has ended. The refusal
 * can be older than the current session, so this asks for another sign-in only if there is no
 * session. Another user gets new pages.
 *
 * @param {Frame} pages Pages that sent the call.
 * @returns {Promise<boolean>} True when they remain, with a session of the same user.
 */
async function resume(pages) {
    if (frame !== pages) return false;
    /** @type {(session: Session) => void} */
    let endOwn = () => {};
    /** @type {Promise<Session>} */
    const elsewhere = new Promise((resolve) => {
        endOwn = resolve;
    });
    endSignInAgain = endOwn;
    /** @type {?Session | undefined} */
    let session;
    try {
        session = await Promise.race([elsewhere, sessionIfAny()]);
        if (!session && frame === pages) session = await signInAgain(shown?.name ?? '', elsewhere);
    } catch {
        // Without a response it is unknown whether the session has ended; the next call finds out.
        return false;
    } finally {
        if (endSignInAgain === endOwn) endSignInAgain = null;
    }
    if (!session || frame !== pages) return false;
    if (!isShown(session)) await begin(session);
    return isShown(session);
}

/**
 * Handler for refused calls of pages, which share one sign-in.
 *
 * @param {Frame} pages
 */
function resumption(pages) {
    /** @type {?Promise<boolean>} */
    let resumed = null;
    return () => {
        resumed ??= resume(pages).finally(() => {
            resumed = null;
        });
        lastResumption = resumed;
        return resumed;
    };
}

/**
 * Asks before the token of a link replaces a session. Prevents login CSRF: a foreign link must not
 * silently switch the browser to another account.
 *
 * @param {?Session} session Current session.
 * @returns {Promise<boolean>} True without a session, or when the user confirms.
 */
async function mayReplace(session) {
    return !session || await ask({
        title: 'Sign in with this link?',
        text: `You are signed in as ${administratorName(session.name)}. The link signs you in with another token; what `
            + 'you publish is then recorded under its name.',
        action: 'Sign in with the link', cancel: `Stay ${administratorName(session.name)}`});
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
async function start(token = takeTokenOfLink()) {
    const before = change;
    /** @type {?Session} */
    let session = null;
    try {
        session = token ? await sessionIfAny() : await currentSession();
        if (token && await mayReplace(session)) await begin(await signIn(token));
        // Unless another tab ended the question.
        else if (session && (!token || (!frame && change === before))) {
            await begin(session, {isFirst: true});
        }
    } catch (error) {
        if (change !== before) return;
        if (error instanceof ServerError && error.status === 401) {
            const notice = 'The token of this link is unknown, expired or revoked.';
            if (!session) return end(token ? notice : undefined);
            if (!frame) await begin(session, {isFirst: true});
            await ask({title: 'Not signed in with this link', action: 'OK', cancel: 'Close',
                text: `${notice} You are still signed in as ${administratorName(session.name)}.`});
        } else if (frame) {
            const isAgain = await ask({title: 'Not signed in with this link', text: error.message,
                action: 'Try again', cancel: 'Close'});
            if (isAgain) await start(token);
        } else {
            fill(root, h('main', {class: 'sign-in'},
                h('h1', {}, 'ActiveConfig console'), message('error', error.message),
                h('button', {type: 'button', onclick: () => start(token)}, 'Try again')));
        }
    }
}

/**
 * Continues with the session that began in another tab, or ends with it: tabs share the cookie.
 *
 * @param {boolean} isSignedOut True when another tab reports that the user has signed out.
 */
async function follow(isSignedOut = false) {
    followed += 1;
    const own = followed;
    try {
        const session = await currentSession();
        if (own !== followed) return;
        if (endSignInAgain) endSignInAgain(session);
        else if (!isShown(session)) await begin(session, {isFirst: !frame});
    } catch (error) {
        const isEnded = error instanceof ServerError && error.status === 401;
        // Without a response, the server refuses the next call.
        if (own !== followed || !isEnded || !frame || (endSignInAgain && !isSignedOut)) return;
        const {name} = frame.session;
        await end('You signed out in another tab.');
        forgetUser(name, {keepsWork: true});
    }
}

watchHistory();
watchUnload();
watchPresses();
setForbiddenHandler(() => follow());
// Runs before the frame's listener: a link with a token is not a page.
window.addEventListener('hashchange', async (event) => {
    const before = new URL(event.oldURL).hash;
    const token = takeTokenOfLink(before);
    if (token === null) return;
    event.stopImmediatePropagation();
    const pages = frame;
    await start(token);
    await lastResumption;
    // Remaining pages must show the page in the link; new ones start with it.
    if (pages && frame === pages) pages.follow(before);
});
onSessionElsewhere(follow);
watchFocus();
start();
