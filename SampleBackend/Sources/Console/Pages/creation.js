/**
 * Creation of something with a secret that the server tells once. When the answer is lost, so is
 * the secret: the list then says whether it was created, so that it can be removed.
 */

import {call, NoAnswerError} from './api.js';
import {message} from './controls.js';
import {announce, fill, h} from './dom.js';
import {clearDoubt} from './publishing.js';

/** One creation, and what to do when its answer is lost. */
export class Creation {
    /** Message about a creation whose answer was lost, for the form. */
    node = h('div', {'aria-live': 'polite'});
    /** True if something was created without an answer. */
    isLost = false;
    #options;
    #left = new AbortController();

    /**
     * @param {object} options
     * @param {string} options.path Path of the list, to which a new item is posted.
     * @param {function(object): object[]} options.list Items of the answer that lists them.
     * @param {function(object, object): boolean} options.isSame True if an item is of a request.
     * @param {function(object): string} options.describe What is said of a lost answer.
     * @param {string} options.action Label of the button that removes the item.
     * @param {function(): void} options.removed Called after it was removed.
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
     * @returns {Promise<object>} The answer, with the secret.
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

    async #items(body) {
        const {list, path, isSame} = this.#options;
        const {signal} = this.#left;
        return list((await call('GET', path, {signal})).body)
            .filter((item) => isSame(item, body));
    }

    /** IDs of the items like one that is going to be created. */
    async #ids(body) {
        return new Set((await this.#items(body)).map(({id}) => id));
    }

    /** Button that removes an item. */
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
