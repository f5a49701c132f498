/**
 * The links to the pages, and a placeholder for pages of unpublished projects.
 */

import {administratorName, badge, nothing, pageHead} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {address} from '../routing/router.js';
import {refusal} from '../server/session.js';
import {pageIcon} from './page-icons.js';
import {pageGroups, pages} from './pages.js';

/**
 * Links to all pages by groups; `current` is the path of the shown page. A page that the user's
 * role cannot use is marked with the role that it needs.
 *
 * @param {Pick<Session, 'name' | 'role'>} session
 * @param {string} current
 */
export function navigationView({name: user, role}, current) {
    const shown = pages.find(({path}) => path === current);
    /** @param {string} path */
    const link = (path) => {
        const isWithin = path === shown?.group && 'true';
        const page = pages.find((page) => page.path === path);
        const refused = page?.role ? refusal({role}, page.role) : null;
        return h('li', {}, h('a', {
            href: address(path), 'aria-current': path === current ? 'page' : isWithin || null,
            title: refused,
        }, pageIcon(path), h('span', {}, page?.title,
            refused && [' ', badge(`needs ${page?.role}`)])));
    };
    return [
        h('p', {class: 'nav-who muted'}, `${administratorName(user)}, ${role}`),
        pageGroups.map(({name, paths}) => h('div', {class: 'nav-group'},
            h('h2', {}, name), h('ul', {class: 'plain'}, paths.map(link)))),
    ];
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
