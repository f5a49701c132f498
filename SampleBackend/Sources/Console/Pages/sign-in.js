/**
 * Sign-in page.
 */

import {ServerError} from './api.js';
import {field, message} from './controls.js';
import {fill, h} from './dom.js';
import {signIn} from './session.js';

/**
 * Shows the sign-in form, and focuses its field.
 *
 * @param {HTMLElement} root Element to fill.
 * @param {{notice?: string, onSignedIn: function(object): void}} options `notice` is shown above
 *     the form; `onSignedIn` receives the new session.
 */
export function showSignIn(root, {notice, onSignedIn}) {
    document.title = 'Sign in · ActiveConfig';
    const outcome = h('div', {}, notice && message('info', notice));
    const token = h('input', {
        type: 'password', name: 'token', autocomplete: 'current-password', spellcheck: 'false',
        required: true});
    const button = h('button', {type: 'submit', class: 'primary'}, 'Sign in');
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
    fill(root, h('main', {class: 'sign-in'},
        h('div', {class: 'sign-in-card'},
            h('img', {src: 'icon.svg', alt: '', width: '40', height: '40'}),
            h('h1', {}, 'ActiveConfig console'),
            h('p', {class: 'lead'}, 'Sign in with a token of an administrator.'),
            outcome,
            h('form', {class: 'form', novalidate: true, onsubmit: submit},
                field('Token', token, {
                    hint: 'You stay signed in for 12 hours. The browser does not keep the token.'}),
                button))));
    token.focus();
}
