/**
 * What was entered on the page of a change request, stored in the tab until it is used.
 */

import {PageInput} from '../controls/page-input.js';

/**
 * @typedef {object} RequestInputs
 * @property {string} [comment]
 * @property {string} [about] Path of what the comment is about.
 * @property {string} [title]
 * @property {string} [text]
 * @property {import('../schedules/chosen-times.js').EnteredTimes} [times]
 * @property {import('../rollouts/rollout-input.js').EnteredRollout} [rollout]
 */

/** The inputs of one request. */
export class RequestInput {
    #input;

    /**
     * @param {{user: string, project: string}} workspace
     * @param {string} id
     */
    constructor(workspace, id) {
        const name = encodeURIComponent(id).replaceAll('.', '%2E');
        this.#input = new PageInput(`request-${name}`, workspace);
    }

    /** @returns {RequestInputs} */
    get content() {
        return this.#input.content ?? {};
    }

    /**
     * Keeps inputs beside the others.
     *
     * @param {RequestInputs} inputs
     */
    keep(inputs) {
        this.#input.keep({...this.content, ...inputs});
    }

    /**
     * Forgets inputs that were used.
     *
     * @param {(keyof RequestInputs)[]} names
     */
    forget(...names) {
        const rest = Object.entries(this.content).filter(([name]) => (
            !names.includes(/** @type {keyof RequestInputs} */ (name))));
        if (rest.length) this.#input.keep(Object.fromEntries(rest));
        else this.#input.forget();
    }
}
