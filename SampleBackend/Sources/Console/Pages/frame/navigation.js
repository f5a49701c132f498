/**
 * The links to the pages, and a placeholder for pages of unpublished projects.
 */

import {administratorName, badge, nothing, pageHead} from '../controls/controls.js';
import {fill, h, redraw} from '../controls/dom.js';
import {address} from '../routing/router.js';
import {countOpenRequests} from '../server/change-requests.js';
import {refusal} from '../server/session.js';
import {pageIcon} from './page-icons.js';
import {pageGroups, pages} from './pages.js';

/**
 * Links to all pages by groups; `current` is the path of the shown page. A page that the user's
 * role cannot use is marked with the role that it needs, and the change requests have the number of
 * the open ones.
 *
 * @param {Pick<Session, 'name' | 'role'>} session
 * @param {string} current
 * @param {number} openRequests
 */
export function navigationView({name: user, role}, current, openRequests) {
    const shown = pages.find(({path}) => path === current);
    /** @param {string} path */
    const link = (path) => {
        const isWithin = path === shown?.group && 'true';
        const page = pages.find((page) => page.path === path);
        const refused = page?.role ? refusal({role}, page.role) : null;
        return h('li', {}, h('a', {
            href: address(path), 'aria-current': path === current ? 'page' : isWithin || null,
            title: refused, 'data-focus': `page ${path}`,
        }, pageIcon(path), h('span', {}, page?.title,
            refused && [' ', badge(`needs ${page?.role}`)],
            path === 'change-requests' && openRequests > 0 && [' ', h('span', {class: 'badge'},
                openRequests, h('span', {class: 'visually-hidden'}, ' open'))])));
    };
    return [
        h('p', {class: 'nav-who muted'}, `${administratorName(user)}, ${role}`),
        pageGroups.map(({name, paths}) => h('div', {class: 'nav-group'},
            h('h2', {}, name), h('ul', {class: 'plain'}, paths.map(link)))),
    ];
}

/** The links to the pages, with the number of open change requests. */
export class Navigation {
    #element;
    /** @type {?{session: Session, path: string, project: string}} */
    #shown = null;
    #openRequests = 0;

    /**
     * @param {HTMLElement} element Element to fill.
     */
    constructor(element) {
        this.#element = element;
    }

    /**
     * @param {Session} session
     * @param {string} path Path of the shown page.
     * @param {string} project
     */
    show(session, path, project) {
        const isOther = project !== this.#shown?.project;
        if (isOther) this.#openRequests = 0;
        this.#shown = {session, path, project};
        fill(this.#element, navigationView(session, path, this.#openRequests));
        if (isOther) this.countRequests();
    }

    /** Reads the number of open change requests again, and shows it if it has changed. */
    async countRequests() {
        const project = this.#shown?.project;
        if (project === undefined) return;
        let count = 0;
        try {
            count = await countOpenRequests(project);
        } catch {
            // The page reports that the server does not answer; an earlier one has no number.
            return;
        }
        if (project !== this.#shown?.project || count === this.#openRequests) return;
        this.#openRequests = count;
        redraw(this.#element, navigationView(this.#shown.session, this.#shown.path, count));
    }
}

/**
 * Placeholder for a page that shows published content, in a project without a version.
 *
 * @param {string} title
 * @param {string} project
 */
export function unpublishedView(title, project) {
    return [
        pageHead(title),
        h('section', {class: 'card'}, nothing(
            `Nothing in ${project} is published yet, so this page is empty: apps use `
                + 'their own defaults.',
            h('a', {class: 'button', href: address('settings')}, 'Go to the settings'))),
    ];
}
