/**
 * Addresses of webhooks without potential secrets.
 */

/**
 * An address without potential secrets: credentials and the query.
 *
 * @param {string} address
 */
export function withoutSecrets(address) {
    return address.trim().replace(/[?#].*$/, '').replace(/^((?:[a-z]*:)?\/*)[^/]*@/i, '$1');
}

/**
 * An address as the server shows it: values in its query are replaced by `***`.
 *
 * @param {string} address
 */
export function shownAddress(address) {
    const mark = address.indexOf('?');
    if (mark < 0) return address;
    return address.slice(0, mark + 1) + address.slice(mark + 1).split('&').map((part) => {
        const equals = part.indexOf('=');
        if (equals < 0) return part && '***';
        return part.slice(0, equals + 1) + (equals + 1 < part.length ? '***' : '');
    }).join('&');
}

/**
 * An address without differences in its spelling, and without a fragment; null if it is not one.
 *
 * @param {string} address
 */
function normalized(address) {
    try {
        const url = new URL(address);
        url.hash = '';
        return url.href;
    } catch {
        return null;
    }
}

/**
 * The address of a webhook that seems to be an entered one: values in their queries are unknown.
 *
 * @param {string} entered
 * @param {string[]} listed Addresses as the server shows them.
 * @returns {?string} Null if there is none.
 */
export function listedAddress(entered, listed) {
    const address = normalized(shownAddress(entered.trim()));
    return listed.find((other) => address !== null && normalized(other) === address) ?? null;
}
