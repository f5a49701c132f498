/**
 * Shows the page in the address, which may have to load first.
 */

import {message} from '../controls/controls.js';
import {announce, fill, focusOn, h} from '../controls/dom.js';
import {focusHeading} from '../controls/focus.js';
import {shownName} from '../projects/project-details.js';
import {address, currentRoute} from '../routing/router.js';
import {unpublishedView} from './navigation.js';
import {loadedPage, loadPage, pages, pathsOfPublished} from './pages.js';

/** The page in the address; undefined for an unknown one. */
function currentPage() {
    const {path} = currentRoute();
    return pages.find((page) => page.path === path);
}

/** The place of the pages; shows one at a time. */
export class PageHost {
    #main;
    #leave = () => {};

    /** @param {HTMLElement} main Element to fill. */
    constructor(main) {
        this.#main = main;
    }

    /** Stops the page. */
    leave() {
        this.#leave();
        this.#leave = () => {};
    }

    /**
     * Stops the current page and shows the one in the address. After a navigation, scrolls to the
     * top and focuses the heading.
     *
     * @param {PageContext} context
     * @param {boolean} isNavigation
     */
    show(context, isNavigation) {
        const page = currentPage();
        const module = page && loadedPage(page);
        const main = this.#main;
        const active = main.contains(document.activeElement) ? document.activeElement : null;
        this.leave();
        fill(main);
        if (!page) {
            fill(main, h('h1', {tabindex: '-1'}, 'This page does not exist'),
                h('p', {}, h('a', {href: address('settings')}, 'Go to the settings')));
        } else if (pathsOfPublished.includes(page.path) && context.workspace.version === null) {
            fill(main, unpublishedView(page.title, context.project));
        } else if (module) {
            this.#leave = module.show(main, context) ?? (() => {});
        } else {
            this.#load(page, context, isNavigation);
            return;
        }
        this.showTitle(context.details);
        if (isNavigation) {
            announce(page?.title ?? 'Not found');
            window.scrollTo(0, 0);
            focusHeading();
        } else if (active && !active.isConnected) {
            const key = active.getAttribute('data-focus');
            if (!key || !focusOn(key, main)) focusHeading();
        }
    }

    /**
     * Loads a page, and shows it unless another one was opened meanwhile.
     *
     * @param {Page} page
     * @param {PageContext} context
     * @param {boolean} isNavigation
     */
    async #load(page, context, isNavigation) {
        let isLeft = false;
        this.#leave = () => {
            isLeft = true;
        };
        fill(this.#main, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
        try {
            await loadPage(page);
            if (!isLeft) this.show(context, isNavigation);
        } catch {
            if (isLeft) return;
            this.showTitle(context.details);
            // Browsers keep failed modules, so only a reload can get them.
            fill(this.#main, h('h1', {tabindex: '-1'}, page.title),
                message('error', 'This page could not be loaded: the server does not answer, or it '
                    + 'was updated. Reload the console to continue; your draft is kept.'),
                h('button', {type: 'button', onclick: () => location.reload()}, 'Reload'));
            if (isNavigation) focusHeading();
        }
    }

    /**
     * Writes the title of the window.
     *
     * @param {Project} project
     */
    showTitle(project) {
        const title = currentPage()?.title ?? 'Not found';
        document.title = `${title} · ${shownName(project)} · ActiveConfig`;
    }
}
