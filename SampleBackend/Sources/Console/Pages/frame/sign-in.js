/**
 * Signing in: the page, and the dialog over the pages when a session has ended.
 */

import {administratorName, field, message} from '../controls/controls.js';
import {openDialog} from '../controls/dialog.js';
import {fileAddress, fill, h, newID} from '../controls/dom.js';
import {isPageLocked} from '../controls/held-entry.js';
import {enter} from '../routing/address-bar.js';
import {ServerError} from '../server/api.js';
import {signIn} from '../server/session.js';
import {draftDownloads} from '../transfer/draft-export.js';
import {providerLink} from './provider-sign-in.js';

/**
 * Creates the form.
 *
 * @param {{notice?: string, isOverPages?: boolean, onSignedIn: (session: Session) => void}} options
 *     `notice` is shown above the form; `isOverPages` is true when pages must stay open;
 *     `onSignedIn` receives the new session.
 * @returns {{outcome: HTMLElement, form: HTMLFormElement, button: HTMLButtonElement,
 *     token: HTMLInputElement, provider: HTMLElement}} Its
 *     parts: messages, the form with its field `token`, the button, which belongs to the form, and
 *     the link to the OpenID provider.
 */
function signInForm({notice, isOverPages = false, onSignedIn}) {
    const id = newID('form');
    const outcome = h('div', {}, notice && message('info', notice));
    const provider = providerLink(outcome, isOverPages);
    const token = h('input', {
        type: 'password', name: 'token', autocomplete: 'current-password', spellcheck: 'false',
        required: true, 'data-autofocus': true});
    const button = h('button', {type: 'submit', form: id, class: 'primary'}, 'Sign in');
    /** @param {SubmitEvent} event */
    const submit = async (event) => {
        event.preventDefault();
        if (!token.value.trim()) {
            fill(outcome, message('error', 'Enter a token.'));
            token.focus();
            return;
        }
        button.disabled = true;
        try {
            onSignedIn(await signIn(token.value.trim()));
        } catch (error) {
            const isWrong = error instanceof ServerError && error.status === 401;
            fill(outcome, message('error', isWrong
                ? 'This token is unknown, expired or revoked. Check it, or ask for another one.'
                : error.message));
            button.disabled = false;
            token.focus();
            token.select();
        }
    };
    return {outcome, button, token, provider, form: h('form', {id, class: 'form', novalidate: true,
        onsubmit: submit}, field('Token', token, {
        hint: 'You stay signed in for 12 hours. The browser does not store the token.'}))};
}

/**
 * Shows the sign-in page, and focuses its field.
 *
 * @param {HTMLElement} root Element to fill.
 * @param {{notice?: string, onSignedIn: (session: Session) => void}} options See `signInForm`.
 */
export function showSignIn(root, options) {
    document.title = 'Sign in · ActiveConfig';
    const {outcome, form, button, token, provider} = signInForm(options);
    form.append(button);
    fill(root, h('main', {class: 'sign-in'},
        h('div', {class: 'sign-in-card'},
            h('img', {src: fileAddress('icon.svg'), alt: '', width: '40', height: '40'}),
            h('h1', {}, 'ActiveConfig console'),
            h('p', {class: 'lead'}, 'Sign in with an administrator token.'),
            outcome, form, provider,
            h('details', {}, h('summary', {}, 'Where do I get a token?'),
                h('p', {}, 'A publisher creates it on the page Tokens, and sends it, or a link '
                    + 'that signs in.'),
                h('p', {}, 'The first one comes from whoever runs the server: it is the value of '
                    + 'ACTIVECONFIG_ADMIN_TOKEN, or what ', h('code', {},
                    'sample-backend tokens create'), ' prints. ', h('code', {},
                    'sample-backend serve --dev'), ' prints one after its address.')))));
    token.focus();
}

/**
 * Lets a user sign in again over the open page, which stays unchanged, including its dialogs.
 * Accepts the token of an entered link, and then opens its page unless another dialog is open.
 *
 * The tab stores all drafts meanwhile: the token whose drafts the server has may be revoked.
 *
 * @param {Pick<SessionPages, 'session' | 'workspaces'>} pages The open pages.
 * @param {Promise<Session>} elsewhere Session that begins in another tab, if any.
 * @returns {Promise<Session>} The new session, possibly of another user.
 */
export async function signInAgain({session: {name}, workspaces}, elsewhere) {
    const {withDraft} = workspaces;
    workspaces.keepDrafts(true);
    /** @type {(link: {token: string, place: string}) => void} */
    let take;
    let place = '';
    const session = await openDialog('Sign in again', (close) => {
        const {outcome, form, button, token, provider} = signInForm({
            isOverPages: true,
            notice: `The session of ${administratorName(name)} has ended. This tab keeps its `
                + 'draft and what you entered for a token of the same name, role and projects: '
                + 'sign in with one to continue.' + (withDraft.length
                ? ' Before you sign in with another one, download the edits.' : ''),
            onSignedIn: close});
        elsewhere.then(close);
        take = (link) => {
            // A sign-in is in progress.
            if (button.disabled) return;
            ({place} = link);
            token.value = link.token;
            form.requestSubmit(button);
        };
        return {body: [outcome, form, provider],
            actions: [draftDownloads(withDraft, name), button]};
    }, {isRequired: true, onAddress: ({token, place: page}) => {
        if (token !== null) take({token, place: page});
    }});
    if (session && place && !isPageLocked()) enter({token: null, place});
    return session;
}
