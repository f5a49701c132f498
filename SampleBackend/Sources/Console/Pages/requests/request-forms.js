/**
 * The forms of a change request: comment and vote, title and text. What is entered stays in the tab
 * until it is used; so do the fields, while the page shows a newer state of the request.
 */

import {choice, field, guarded} from '../controls/controls.js';
import {fill, h, redraw} from '../controls/dom.js';
import {commentPlaces, placedComment} from './request-places.js';

/** @typedef {import('./request-input.js').RequestInput} RequestInput */
/** @typedef {import('./request-rights.js').RequestRights} RequestRights */

/**
 * A button that is disabled with a reason.
 *
 * @param {string} key Its `data-focus`.
 * @param {string} text
 * @param {?string} refused
 * @param {() => unknown} act
 * @param {string} [kind]
 */
export function actButton(key, text, refused, act, kind = '') {
    return guarded(refused, h('button', {type: 'button', class: kind || null, 'data-focus': key,
        onclick: () => act()}, text));
}

/** The field for a comment, which votes take along. */
export class CommentForm {
    #input;
    #do;
    #problem = h('p', {class: 'problems', role: 'alert'});
    #about = h('div', {});
    #actions = h('div', {class: 'actions'});
    #reasons = h('div', {});
    /** What the form offers, as text. */
    #offered = '';
    /** @type {HTMLSelectElement | null} */
    #place = null;
    text;
    node;

    /**
     * @param {RequestInput} input
     * @param {(act: 'comment' | 'approve' | 'requestChanges', text: string, path: string) =>
     *     unknown} act
     */
    constructor(input, act) {
        this.#input = input;
        this.#do = act;
        this.text = h('textarea', {rows: 3, 'data-focus': 'comment',
            value: input.content.comment ?? '', oninput: () => {
                input.keep({comment: this.text.value});
                this.#problem.textContent = '';
            }});
        this.node = h('div', {class: 'form'}, field('Your comment', this.text,
            {hint: 'Optional for an approval. At most 1,000 characters.'}), this.#about,
        this.#problem, this.#actions, this.#reasons);
    }

    /**
     * Shows what the user may do with a state of the request.
     *
     * @param {ChangeRequest} request
     * @param {RequestRights} rights
     */
    show(request, rights) {
        const places = commentPlaces(request);
        const {comment, approve, requestChanges} = rights;
        const offered = JSON.stringify([places, comment, approve, requestChanges]);
        if (offered === this.#offered) return;
        this.#offered = offered;
        const about = this.#place?.value ?? this.#input.content.about ?? '';
        // A place that the request no longer changes can still be meant.
        if (about && !places.some(([path]) => path === about)) places.push([about, about]);
        this.#place = choice(places, about, {'data-focus': 'about', onchange: () => (
            this.#input.keep({about: this.#place?.value}))});
        redraw(this.#about, field('About', this.#place));
        redraw(this.#actions,
            actButton('send-comment', 'Comment', comment, () => this.#send('comment')),
            actButton('approve', 'Approve', approve, () => this.#send('approve'), 'primary'),
            actButton('request-changes', 'Ask for changes', requestChanges,
                () => this.#send('requestChanges')));
        const reasons = new Set([approve, requestChanges, comment]
            .filter((reason) => reason !== null));
        fill(this.#reasons, [...reasons].map((reason) => h('p', {class: 'hint'}, reason)));
    }

    /** @param {'comment' | 'approve' | 'requestChanges'} act */
    #send(act) {
        const text = this.text.value.trim();
        const path = this.#place?.value ?? '';
        if (!text && act !== 'approve') {
            this.#problem.textContent = act === 'comment' ? 'Write a comment first.'
                : 'Write what should change.';
            this.text.focus();
            return;
        }
        this.#do(act, act === 'comment' ? text : this.comment, path);
    }

    /** The entered comment with its place, for an act that has no place of its own. */
    get comment() {
        return placedComment(this.text.value.trim(), this.#place?.value ?? '');
    }

    /** Empties the form after its content was used. */
    clear() {
        this.#input.forget('comment', 'about');
        this.text.value = '';
        if (this.#place) this.#place.value = '';
    }
}

/** The form for title and text. */
export class TitleForm {
    #input;
    #problem = h('p', {class: 'problems', role: 'alert'});
    title = h('input', {type: 'text', autocomplete: 'off', required: true,
        'data-focus': 'request-title'});
    text = h('textarea', {rows: 5, 'data-focus': 'request-text'});
    node;
    isOpen;

    /**
     * @param {RequestInput} input
     * @param {(title: string, text: string) => unknown} save
     * @param {() => void} cancel Called when the form is closed without saving.
     */
    constructor(input, save, cancel) {
        this.#input = input;
        const {title, text} = input.content;
        this.isOpen = title !== undefined;
        this.title.value = title ?? '';
        this.text.value = text ?? '';
        const keep = () => input.keep({title: this.title.value, text: this.text.value});
        this.node = h('form', {class: 'form', oninput: keep, onsubmit: (event) => {
            event.preventDefault();
            this.#problem.textContent = this.title.value.trim() ? '' : 'Give a title.';
            if (this.#problem.textContent) this.title.focus();
            else save(this.title.value.trim(), this.text.value);
        }},
        field('Title', this.title), field('Text', this.text), this.#problem,
        h('div', {class: 'actions'},
            h('button', {type: 'submit', class: 'primary', 'data-focus': 'save-title'}, 'Save'),
            h('button', {type: 'button', 'data-focus': 'cancel-title', onclick: () => {
                this.close();
                cancel();
            }}, 'Do not change')));
    }

    /**
     * Opens the form with the title and the text of a request.
     *
     * @param {ChangeRequest} request
     */
    open({title, text = ''}) {
        this.isOpen = true;
        this.title.value = title;
        this.text.value = text;
    }

    /** Closes the form, and forgets what was entered. */
    close() {
        this.isOpen = false;
        this.#problem.textContent = '';
        this.#input.forget('title', 'text');
    }
}
