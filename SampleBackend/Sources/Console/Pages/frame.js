/**
 * What stands around every page: the header, the navigation, and the bar of the draft.
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

/** Milliseconds between two looks whether somebody has published. */
const lookInterval = 5000;

/** The frame of the pages while somebody is signed in. */
export class Frame {
    #listening = new AbortController();
    #leavePage = () => {};
    #timer = 0;

    /**
     * @param {HTMLElement} root Where.
     * @param {{name: string, role: string}} session Who.
     * @param {function(): void} onSignedOut What happens after signing out.
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

    /** Shows the frame and the page of the address. */
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

    /** Ends every work of the frame. */
    end() {
        this.#listening.abort();
        this.#leavePage();
        clearInterval(this.#timer);
    }

    /** Goes to where the address leads. */
    #follow() {
        const {project} = currentRoute();
        if (project !== null && project !== this.workspace?.project) {
            // After a project is chosen, the focus stays in the chooser.
            const isChoice = this.projectChooser.contains(document.activeElement);
            this.#openProject(project, !isChoice);
        } else {
            this.#showPage(true);
        }
    }

    /** Opens a project; without its name, or when there is none of this name, the first one. */
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

    /** The names of the projects. */
    async #projectNames() {
        const {body} = await call('GET', '/v1/projects');
        return body.projects.map((project) => project.name);
    }

    /** Shows the choice of projects. */
    #showProjects(names, current) {
        const select = choice(names.map((name) => [name, name]), current, {
            'aria-label': 'Project', 'data-focus': 'project', onchange: () => {
                setProject(select.value);
                go(currentRoute().path);
            }});
        redraw(this.projectChooser, h('span', {class: 'muted', 'aria-hidden': 'true'}, 'Project'),
            select);
    }

    /** Shows the bar of the draft. */
    #showBar() {
        redraw(this.bar, draftBar(this.#context));
    }

    /** What every page gets. */
    get #context() {
        return {
            session: this.session, workspace: this.workspace, project: this.workspace.project,
            query: currentRoute().query, redraw: () => this.#showPage(false),
        };
    }

    /** Shows the page of the address; after a way to it, the focus is on its heading. */
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

    /** Shows the navigation. */
    #showNavigation(current) {
        const link = (path) => h('li', {}, h('a', {
            href: address(path), 'aria-current': path === current ? 'page' : null,
        }, pages.find((page) => page.path === path).title));
        fill(this.navigation,
            h('p', {class: 'nav-who muted'}, `${this.session.name}, ${this.session.role}`),
            pageGroups.map(({name, paths}) => h('div', {class: 'nav-group'},
                h('h2', {}, name), h('ul', {class: 'plain'}, paths.map(link)))));
    }

    /** Opens or closes the navigation of a narrow page. */
    #setMenu(isOpen) {
        this.menu.setAttribute('aria-expanded', String(isOpen));
        this.navigation.classList.toggle('open', isOpen);
    }

    /** Looks whether somebody has published, while the page is seen. */
    async #look() {
        if (document.hidden || !this.workspace) return;
        // A failed check is not reported: the next one follows.
        await this.workspace.checkNewest().catch(() => {});
    }

    /** Signs out, after a question when a draft would be lost. */
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
