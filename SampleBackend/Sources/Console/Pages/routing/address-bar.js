/**
 * The fragment of the tab's address: the only module that reads it. Whoever reads first takes the
 * token of a link out of address and history, so that no order of events makes a page of a token,
 * or leaves it where it can be seen.
 */

/** Last fragment that was read, without a token. */
let known = '';
/** Fragment whose page is shown, or being shown: that of the last navigation. */
let shown = '';
/**
 * Token of a link that was read, but that nobody has followed yet.
 *
 * @type {?string}
 */
let waiting = null;
/** @type {(token: string, before: string) => void} */
let onLink = () => {};
/** @type {Set<(before: string) => void>} */
const followers = new Set();

/**
 * Extracts the token from a fragment: `#token=…`, or a page's address with `token` in its query.
 *
 * @param {string} text The fragment, with its `#`.
 * @returns {EnteredAddress} The token, null if there is none; and the fragment without it.
 */
export function withoutToken(text) {
    const [page, query = ''] = text.startsWith('#token=')
        ? ['', text.slice(1)] : text.split('?');
    const fields = new URLSearchParams(query.replaceAll('+', '%2B'));
    const token = fields.get('token');
    if (token === null) return {token, place: text};
    fields.delete('token');
    return {token, place: page + (fields.size ? `?${fields}` : '')};
}

/** The fragment, without the token of a link: where the link names no page, that before it. */
export function fragment() {
    const {token, place} = withoutToken(location.hash);
    if (token === null) {
        known = place;
        return known;
    }
    waiting = token;
    known = place || known;
    history.replaceState(history.state, '', location.pathname + known);
    return known;
}

/** The whole address, without the token of a link. */
export function wholeAddress() {
    fragment();
    return location.href;
}

/**
 * Takes the token of a link `/console/#token=…` or `/console/#/project/page?token=…`.
 *
 * @returns {?string} The token; null when no link was entered, or its token was taken before.
 */
export function takeToken() {
    fragment();
    const taken = waiting;
    waiting = null;
    return taken;
}

/**
 * Takes an address that was entered while a dialog is open, which may stay there.
 *
 * @returns {EnteredAddress}
 */
export function takeEntered() {
    const place = fragment();
    return {token: takeToken(), place: place === shown ? '' : place};
}

/**
 * Navigates to an entered address, whose token does not come back into the address.
 *
 * @param {EnteredAddress} entered
 */
export function enter({token, place}) {
    if (token !== null) waiting = token;
    if (place && place !== fragment()) location.hash = place;
    else if (token !== null) navigated();
}

/**
 * Replaces the fragment, without a history entry or a navigation.
 *
 * @param {string} place
 */
export function replaceFragment(place) {
    history.replaceState(history.state, '', location.pathname + place);
    known = place;
    shown = place;
}

/** True when another address was entered, and its page is not shown yet. */
export function isLeaving() {
    return fragment() !== shown;
}

/** Notifies who follows the address. */
function navigated() {
    const before = shown;
    shown = fragment();
    const token = takeToken();
    if (token !== null) onLink(token, before);
    else for (const follower of followers) follower(before);
}

/**
 * Starts to follow the address; call it once.
 *
 * @param {(token: string, before: string) => void} handler Receives the token of a link that is
 *     entered, and the fragment before it, in place of `followAddress`.
 */
export function watchAddress(handler) {
    onLink = handler;
    shown = fragment();
    window.addEventListener('hashchange', navigated);
}

/**
 * Calls a handler after each navigation, with the fragment before it.
 *
 * @param {(before: string) => void} handler
 * @param {AbortSignal} signal
 */
export function followAddress(handler, signal) {
    followers.add(handler);
    signal.addEventListener('abort', () => followers.delete(handler));
}
