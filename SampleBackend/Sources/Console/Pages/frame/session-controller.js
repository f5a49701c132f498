/**
 * Which session a tab shows: the pages of a user, the sign-in form, or the question who signs in
 * again. What is shown, and the server, are behind `SessionPorts`.
 */

import {administratorName} from '../controls/controls.js';
import {ServerError} from '../server/api.js';
import {fateOfPages} from './fate-of-pages.js';

/** True if an error means that nobody is signed in, or that a token is not valid. */
function isSignedOut(/** @type {unknown} */ error) {
    return error instanceof ServerError && error.status === 401;
}

/** The session that a tab shows, and how it changes. */
export class SessionController {
    #ports;
    /** @type {?SessionPages} */
    #pages = null;
    /**
     * Session of the pages that were shown last; null if none were.
     *
     * @type {?Session}
     */
    #shown = null;
    /** Number of the last change between pages and sign-in form, which supersedes earlier ones. */
    #change = 0;
    /** Number of the last start: a link supersedes the first session's answer. */
    #started = 0;
    /** Number of the last query for another tab's session; only its response counts. */
    #followed = 0;
    /**
     * Closes the sign-in dialog over the pages with the session of another tab; null when it is not
     * open.
     *
     * @type {?(session: Session) => void}
     */
    #endSignInAgain = null;
    /**
     * Settles when the last resumption of the pages has ended and its dialog is closed.
     *
     * @type {?Promise<boolean>}
     */
    #lastResumption = null;

    /** @param {SessionPorts} ports */
    constructor(ports) {
        this.#ports = ports;
    }

    /**
     * Signs in with the token of a link if there is one, else continues the current session. Shows
     * the sign-in form if neither is valid.
     *
     * @param {?string} token
     * @param {string} [address] Fragment of the address before the link.
     * @returns {Promise<void>}
     */
    async start(token, address) {
        const {ask, signIn, firstSession, showFailure} = this.#ports;
        const before = this.#change;
        this.#started += 1;
        const own = this.#started;
        /** @type {?Session} */
        let session = null;
        try {
            session = token ? await this.#sessionIfAny() : await firstSession();
            // Its pages would close the question of the link.
            if (own !== this.#started) return;
            if (token && await this.#mayReplace(session)) {
                await this.#begin(await signIn(token), {address});
            // Unless another tab ended the question.
            } else if (session && (!token || (!this.#pages && this.#change === before))) {
                await this.#begin(session, {isFirst: true});
            }
        } catch (error) {
            if (this.#change !== before || own !== this.#started) return;
            if (isSignedOut(error)) {
                await this.#refuse(token, session);
            } else if (this.#pages) {
                const isAgain = await ask({title: 'Not signed in with this link',
                    text: error.message, action: 'Try again', cancel: 'Close'});
                if (isAgain) await this.start(token, address);
            } else showFailure(error.message, () => this.start(token));
        }
    }

    /**
     * Takes a link with a token that was entered over the pages.
     *
     * @param {string} token
     * @param {string} before Fragment of the address before the link.
     */
    async followLink(token, before) {
        const pages = this.#pages;
        await this.start(token, before);
        await this.#lastResumption;
        // Remaining pages must show the page in the link, if it has one; new ones start with it.
        if (pages && this.#pages === pages && this.#ports.fragment() !== before) {
            pages.follow(before);
        }
    }

    /**
     * Continues with the session that began in another tab, or ends with it: tabs share the cookie.
     *
     * @param {boolean} isEnded True when another tab reports that the user has signed out.
     */
    async follow(isEnded = false) {
        this.#followed += 1;
        const own = this.#followed;
        try {
            const session = await this.#ports.currentSession();
            if (own !== this.#followed) return;
            if (this.#endSignInAgain) this.#endSignInAgain(session);
            else if (!this.#isShown(session)) await this.#begin(session, {isFirst: !this.#pages});
        } catch (error) {
            // Without a response, the server refuses the next call.
            if (own !== this.#followed || !isSignedOut(error) || !this.#pages
                || (this.#endSignInAgain && !isEnded)) return;
            const {name} = this.#pages.session;
            await this.#end('You signed out in another tab.');
            this.#ports.forgetUser(name, {keepsWork: true});
        }
    }

    /**
     * Says that the token of a link, or the session, is not valid.
     *
     * @param {?string} token
     * @param {?Session} session Session that continues; null if nobody is signed in.
     */
    async #refuse(token, session) {
        const notice = 'The token of this link is unknown, expired or revoked.';
        if (!session) {
            await this.#end(token ? notice : undefined);
            return;
        }
        if (!this.#pages) await this.#begin(session, {isFirst: true});
        await this.#ports.ask({title: 'Not signed in with this link', action: 'OK', cancel: 'Close',
            text: `${notice} You are still signed in as ${administratorName(session.name)}.`});
    }

    /**
     * Closes the pages and all dialogs, and keeps unfinished forms; false when a later change
     * superseded it.
     */
    async #leave() {
        this.#change += 1;
        const own = this.#change;
        this.#pages?.end();
        this.#pages = null;
        this.#endSignInAgain = null;
        await this.#ports.endDialogs();
        return own === this.#change;
    }

    /**
     * Shows the pages for a session in place of earlier ones; keeps the pages of the same user.
     *
     * @param {Session} session
     * @param {{isFirst?: boolean, address?: string}} [options] `isFirst` is true when the page has
     *     just loaded. `address` is the fragment before a link that the user entered.
     */
    async #begin(session, options = {}) {
        const fate = fateOfPages(this.#shown, this.#pages !== null, session);
        if (fate === 'renewed') {
            this.#renew(session);
            return;
        }
        const isSameUser = session.name === this.#shown?.name;
        // The server keeps drafts by token: the new one may lack them.
        if (isSameUser && fate === 'reloaded') this.#pages?.workspaces.keepDrafts(true);
        if (!await this.#leave()) return;
        if (fate === 'reloaded') {
            const {dropQuery, fragment, reload} = this.#ports;
            const isOfLink = options.address !== undefined && options.address !== fragment();
            if (!isSameUser && !isOfLink) dropQuery();
            reload();
            return;
        }
        this.#shown = session;
        this.#ports.setCSRFToken(session.csrfToken);
        const pages = this.#ports.pagesOf(
            session, (note) => this.#end(`You are signed out.${note}`));
        this.#pages = pages;
        this.#ports.setSignedOutHandler(this.#resumption(pages));
        pages.start({isFirst: options.isFirst ?? false});
    }

    /**
     * Continues with another session of the same user, whose other token has no drafts yet.
     *
     * @param {Session} session
     */
    #renew(session) {
        const isOtherToken = !this.#isShown(session);
        this.#shown = session;
        this.#ports.setCSRFToken(session.csrfToken);
        if (isOtherToken) this.#pages?.workspaces.sendDrafts();
        this.#endSignInAgain?.(session);
    }

    /**
     * Closes the pages, and shows the sign-in form with an optional notice.
     *
     * @param {string} [notice]
     */
    async #end(notice) {
        if (!await this.#leave()) return;
        this.#ports.showSignIn(notice, (session) => this.#begin(session));
    }

    /**
     * True when the pages are shown with the session's token, whose sessions share a CSRF token.
     *
     * @param {Session} session
     */
    #isShown(session) {
        return this.#pages !== null && this.#shown?.csrfToken === session.csrfToken;
    }

    /**
     * Continues after the server refused a call of the pages because its session has ended. The
     * refusal can be older than the current session, so this asks for another sign-in only if there
     * is no session. Another user gets new pages.
     *
     * @param {SessionPages} pages Pages that sent the call.
     * @returns {Promise<boolean>} True when they remain, with a session of the same user.
     */
    async #resume(pages) {
        if (this.#pages !== pages) return false;
        /** @type {(session: Session) => void} */
        let endOwn = () => {};
        /** @type {Promise<Session>} */
        const elsewhere = new Promise((resolve) => {
            endOwn = resolve;
        });
        this.#endSignInAgain = endOwn;
        const address = this.#ports.fragment();
        /** @type {?Session | undefined} */
        let session;
        try {
            session = await Promise.race([elsewhere, this.#sessionIfAny()]);
            if (!session && this.#pages === pages) {
                session = await this.#ports.signInAgain(pages, elsewhere);
            }
        } catch {
            // Without a response it is unknown whether the session has ended; the next call finds
            // out.
            return false;
        } finally {
            if (this.#endSignInAgain === endOwn) this.#endSignInAgain = null;
        }
        if (!session || this.#pages !== pages) return false;
        if (!this.#isShown(session)) await this.#begin(session, {address});
        if (this.#pages === pages) pages.workspaces.keepDrafts(false);
        return this.#isShown(session);
    }

    /**
     * Handler for refused calls of pages, which share one sign-in.
     *
     * @param {SessionPages} pages
     */
    #resumption(pages) {
        /** @type {?Promise<boolean>} */
        let resumed = null;
        return () => {
            resumed ??= this.#resume(pages).finally(() => {
                resumed = null;
            });
            this.#lastResumption = resumed;
            return resumed;
        };
    }

    /**
     * Asks before the token of a link replaces a session. Prevents login CSRF: a foreign link must
     * not silently switch the browser to another account.
     *
     * @param {?Session} session Current session.
     * @returns {Promise<boolean>} True without a session, or when the user confirms.
     */
    async #mayReplace(session) {
        return !session || await this.#ports.ask({
            title: 'Sign in with this link?',
            text: `You are signed in as ${administratorName(session.name)}. The link signs you in `
                + 'with another token; what you publish is then recorded under its name.',
            action: 'Sign in with the link', cancel: `Stay ${administratorName(session.name)}`});
    }

    /** Null when nobody is signed in. */
    async #sessionIfAny() {
        return this.#ports.currentSession().catch((error) => {
            if (isSignedOut(error)) return null;
            throw error;
        });
    }
}
