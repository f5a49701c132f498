/**
 * Whom a change request reaches: the same preview as that of a draft on its review.
 */

import {impactView} from '../review/impact.js';
import {readRequestedTemplate} from '../server/change-requests.js';
import {count} from '../text/formats.js';
import {previewDraft} from '../users/proposal.js';
import {isOpen} from './request-texts.js';

/**
 * What the preview of a request is of. Its content is read once, with the first preview that needs
 * it.
 *
 * @param {{user: string, project: string}} owner
 * @param {ChangeRequest} request
 * @returns {import('../review/impact.js').ImpactSource}
 */
export function requestImpact({user, project}, {id, baseVersionNumber: base, liveVersionNumber}) {
    /** @type {?Template} */
    let template = null;
    return {
        owner: {user, project},
        preview: async (users, signal) => {
            template ??= await readRequestedTemplate(project, id, signal);
            return previewDraft({project, draft: {template, base},
                isOutdated: (liveVersionNumber ?? base) !== base}, users, signal);
        },
        merged: 'the request is merged with it, as when it is published',
        conflicting: (number) => `For ${count(number, 'thing')} that was changed since, too, this `
            + 'uses the request.',
    };
}

/** The card with the reach of a request, which stays while the request would publish the same. */
export class RequestImpact {
    #context;
    /** What the card is of. */
    #shown = '';
    #ended = new AbortController();
    /** @type {?HTMLElement} */
    #card = null;

    /**
     * @param {Pick<PageContext, 'session' | 'workspace'>} context
     * @param {AbortSignal} left Aborts the requests.
     */
    constructor(context, left) {
        this.#context = context;
        left.addEventListener('abort', () => this.#ended.abort());
    }

    /**
     * The card; null for a request that has ended.
     *
     * @param {ChangeRequest} request
     */
    card(request) {
        const {changes, baseVersionNumber, liveVersionNumber} = request;
        const now = isOpen(request)
            ? JSON.stringify([changes, baseVersionNumber, liveVersionNumber]) : '';
        if (now === this.#shown) return this.#card;
        this.#shown = now;
        this.#ended.abort();
        this.#ended = new AbortController();
        const {session, workspace} = this.#context;
        this.#card = now ? impactView(
            session, requestImpact(workspace, request), this.#ended.signal) : null;
        return this.#card;
    }
}
