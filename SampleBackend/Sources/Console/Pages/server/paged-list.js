/**
 * A list that is read in pages, and the requests that read them.
 */

import {newestRequest} from './newest-request.js';

/** Requests for one page of the list, each of which may find only a few of its items. */
const maximumRequests = 10;

/** @typedef {{pageSize: number, pageToken?: string}} ListedPage */

/**
 * The items shown. They change only when others are read, so that a list is never half shown.
 *
 * @template Item
 */
export class PagedList {
    /** @type {Item[]} */
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
    #pageSize;

    /**
     * @param {(page: ListedPage, signal: AbortSignal) => Promise<{entries: Item[],
     *     nextPageToken?: string}>} ask Requests a part of the list.
     * @param {AbortSignal} left Aborts the requests.
     * @param {number} pageSize Items per page of the list.
     */
    constructor(ask, left, pageSize) {
        this.signal = left;
        this.#ask = ask;
        this.#nextRequest = newestRequest(left);
        this.#pageSize = pageSize;
    }

    /** Reads the first page, and replaces the items; false if another request began since. */
    start() {
        return this.#read([]);
    }

    /** Reads the items that are shown again, with the first page at least; as `start`. */
    again() {
        return this.#read([], undefined, Math.max(this.#pageSize, this.list.length));
    }

    /** Adds the next page. */
    more() {
        return this.#read(this.list, this.nextPageToken);
    }

    /** Shows no items. */
    clear() {
        this.list = [];
        this.nextPageToken = undefined;
    }

    /**
     * Adds a page. One answer can have fewer items, and still be followed by others.
     *
     * @param {Item[]} before
     * @param {string} [pageToken]
     * @param {number} [size] Items to add.
     */
    async #read(before, pageToken, size = this.#pageSize) {
        const signal = this.#nextRequest();
        this.signal = signal;
        const end = before.length + size;
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
