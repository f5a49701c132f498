/**
 * Repeated readings of what the server has.
 */

/**
 * Calls an action again and again, `interval` milliseconds after its last call has ended, but not
 * while the browser's tab is hidden. A failure that the action does not report is repeated
 * silently.
 *
 * @param {() => Promise<unknown>} action Ends the calls when it resolves to false.
 * @param {number} interval Also the time before the first call.
 * @param {AbortSignal} signal Ends the calls.
 * @returns {(milliseconds?: number) => void} Makes the next call earlier: after the milliseconds,
 *     and after the call that runs.
 */
export function poll(action, interval, signal) {
    let timer = 0;
    let isRunning = false;
    let isAsked = false;
    const again = (milliseconds = 0) => {
        clearTimeout(timer);
        if (!signal.aborted) timer = setTimeout(run, milliseconds);
    };
    const run = async () => {
        timer = 0;
        isAsked = isRunning;
        if (isRunning) return;
        isRunning = true;
        const result = globalThis.document?.hidden ? null : await action().catch(() => null);
        isRunning = false;
        if (result !== false && !timer) again(isAsked ? 0 : interval);
    };
    signal.addEventListener('abort', () => clearTimeout(timer));
    again(interval);
    return again;
}
