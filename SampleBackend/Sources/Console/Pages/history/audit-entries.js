/**
 * The entries of the audit trail that a page shows, newest first.
 */

import {PagedList} from '../server/paged-list.js';

/** Entries per request. */
export const pageSize = 100;

/**
 * @typedef {{action: string, subject: string, time: string, actor?: string, detail?: string}} Entry
 * @typedef {import('../server/paged-list.js').ListedPage} Page
 */

/**
 * The shown entries.
 *
 * @extends {PagedList<Entry>}
 */
export class AuditEntries extends PagedList {
    /**
     * @param {(page: Page, signal: AbortSignal) => Promise<{entries: Entry[],
     *     nextPageToken?: string}>} ask Requests a part of the trail.
     * @param {AbortSignal} left Aborts the requests.
     */
    constructor(ask, left) {
        super(ask, left, pageSize);
    }
}
