/**
 * The entries of the audit trail that a page shows, newest first, and the requests that read them.
 */

import {newestRequest} from '../server/newest-request.js';

/** Entries per request. */
export const pageSize = 100;

/** Requests of one search, each of which searches a part of the trail. */
const maximumRequests = 10;

/**
 * @typedef {{action: string, subject: string, time: string, actor?: string, detail?: string}} Entry
 * @typedef {{pageSize: number, pageToken?: string}} Page
 */

/** The shown entries. They change only when others are read, so that a list is never half shown. */
export class AuditEntries {
    /** @type {Entry[]} */
    list = [];
    /**
     * Token of the next page; undefined after the last one.
     *
     * @type {string | undefined}
     */
    nextPageToken;
    /** Aborted when the newest request ends by another one, or by leaving the page. */
    signal;
    #ask;
    #nextRequest;

    /**
     * @param {(page: Page, signal: AbortSignal) => Promise<{entries: Entry[],
     *     nextPageToken?: string}>} ask Requests a part of the trail.
     * @param {AbortSignal} left Aborts the requests.
     */
    constructor(ask, left) {
        this.signal = left;
        this.#ask = ask;
        this.#nextRequest = newestRequest(left);
    }

    /** Reads the newest entries, and replaces those shown; false if another request began since. */
    start() {
        return this.#read([]);
    }

    /** Adds older entries. */
    more() {
        return this.#read(this.list, this.nextPageToken);
    }

    /** Shows no entries. */
    clear() {
        this.list = [];
        this.nextPageToken = undefined;
    }

    /**
     * Adds a page of entries. One answer can have fewer, as it searches a part of a long trail.
     *
     * @param {Entry[]} before
     * @param {string} [pageToken]
     */
    async #read(before, pageToken) {
        const signal = this.#nextRequest();
        this.signal = signal;
        const end = before.length + pageSize;
        let [list, token] = [before, pageToken];
        for (let request = 0; request < maximumRequests; request += 1) {
            try {
                const answer = await this.#ask(
                    {pageSize: end - list.length, pageToken: token}, signal);
                if (signal.aborted) return false;
                list = [...list, ...answer.entries];
                token = answer.nextPageToken;
            } catch (error) {
                if (signal.aborted) return false;
                throw error;
            }
            if (!token || list.length >= end) break;
        }
        [this.list, this.nextPageToken] = [list, token];
        return true;
    }
}
