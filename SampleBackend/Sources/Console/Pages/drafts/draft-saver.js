/**
 * The requests that save a draft, and the pause before they are repeated.
 */

import {deleteDraft, storeDraft} from '../server/server-draft.js';
import {failureReason, readServerDraft} from './draft-reading.js';

/** Milliseconds before a failed save is retried. */
const pause = 2000;

/** Saves the draft of one workspace. */
export class DraftSaver {
    /**
     * The request that runs; null while none does.
     *
     * @type {?Promise<void>}
     */
    #running = null;
    #timer = 0;
    #workspace;
    #send;

    /**
     * @param {{project: string, state: SyncState}} workspace
     * @param {(event: SyncEvent) => unknown} send Takes what happens.
     */
    constructor(workspace, send) {
        this.#workspace = workspace;
        this.#send = send;
    }

    /** Resolves when no save is running. */
    async saved() {
        while (this.#running) await this.#running;
    }

    /** Ends the pause. */
    stopWaiting() {
        clearTimeout(this.#timer);
    }

    /** @param {SavingEffect} effect */
    carryOut(effect) {
        if (effect.type === 'wait') {
            this.stopWaiting();
            this.#timer = setTimeout(() => this.#send({type: 'waited'}), pause);
            return;
        }
        // The event that the request ends with may begin the next one.
        const running = this.#request(effect).finally(() => {
            if (this.#running === running) this.#running = null;
        });
        this.#running = running;
    }

    /** @param {Exclude<SavingEffect, {type: 'wait'}>} effect */
    async #request(effect) {
        this.#send(await this.#outcome(effect));
    }

    /**
     * Sends a request; never rejects.
     *
     * @param {Exclude<SavingEffect, {type: 'wait'}>} effect
     * @returns {Promise<SyncEvent>}
     */
    async #outcome(effect) {
        const {token} = effect;
        const {project, state} = this.#workspace;
        try {
            if (effect.type === 'store') {
                const {body, etag} = await storeDraft(project, effect.draft, effect.patched);
                return {type: 'stored', answer: body, tag: etag, token};
            }
            if (effect.type === 'delete') {
                const isDeleted = await deleteDraft(project, effect.tag);
                return {type: 'deleted', token, isGone: !isDeleted};
            }
            const found = await readServerDraft(project, undefined, state);
            return {type: 'read', ...found ?? {draft: null, saved: null}, token};
        } catch (error) {
            return {type: 'failed', reason: failureReason(error), message: error.message, token};
        }
    }
}
