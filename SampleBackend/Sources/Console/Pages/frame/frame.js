/**
 * Layout around every page: header, navigation and draft bar.
 */

import {call, ServerError} from '../server/api.js';
import {administratorName, message, publisherName} from '../controls/controls.js';
import {ask} from '../controls/dialog.js';
import {announce, fileAddress, fill, focusOn, h, redraw} from '../controls/dom.js';
import {draftBar} from '../drafts/draft-bar.js';
import {focusHeading} from '../controls/focus.js';
import {dropLeftEntry, isHeld} from '../controls/held-entry.js';
import {navigationView, unpublishedView} from './navigation.js';
import {markHeader, projectChooser} from '../projects/project-chooser.js';
import {hasSameMarks, shownName} from '../projects/project-details.js';
import {loadAllPages, loadedPage, loadPage, pages, pathsOfPublished} from '../routing/pages.js';
import {paletteButton} from '../palette/palette-button.js';
import {paletteEntries} from '../palette/palette-entries.js';
import {usePalette} from '../palette/palette.js';
import {projectToOpen, rememberProject, startProject, unknownProjectView} from '../projects/projects.js';
import {resumeForms} from './resume-form.js';
import {address, currentRoute, go, setProject, setQuery} from '../routing/router.js';
import {refusal, sessionIn, signOut} from '../server/session.js';
import {watchStepKeys} from '../drafts/step-controls.js';
import {reserveRoom} from '../controls/sticky.js';
import {forgetUser} from '../drafts/stored-data.js';
import {Workspaces} from '../drafts/workspaces.js';

/** Milliseconds between checks for a new version. */
const lookInterval = 5000;

/**
 * Title of a page; undefined means an unknown page.
 *
 * @param {Page | undefined} page
 */
function titleOf(page) {
    return page?.title ?? 'Not found';
}

/**
 * Calls a function when the browser has nothing else to do.
 *
 * @param {() => void} action
 */
function whenIdle(action) {
    if (window.requestIdleCallback) window.requestIdleCallback(action);
    else setTimeout(action, 1000);
}

/** Shows the pages of a signed-in user, and follows the address; `end` stops it. */
export class Frame {
    #listening = new AbortController();
    #leavePage = () => {};
    #timer = 0;
    #isLooking = false;
    /** Number of the last opened project; results that belong to an earlier number are dropped. */
    #opening = 0;
    #workspaces;
    /** Aborts the listeners of the open workspace. */
    #watching = new AbortController();
    /**
     * Projects in the choice of projects.
     *
     * @type {Project[]}
     */
    #projects = [];

    /**
     * @param {HTMLElement} root Element to fill.
     * @param {Session} session Signed-in user.
     * @param {function(string): void} onSignedOut Called after the user has signed out, with a
     *     sentence about the draft or "".
     */
    constructor(root, session, onSignedOut) {
        this.root = root;
        this.session = session;
        /**
         * Name and marks that distinguish the open project.
         *
         * @type {Project}
         */
        this.details = {name: ''};
        this.#workspaces = new Workspaces(session);
        this.onSignedOut = onSignedOut;
        this.brand = h('a', {
            class: 'brand', href: address('settings'), 'aria-label': 'ActiveConfig'},
            h('img', {src: fileAddress('icon.svg'), alt: '', width: '22', height: '22'}),
            h('span', {}, 'ActiveConfig'));
        this.projectChooser = h('div', {class: 'project'});
        this.navigation = h('nav', {id: 'navigation', 'aria-label': 'Pages'});
        this.bar = h('div', {class: 'draft-place'});
        this.main = h('main', {id: 'main', tabindex: '-1'});
        this.menu = h('button', {
            type: 'button', class: 'menu', 'aria-expanded': 'false', 'aria-controls': 'navigation',
            onclick: () => this.#setMenu(this.menu.getAttribute('aria-expanded') !== 'true'),
        }, 'Menu');
        this.role = h('span', {class: 'badge'}, session.role);
        this.header = h('header', {class: 'top'}, this.menu, this.brand, this.projectChooser,
            h('div', {class: 'account'},
                paletteButton(() => this.#openPalette(), this.#listening.signal),
                h('span', {class: 'who'},
                    h('span', {class: 'name'}, administratorName(session.name)), this.role),
                h('button', {type: 'button', class: 'quiet', onclick: () => this.#signOut()},
                    'Sign out')));
    }

    /**
     * Renders the frame and the page in the address, starts the timer and the listeners, and
     * reopens the user's unfinished forms.
     *
     * @param {{isFirst: boolean}} options `isFirst` is true when the page was just loaded: the focus
     *     stays where the browser begins.
     */
    async start({isFirst}) {
        fill(this.root,
            h('a', {class: 'skip', href: '#main', onclick: (event) => {
                event.preventDefault();
                this.main.focus();
            }}, 'Skip to the content'),
            this.header,
            h('div', {class: 'columns'}, this.navigation,
                h('div', {class: 'content'}, this.bar, this.main)));
        reserveRoom('--header', this.header);
        window.addEventListener(
            'hashchange', ({oldURL}) => this.follow(new URL(oldURL).hash),
            {signal: this.#listening.signal});
        document.addEventListener(
            'visibilitychange', () => this.#look(), {signal: this.#listening.signal});
        window.addEventListener('beforeunload', (event) => {
            if (this.#workspaces.isUnsaved) event.preventDefault();
        }, {signal: this.#listening.signal});
        watchStepKeys(() => this.workspace, this.#listening.signal);
        await this.#openProject(currentRoute().project, !isFirst);
        if (this.#listening.signal.aborted) return;
        if (this.workspace) resumeForms(this.#contextOf(this.workspace));
        dropLeftEntry();
        // Not reported: a page that is opened reports it.
        whenIdle(() => loadAllPages().catch(() => {}));
        this.#timer = setInterval(() => this.#look(), lookInterval);
    }

    /** The open project; null while none is. */
    get workspace() {
        return this.#workspaces.open;
    }

    /** Saves the drafts after the user signed in with another token. */
    sendDrafts() {
        this.#workspaces.sendDrafts();
    }

    /** Stops the timer, the listeners and the page. */
    end() {
        this.#listening.abort();
        this.#leavePage();
        this.#workspaces.stop();
        clearInterval(this.#timer);
    }

    /**
     * Shows the project and page in the address after it changed from the fragment `before`.
     *
     * @param {string} before
     */
    follow(before) {
        // An open dialog decides whether the page below it may change.
        if (isHeld()) return;
        const {project} = currentRoute();
        if (!this.workspace || (project !== null && project !== this.workspace.project)) {
            // Keep the focus in the project chooser after a choice there.
            const isChoice = this.projectChooser.contains(document.activeElement);
            this.#changeProject(project, !isChoice, before);
        } else {
            this.#showPage(true);
        }
    }

    /**
     * Opens another project if the user may leave the open one, else returns to `before`.
     *
     * @param {?string} name
     * @param {boolean} isNavigation
     * @param {string} before
     */
    async #changeProject(name, isNavigation, before) {
        const wanted = location.hash;
        const mayLeave = await this.#workspaces.mayLeave();
        if (this.#listening.signal.aborted) return;
        if (mayLeave) await this.#openProject(name, isNavigation);
        else if (this.workspace && location.hash === wanted) {
            history.replaceState(history.state, '', before);
            setProject(this.workspace.project);
            this.#showProjects(this.#projects, this.workspace.project);
        }
    }

    /**
     * Opens the project in the address, else the last used one. Shows nothing if the address names
     * another project by the time it is loaded, or if another one is being opened.
     * @param {?string} wanted
     * @param {boolean} [isNavigation]
     */
    async #openProject(wanted, isNavigation = false) {
        this.#leavePage();
        this.#leavePage = () => {};
        this.#watching.abort();
        this.#watching = new AbortController();
        this.#workspaces.leave();
        this.#opening += 1;
        const [opening, asked] = [this.#opening, currentRoute().project];
        const isLeft = () => this.#listening.signal.aborted || opening !== this.#opening
            || currentRoute().project !== asked;
        /** @type {?Workspace} */
        let workspace = null;
        fill(this.bar);
        fill(this.main, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
        try {
            const projects = await this.#readProjects();
            const {name, isKnown} = projectToOpen(
                wanted, projects.map((project) => project.name), Boolean(this.session.projects));
            if (isLeft()) return;
            this.#showProjects(projects, isKnown ? name : null);
            if (!isKnown) {
                this.#showUnknown(name, projects, isNavigation);
                return;
            }
            setProject(name);
            const opened = this.#workspaces.of(name, !refusal(this.#ownSession, 'editor'));
            workspace = opened;
            await opened.load();
            if (isLeft()) return;
            rememberProject(name);
            this.#workspaces.show(opened);
            let isPublished = opened.version !== null;
            opened.addEventListener('change', () => {
                this.#showBar();
                if (isPublished === (opened.version !== null)) return;
                isPublished = opened.version !== null;
                if (pathsOfPublished.includes(currentRoute().path)) {
                    this.#showPage(false);
                }
            }, {signal: this.#watching.signal});
            this.brand.href = address('settings');
            setQuery(Object.fromEntries(currentRoute().query));
            this.#showPage(isNavigation);
        } catch (error) {
            if (isLeft()) return;
            fill(this.main, message('error', error.message), h('button', {
                type: 'button', onclick: () => this.#openProject(wanted)}, 'Try again'));
        } finally {
            if (workspace && workspace !== this.workspace) this.#workspaces.leave(workspace);
        }
    }

    /** @returns {Promise<Project[]>} */
    async #readProjects() {
        return (await call('GET', '/v1/projects')).body.projects;
    }

    /**
     * Reports that no project has the name in the address, and offers the existing ones.
     *
     * @param {string} name
     * @param {Project[]} projects
     * @param {boolean} isNavigation
     */
    #showUnknown(name, projects, isNavigation) {
        fill(this.navigation);
        fill(this.main, unknownProjectView(this.session, name, projects, () => {
            startProject(name);
            this.#openProject(name, true);
        }));
        document.title = 'Unknown project · ActiveConfig';
        if (isNavigation) focusHeading();
    }

    /**
     * Shows the choice of projects, and the marks of the open one; null opens none.
     *
     * @param {Project[]} projects
     * @param {?string} name
     */
    #showProjects(projects, name) {
        this.#projects = projects;
        this.details = projects.find((project) => project.name === name) ?? {name: name ?? ''};
        const current = name === null ? null : this.details;
        this.role.textContent = this.#ownSession.role;
        redraw(this.projectChooser, projectChooser(projects, current, (chosen) => {
            setProject(chosen);
            go(this.workspace ? currentRoute().path : 'settings');
        }));
        markHeader(this.header, current);
    }

    /** The session as it counts in the open project. */
    get #ownSession() {
        return sessionIn(this.session, this.details);
    }

    /** Shows the details of projects again if they were changed. */
    async #reloadProjects() {
        const {workspace} = this;
        const projects = await this.#readProjects();
        // A project that is opened meanwhile reads them itself.
        if (!workspace || workspace !== this.workspace) return;
        const shown = this.#projects;
        if (projects.length === shown.length
            && projects.every((project, index) => hasSameMarks(project, shown[index]))) return;
        const before = this.details;
        const hasFocus = this.main.contains(document.activeElement);
        const isDeleted = shown.includes(before) && !projects.some(({name}) => name === before.name);
        if (isDeleted && !isHeld()) {
            await this.#openProject(before.name, hasFocus);
            return;
        }
        this.#showProjects(projects, workspace.project);
        if (hasSameMarks(before, this.details)) return;
        this.#showTitle();
        workspace.dispatchEvent(new Event('detailschange'));
        // Archiving changes what the page allows.
        if (Boolean(before.archived) !== Boolean(this.details.archived) && !isHeld()) {
            await this.#openProject(workspace.project, hasFocus);
        }
    }

    #showBar() {
        if (this.workspace) redraw(this.bar, draftBar(this.#contextOf(this.workspace)));
    }

    /**
     * Second argument of each page's `show`; `redraw` renders the page again.
     *
     * @param {Workspace} workspace
     * @returns {PageContext}
     */
    #contextOf(workspace) {
        const frame = this;
        return {
            session: this.#ownSession, workspace, project: workspace.project,
            query: currentRoute().query,
            // Another user may change them while the page is open.
            get details() {
                return frame.details;
            },
            redraw: () => this.#showPage(false), reloadProjects: () => this.#reloadProjects(),
        };
    }

    /**
     * Stops the current page and shows the one in the address. After a navigation, scrolls to the
     * top and focuses the heading.
     *
     * @param {boolean} isNavigation
     */
    #showPage(isNavigation) {
        if (!this.workspace) return;
        const {path} = currentRoute();
        const page = pages.find((candidate) => candidate.path === path);
        const module = page && loadedPage(page);
        const active = this.main.contains(document.activeElement) ? document.activeElement : null;
        this.#leavePage();
        this.#leavePage = () => {};
        fill(this.navigation, navigationView(this.#ownSession, path));
        this.#showBar();
        this.#setMenu(false);
        fill(this.main);
        if (!page) {
            fill(this.main, h('h1', {tabindex: '-1'}, 'This page does not exist'),
                h('p', {}, h('a', {href: address('settings')}, 'Go to the settings')));
        } else if (pathsOfPublished.includes(path) && this.workspace.version === null) {
            fill(this.main, unpublishedView(page.title, this.workspace.project));
        } else if (module) {
            this.#leavePage = module.show(this.main, this.#contextOf(this.workspace)) ?? (() => {});
        } else {
            this.#loadPage(page, isNavigation);
            return;
        }
        this.#showTitle();
        if (isNavigation) {
            announce(titleOf(page));
            window.scrollTo(0, 0);
            focusHeading();
        } else if (active && !active.isConnected) {
            const key = active.getAttribute('data-focus');
            if (!key || !focusOn(key, this.main)) focusHeading();
        }
    }

    /**
     * Loads a page, and shows it unless another one was opened meanwhile.
     *
     * @param {Page} page
     * @param {boolean} isNavigation
     */
    async #loadPage(page, isNavigation) {
        let isLeft = false;
        this.#leavePage = () => {
            isLeft = true;
        };
        fill(this.main, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
        try {
            await loadPage(page);
            if (!isLeft) this.#showPage(isNavigation);
        } catch {
            if (isLeft) return;
            // Browsers keep failed modules, so only a reload can get them.
            fill(this.main, h('h1', {tabindex: '-1'}, page.title),
                message('error', 'This page could not be loaded: the server does not answer, or it '
                    + 'was updated. Reload the console to continue; your draft is kept.'),
                h('button', {type: 'button', onclick: () => location.reload()}, 'Reload'));
            if (isNavigation) focusHeading();
        }
    }

    #openPalette() {
        const {workspace} = this;
        usePalette(workspace?.project ?? '', () => paletteEntries(
            workspace && this.#contextOf(workspace), this.#projects, () => this.#signOut()));
    }

    #showTitle() {
        const page = pages.find(({path}) => path === currentRoute().path);
        document.title = `${titleOf(page)} · ${shownName(this.details)} · ActiveConfig`;
    }

    /**
     * Opens or closes the navigation on a narrow screen.
     *
     * @param {boolean} isOpen
     */
    #setMenu(isOpen) {
        this.menu.setAttribute('aria-expanded', String(isOpen));
        this.navigation.classList.toggle('open', isOpen);
    }

    /**
     * Checks for a new version and for changed details of projects, unless the browser's tab is
     * hidden. Without a draft or an open form, the page then shows the new version.
     */
    async #look() {
        if (document.hidden || !this.workspace || this.#isLooking) return;
        this.#isLooking = true;
        const {workspace} = this;
        try {
            await workspace.checkNewest();
            await this.#reloadProjects();
            if (workspace !== this.workspace) return;
            if (workspace.draft || !workspace.isOutdated || isHeld()) return;
            let isTaken = false;
            await workspace.load(() => {
                isTaken = workspace === this.workspace && !isHeld();
                return isTaken;
            });
            if (!isTaken || workspace !== this.workspace) return;
            announce(`Version ${workspace.versionNumber} was published by `
                + `${publisherName(workspace.version)}; the page shows it.`);
        } catch {
            // Not reported: the timer repeats the check.
        } finally {
            this.#isLooking = false;
        }
    }

    /** Signs out; asks first when that loses edits that the server does not have. */
    async #signOut() {
        await this.#workspaces.saved();
        // Another user may have signed in while the draft was saved.
        if (this.#listening.signal.aborted) return;
        if (this.#workspaces.isUnsaved && !await ask({
            title: 'Sign out?', text: 'Your last changes are not saved on the server. Signing out '
                + 'loses them.',
            action: 'Lose them and sign out', isDangerous: true})) return;
        const hasDraft = Boolean(this.workspace?.draft);
        try {
            await signOut();
        } catch (error) {
            const advice = error instanceof ServerError && error.status === 403
                ? ' If another session has begun in this browser, sign out again to end that.' : '';
            await ask({title: 'Not signed out', text: error.message + advice, action: 'OK',
                cancel: 'Close'});
            return;
        }
        this.#workspaces.stop();
        forgetUser(this.session.name);
        history.replaceState(null, '', location.pathname);
        this.onSignedOut(hasDraft ? ' Your draft is kept for when you sign in again.' : '');
    }
}
