/**
 * Sequences of requests in which only the newest counts, so that an older response never replaces a
 * newer one.
 */

/**
 * Creates a function that returns the signal for a new request and aborts the previous request.
 *
 * @param {AbortSignal} left Aborts the newest request too.
 * @returns {function(): AbortSignal}
 */
export function newestRequest(left) {
    let newest = new AbortController();
    left.addEventListener('abort', () => newest.abort(), {once: true});
    return () => {
        newest.abort();
        newest = new AbortController();
        if (left.aborted) newest.abort();
        return newest.signal;
    };
}
