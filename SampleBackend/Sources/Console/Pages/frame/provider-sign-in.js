/**
 * Signing in at an OpenID provider: the link to it, and the way back.
 */

import {message} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {fragment, replaceFragment} from '../routing/address-bar.js';
import {announceSession, openIDProvider} from '../server/session.js';

/** Key of the page to which the tab returns, in the tab's storage. */
const placeKey = 'activeconfig.place';

/** Keeps the tab's page while the provider's page replaces it. */
function keepPlace() {
    try {
        sessionStorage.setItem(placeKey, fragment());
    } catch {
        // Without storage the tab returns to the first page.
    }
}

/** The kept page, which is used once; empty if there is none. */
function takePlace() {
    try {
        const place = sessionStorage.getItem(placeKey) ?? '';
        sessionStorage.removeItem(placeKey);
        return place;
    } catch {
        return '';
    }
}

/**
 * Returns to the tab's page if it comes from the provider, and notifies the other tabs: one in
 * which the user was asked to sign in again continues where it was. Call it before the address is
 * read.
 */
export function arriveFromProvider() {
    if (location.search !== '?signed-in') return;
    replaceFragment(takePlace() || fragment());
    announceSession();
}

/**
 * Creates the link to the provider, which appears when the server has one.
 *
 * @param {HTMLElement} outcome Receives the reason for which the last sign-in failed.
 * @param {boolean} isOverPages True to open another tab, because the pages of this one must stay:
 *     it continues when the other has signed in.
 * @returns {HTMLElement}
 */
export function providerLink(outcome, isOverPages) {
    const place = h('div', {class: 'actions'});
    const show = async () => {
        const provider = await openIDProvider();
        if (!provider) return;
        const {issuer, origin, failure} = provider;
        if (failure) fill(outcome, message('error', failure));
        const isHere = location.origin === origin;
        fill(place, h('a', {
            class: 'button', onclick: keepPlace,
            href: isHere ? '/console/openid/sign-in' : `${origin}/console/`,
            target: isOverPages ? '_blank' : null, rel: isOverPages ? 'noopener' : null,
        }, `Sign in at ${new URL(issuer).host}${isOverPages ? ', in a new tab' : ''}`));
    };
    // Tokens are accepted without it.
    show().catch(() => {});
    return place;
}
