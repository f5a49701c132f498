/**
 * Creation of an item whose secret the server sends only once. If the response is lost, so is the
 * secret; the list then shows whether the item was created, so that it can be removed.
 */

import {message} from '../controls/controls.js';
import {announce, fill, h} from '../controls/dom.js';
import {call, NoAnswerError} from '../server/api.js';
import {clearDoubt} from '../server/publishing.js';

/**
 * @typedef {object} CreationOptions
 * @property {string} path Path of the list, to which a new item is posted.
 * @property {(body: any) => any[]} list Items in a response that lists them.
 * @property {(item: any, body: any) => boolean} isSame True if an item matches a request.
 * @property {(body: any) => string} describe Message about a lost response.
 * @property {string} action Label of the button that removes the item.
 * @property {() => void} removed Called after its removal.
 */

/** One creation, and the recovery from a lost response. */
export class Creation {
    /** Message about a creation whose response was lost, for the form. */
    node = h('div', {'aria-live': 'polite'});
    /** True if something was created but the response was lost. */
    isLost = false;
    /** True while it is unknown whether something was created, until the server answers. */
    isInDoubt = false;
    /** @type {CreationOptions} */
    #options;
    #left = new AbortController();

    /**
     * @param {CreationOptions} options
     */
    constructor(options) {
        this.#options = options;
    }

    /** Stops checking what was created. */
    end() {
        this.#left.abort();
    }

    /**
     * Creates an item.
     *
     * @param {object} body
     * @returns {Promise<any>} The response, with the secret.
     * @throws ServerError; Error with the outcome when the response was lost.
     */
    async create(body) {
        // Keep the button that removes it: another attempt would create a second item.
        if (this.isLost) throw new Error(this.#options.describe(body));
        fill(this.node);
        const before = await this.#ids(body);
        try {
            return (await call('POST', this.#options.path, {body})).body;
        } catch (error) {
            if (!(error instanceof NoAnswerError)) throw error;
        }
        this.isInDoubt = true;
        const made = await clearDoubt(async () => (
            (await this.#items(body)).find(({id}) => !before.has(id)) ?? null), {
            signal: this.#left.signal, onDoubt: (attempt) => attempt === 1 && fill(this.node,
                message('warning', 'The server did not answer. Checking whether it was created, '
                    + 'until the server answers.'))}).finally(() => {
            this.isInDoubt &&= this.#left.signal.aborted;
        });
        fill(this.node);
        if (!made) throw new Error('The server did not answer; nothing was created. Try again.');
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
     * IDs of existing items that match one to be created.
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
                fill(this.node, message('success', 'Removed. You can try again.'));
                announce('Removed.');
                removed();
            } catch (error) {
                button.disabled = false;
                problem.textContent = error.message;
            }
        }}, action);
        return h('div', {class: 'line'}, button, problem);
    }
}
