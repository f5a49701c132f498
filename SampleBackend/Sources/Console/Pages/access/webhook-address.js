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
