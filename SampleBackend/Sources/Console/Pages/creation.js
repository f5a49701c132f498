/**
 * Creation of something with a secret that the server tells once. When the answer is lost, so is
 * the secret: the list then says whether it was created, so that it can be removed.
 */

import {call, NoAnswerError} from './api.js';
import {message} from './controls.js';
import {announce, fill, h} from './dom.js';
import {clearDoubt} from './publishing.js';

/**
 * @typedef {object} CreationOptions
 * @property {string} path Path of the list, to which a new item is posted.
 * @property {(body: any) => any[]} list Items of the answer that lists them.
 * @property {(item: any, body: any) => boolean} isSame True if an item is of a request.
 * @property {(body: any) => string} describe What is said of a lost answer.
 * @property {string} action Label of the button that removes the item.
 * @property {() => void} removed Called after it was removed.
 */

/** One creation, and what to do when its answer is lost. */
export class Creation {
    /** Message about a creation whose answer was lost, for the form. */
    node = h('div', {'aria-live': 'polite'});
    /** True if something was created without an answer. */
    isLost = false;
    /** @type {CreationOptions} */
    #options;
    #left = new AbortController();

    /**
     * @param {CreationOptions} options
     */
    constructor(options) {
        this.#options = options;
    }

    /** Ends the attempts to find out what was created. */
    end() {
        this.#left.abort();
    }

    /**
     * Creates an item.
     *
     * @param {object} body
     * @returns {Promise<any>} The answer, with the secret.
     * @throws ServerError; Error when the answer was lost, with what became of it.
     */
    async create(body) {
        // Its button to remove it stays: another try would make a second one.
        if (this.isLost) throw new Error(this.#options.describe(body));
        fill(this.node);
        const before = await this.#ids(body);
        try {
            return (await call('POST', this.#options.path, {body})).body;
        } catch (error) {
            if (!(error instanceof NoAnswerError)) throw error;
        }
        const made = await clearDoubt(async () => (
            (await this.#items(body)).find(({id}) => !before.has(id)) ?? null), {
            signal: this.#left.signal, onDoubt: (attempt) => attempt === 1 && fill(this.node,
                message('warning', 'The server did not answer. It is asked whether it has done it, '
                    + 'until it answers.'))});
        fill(this.node);
        if (!made) throw new Error('The server did not answer, and has not done it. Try again.');
        this.isLost = true;
        fill(this.node, this.#removal(made));
        throw new Error(this.#options.describe(body));
    }

    /** @param {object} body */
    async #items(body) {
        const {list, path, isSame} = this.#options;
        const {signal} = this.#left;
        return list((await call('GET', path, {signal})).body)
            .filter((item) => isSame(item, body));
    }

    /**
     * IDs of the items like one that is going to be created.
     *
     * @param {object} body
     */
    async #ids(body) {
        return new Set((await this.#items(body)).map(({id}) => id));
    }

    /**
     * Button that removes an item.
     *
     * @param {{id: string}} value
     */
    #removal({id}) {
        const {path, action, removed} = this.#options;
        const problem = h('span', {role: 'alert'});
        const button = h('button', {type: 'button', class: 'danger', onclick: async () => {
            button.disabled = true;
            problem.textContent = '';
            try {
                await call('DELETE', `${path}/${encodeURIComponent(id)}`);
                this.isLost = false;
                fill(this.node, message('success', 'It is removed. You may try again.'));
                announce('It is removed.');
                removed();
            } catch (error) {
                button.disabled = false;
                problem.textContent = error.message;
            }
        }}, action);
        return h('div', {class: 'line'}, button, problem);
    }
}
