/**
 * Layout around every page: header, navigation and draft bar.
 */

import {call} from './api.js';
import {choice, message} from './controls.js';
import {ask} from './dialog.js';
import {announce, fill, h, redraw} from './dom.js';
import {draftBar} from './draft-bar.js';
import {pageGroups, pages} from './pages.js';
import {address, currentRoute, go, setProject, setQuery} from './router.js';
import {signOut} from './session.js';
import {forgetDrafts, hasDrafts, Workspace} from './workspace.js';

/** Milliseconds between checks for a new version. */
const lookInterval = 5000;

/** Shows the pages of a signed-in user, and follows the address; `end` stops it. */
export class Frame {
    #listening = new AbortController();
    #leavePage = () => {};
    #timer = 0;

    /**
     * @param {HTMLElement} root Element to fill.
     * @param {{name: string, role: string}} session Signed-in user.
     * @param {function(): void} onSignedOut Called after the user has signed out.
     */
    constructor(root, session, onSignedOut) {
        this.root = root;
        this.session = session;
        this.onSignedOut = onSignedOut;
        this.brand = h('a', {
            class: 'brand', href: address('settings'), 'aria-label': 'ActiveConfig'},
            h('img', {src: 'icon.svg', alt: '', width: '22', height: '22'}),
            h('span', {}, 'ActiveConfig'));
        this.projectChooser = h('div', {class: 'project'});
        this.navigation = h('nav', {id: 'navigation', 'aria-label': 'Pages'});
        this.bar = h('div', {class: 'draft-place'});
        this.main = h('main', {id: 'main', tabindex: '-1'});
        this.menu = h('button', {
            type: 'button', class: 'menu', 'aria-expanded': 'false', 'aria-controls': 'navigation',
            onclick: () => this.#setMenu(this.menu.getAttribute('aria-expanded') !== 'true'),
        }, 'Menu');
    }

    /** Renders the frame and the page in the address, and starts the timer and listeners. */
    async start() {
        fill(this.root,
            h('a', {class: 'skip', href: '#main', onclick: (event) => {
                event.preventDefault();
                this.main.focus();
            }}, 'Skip to the content'),
            h('header', {class: 'top'},
                this.menu,
                this.brand,
                this.projectChooser,
                h('div', {class: 'account'},
                    h('span', {class: 'who'}, h('span', {class: 'name'}, this.session.name),
                        h('span', {class: 'badge'}, this.session.role)),
                    h('button', {type: 'button', class: 'quiet', onclick: () => this.#signOut()},
                        'Sign out'))),
            h('div', {class: 'columns'}, this.navigation,
                h('div', {class: 'content'}, this.bar, this.main)));
        window.addEventListener(
            'hashchange', () => this.#follow(), {signal: this.#listening.signal});
        document.addEventListener(
            'visibilitychange', () => this.#look(), {signal: this.#listening.signal});
        await this.#openProject(currentRoute().project);
        this.#timer = setInterval(() => this.#look(), lookInterval);
    }

    /** Stops the timer, the listeners and the page. */
    end() {
        this.#listening.abort();
        this.#leavePage();
        clearInterval(this.#timer);
    }

    /** Shows the project and page in the address after it changed. */
    #follow() {
        const {project} = currentRoute();
        if (project !== null && project !== this.workspace?.project) {
            // Keeps the focus in the project chooser after a choice there.
            const isChoice = this.projectChooser.contains(document.activeElement);
            this.#openProject(project, !isChoice);
        } else {
            this.#showPage(true);
        }
    }

    /**
     * Opens a project: the wanted one, else the first, else `default` if there are none. Shows no
     * page when the address names another project by the time it is loaded.
     */
    async #openProject(wanted, isNavigation = false) {
        this.#leavePage();
        this.#leavePage = () => {};
        const asked = currentRoute().project;
        fill(this.main, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
        try {
            const names = await this.#projectNames();
            const name = names.includes(wanted) ? wanted : names[0] ?? 'default';
            setProject(name);
            this.#showProjects(names.length ? names : [name], name);
            const workspace = new Workspace(name);
            await workspace.load();
            if (this.#listening.signal.aborted || currentRoute().project !== asked) return;
            this.workspace = workspace;
            workspace.addEventListener('change', () => this.#showBar());
            this.brand.href = address('settings');
            setQuery(Object.fromEntries(currentRoute().query));
            this.#showPage(isNavigation);
        } catch (error) {
            fill(this.main, message('error', error.message), h('button', {
                type: 'button', onclick: () => this.#openProject(wanted)}, 'Try again'));
        }
    }

    async #projectNames() {
        const {body} = await call('GET', '/v1/projects');
        return body.projects.map((project) => project.name);
    }

    #showProjects(names, current) {
        const select = choice(names.map((name) => [name, name]), current, {
            'aria-label': 'Project', 'data-focus': 'project', onchange: () => {
                setProject(select.value);
                go(currentRoute().path);
            }});
        redraw(this.projectChooser, h('span', {class: 'muted', 'aria-hidden': 'true'}, 'Project'),
            select);
    }

    #showBar() {
        redraw(this.bar, draftBar(this.#context));
    }

    /** Second argument of each page's `show`; `redraw` renders the page again. */
    get #context() {
        return {
            session: this.session, workspace: this.workspace, project: this.workspace.project,
            query: currentRoute().query, redraw: () => this.#showPage(false),
        };
    }

    /**
     * Stops the current page and shows the one in the address. After a navigation, scrolls to the
     * top and focuses the heading.
     */
    #showPage(isNavigation) {
        if (!this.workspace) return;
        const {path} = currentRoute();
        const page = pages.find((candidate) => candidate.path === path);
        this.#leavePage();
        this.#leavePage = () => {};
        this.#showNavigation(path);
        this.#showBar();
        this.#setMenu(false);
        fill(this.main);
        if (!page) {
            fill(this.main, h('h1', {tabindex: '-1'}, 'There is no such page'),
                h('p', {}, h('a', {href: address('settings')}, 'Go to the settings')));
        } else {
            this.#leavePage = page.show(this.main, this.#context) ?? (() => {});
        }
        const title = page?.title ?? 'Not found';
        document.title = `${title} · ${this.workspace.project} · ActiveConfig`;
        if (isNavigation) {
            announce(title);
            window.scrollTo(0, 0);
            this.main.querySelector('h1')?.focus({preventScroll: true});
        }
    }

    #showNavigation(current) {
        const link = (path) => h('li', {}, h('a', {
            href: address(path), 'aria-current': path === current ? 'page' : null,
        }, pages.find((page) => page.path === path).title));
        fill(this.navigation,
            h('p', {class: 'nav-who muted'}, `${this.session.name}, ${this.session.role}`),
            pageGroups.map(({name, paths}) => h('div', {class: 'nav-group'},
                h('h2', {}, name), h('ul', {class: 'plain'}, paths.map(link)))));
    }

    /** Opens or closes the navigation on a narrow screen. */
    #setMenu(isOpen) {
        this.menu.setAttribute('aria-expanded', String(isOpen));
        this.navigation.classList.toggle('open', isOpen);
    }

    /** Checks for a new version, unless the browser's tab is hidden. */
    async #look() {
        if (document.hidden || !this.workspace) return;
        // A failed check is not reported, since the timer repeats it.
        await this.workspace.checkNewest().catch(() => {});
    }

    /** Signs out and deletes all drafts; asks first when there are any. */
    async #signOut() {
        if (hasDrafts() && !await ask({
            title: 'Sign out?', text: 'Your draft is not published. Signing out discards it.',
            action: 'Discard and sign out', isDangerous: true})) return;
        try {
            await signOut();
        } catch (error) {
            await ask({title: 'Not signed out', text: error.message, action: 'OK',
                cancel: 'Close'});
            return;
        }
        forgetDrafts();
        history.replaceState(null, '', location.pathname);
        this.onSignedOut();
    }
}
