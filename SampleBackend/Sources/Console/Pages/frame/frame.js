/**
 * The pages of a signed-in user: which project is open, and what follows the address and the
 * server.
 */

import {message} from '../controls/controls.js';
import {fill, h, redraw} from '../controls/dom.js';
import {focusHeading} from '../controls/focus.js';
import {dropLeftEntry, isPageLocked} from '../controls/held-entry.js';
import {draftBar} from '../drafts/draft-bar.js';
import {watchStepKeys} from '../drafts/step-controls.js';
import {Workspaces} from '../drafts/workspaces.js';
import {paletteEntries} from '../palette/palette-entries.js';
import {usePalette} from '../palette/palette.js';
import {markHeader, projectChooser} from '../projects/project-chooser.js';
import {hasSameMarks, mustOpenAnew} from '../projects/project-details.js';
import {projectToOpen, readProjects, rememberProject, unknownProjectView}
    from '../projects/projects.js';
import {followAddress, fragment, replaceFragment} from '../routing/address-bar.js';
import {address, currentRoute, go, setProject, setQuery} from '../routing/router.js';
import {sessionIn} from '../server/session.js';
import {Navigation} from './navigation.js';
import {watchNews} from './news.js';
import {PageHost} from './page-host.js';
import {linkedPages, loadPagesWhenIdle, pathsOfPublished} from './pages.js';
import {resumeForms} from './resume-form.js';
import {Shell} from './shell.js';
import {signOutUser} from './sign-out.js';

/** Shows the pages of a signed-in user, and follows the address; `end` stops it. */
export class Frame {
    #listening = new AbortController();
    /** Number of the last opened project; results that belong to an earlier number are dropped. */
    #opening = 0;
    workspaces;
    #shell;
    #host;
    #navigation;
    /** Aborts the listeners of the open workspace. */
    #watching = new AbortController();
    /** @type {Project[]} In the choice of projects. */
    #projects = [];
    /** True while the open project must be opened anew, but a dialog is open. */
    #isStale = false;

    /**
     * @param {HTMLElement} root Element to fill.
     * @param {Session} session Signed-in user.
     * @param {function(string): void} onSignedOut Called after the user has signed out, with a
     *     sentence about the draft or "".
     */
    constructor(root, session, onSignedOut) {
        this.root = root;
        this.session = session;
        /** @type {Project} Name and marks that distinguish the open project. */
        this.details = {name: ''};
        this.workspaces = new Workspaces(session);
        this.onSignedOut = onSignedOut;
        this.#shell = new Shell(session, {openPalette: () => this.#openPalette(),
            signOut: () => this.#signOut(), openAgain: () => this.#showPage(true),
            signal: this.#listening.signal});
        this.#host = new PageHost(this.#shell.main);
        this.#navigation = new Navigation(this.#shell.navigation);
    }

    /**
     * Renders the frame and the page in the address, starts the timer and the listeners, and
     * reopens the user's unfinished forms.
     *
     * @param {{isFirst: boolean}} options `isFirst` is true when the page was just loaded: the
     *     focus stays where the browser begins.
     */
    async start({isFirst}) {
        this.#shell.show(this.root);
        followAddress((before) => this.follow(before), this.#listening.signal);
        window.addEventListener('beforeunload', (event) => {
            if (this.workspaces.isUnsaved || this.workspaces.isPublishing) event.preventDefault();
        }, {signal: this.#listening.signal});
        watchStepKeys(() => this.workspace, this.#listening.signal);
        await this.#openProject(currentRoute().project, !isFirst);
        if (this.#listening.signal.aborted) return;
        if (this.workspace) resumeForms(this.#contextOf(this.workspace));
        dropLeftEntry();
        loadPagesWhenIdle();
        watchNews(() => this.workspace, () => Promise.all([this.#reloadProjects(),
            this.#navigation.countRequests()]), this.#listening.signal);
    }

    /** The open project; null while none is. */
    get workspace() {
        return this.workspaces.open;
    }

    /** Stops the timer, the listeners and the page. */
    end() {
        this.#listening.abort();
        this.#host.leave();
        this.workspaces.stop();
    }

    /**
     * Shows the project and page in the address after it changed from the fragment `before`.
     *
     * @param {string} before
     */
    follow(before) {
        // An open dialog decides whether the page below it may change.
        if (isPageLocked()) return;
        const {project} = currentRoute();
        if (!this.workspace || (project !== null && project !== this.workspace.project)) {
            // Keep the focus in the project chooser after a choice there.
            const isChoice = this.#shell.projectChooser.contains(document.activeElement);
            this.#changeProject(project, !isChoice, before);
        } else {
            this.#showPage(true);
            // Of an earlier visit that a reload has ended.
            resumeForms(this.#contextOf(this.workspace));
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
        const wanted = fragment();
        const mayLeave = await this.workspaces.mayLeave();
        if (this.#listening.signal.aborted) return;
        if (mayLeave) await this.#openProject(name, isNavigation);
        else if (this.workspace && fragment() === wanted) {
            replaceFragment(before);
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
        this.#host.leave();
        this.#watching.abort();
        this.#watching = new AbortController();
        this.workspaces.leave();
        this.#isStale = false;
        this.#opening += 1;
        const [opening, asked] = [this.#opening, currentRoute().project];
        const isLeft = () => this.#listening.signal.aborted || opening !== this.#opening
            || currentRoute().project !== asked;
        /** @type {?Workspace} */
        let workspace = null;
        fill(this.#shell.bar);
        fill(this.#shell.main, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
        try {
            const projects = await readProjects();
            const {name, isKnown} = projectToOpen(
                wanted, projects.map((project) => project.name), Boolean(this.session.projects));
            if (isLeft()) return;
            this.#showProjects(projects, isKnown ? name : null);
            if (!isKnown) {
                fill(this.#shell.navigation);
                fill(this.#shell.main, unknownProjectView(this.session, name, projects));
                document.title = 'Unknown project · ActiveConfig';
                if (isNavigation) focusHeading();
                return;
            }
            setProject(name);
            const opened = this.workspaces.of(name, this.#ownSession);
            workspace = opened;
            await opened.load();
            if (isLeft()) return;
            rememberProject(name);
            this.workspaces.show(opened);
            let isPublished = opened.version !== null;
            opened.addEventListener('change', () => {
                this.#showBar();
                if (isPublished === (opened.version !== null)) return;
                isPublished = opened.version !== null;
                if (pathsOfPublished.includes(currentRoute().path)) {
                    this.#showPage(false);
                }
            }, {signal: this.#watching.signal});
            opened.addEventListener(
                'publishchange', () => this.#showBar(), {signal: this.#listening.signal});
            this.#shell.brand.href = address('settings');
            setQuery(Object.fromEntries(currentRoute().query));
            this.#showPage(isNavigation);
        } catch (error) {
            if (isLeft()) return;
            fill(this.#shell.main, message('error', error.message), h('button', {
                type: 'button', onclick: () => this.#openProject(wanted)}, 'Try again'));
        } finally {
            if (workspace && workspace !== this.workspace) this.workspaces.leave(workspace);
        }
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
        this.#shell.role.textContent = this.#ownSession.role;
        redraw(this.#shell.projectChooser, projectChooser(projects, current, (chosen) => {
            setProject(chosen);
            go(this.workspace ? currentRoute().path : 'settings');
        }));
        markHeader(this.#shell.header, current);
    }

    /** The session as it counts in the open project. */
    get #ownSession() {
        return sessionIn(this.session, this.details);
    }

    /** Shows the details of projects again if they were changed. */
    async #reloadProjects() {
        const {workspace} = this;
        const projects = await readProjects();
        // A project that is opened meanwhile reads them itself.
        if (!workspace || workspace !== this.workspace) return;
        const [shown, before] = [this.#projects, this.details];
        const now = projects.find(({name}) => name === before.name);
        this.#isStale ||= mustOpenAnew(shown.includes(before) ? before : null, now);
        if (this.#isStale && !isPageLocked()) {
            const hasFocus = this.#shell.main.contains(document.activeElement);
            await this.#openProject(before.name, hasFocus);
            return;
        }
        // A deleted project keeps its marks until then.
        if ((this.#isStale && !now) || (projects.length === shown.length
            && projects.every((project, index) => hasSameMarks(project, shown[index])))) return;
        this.#showProjects(projects, workspace.project);
        workspace.dispatchEvent(new Event('projectschange'));
        if (hasSameMarks(before, this.details)) return;
        this.#host.showTitle(this.details);
        workspace.dispatchEvent(new Event('detailschange'));
    }

    #showBar() {
        if (this.workspace) redraw(this.#shell.bar, draftBar(this.#contextOf(this.workspace)));
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
            query: currentRoute().query, endedElsewhere: this.workspaces.endedElsewhere,
            // Another user may change them while the page is open.
            get details() {
                return frame.details;
            },
            redraw: () => this.#showPage(false), reloadProjects: () => this.#reloadProjects(),
        };
    }

    /**
     * Shows the page in the address.
     *
     * @param {boolean} isNavigation
     */
    #showPage(isNavigation) {
        if (!this.workspace) return;
        this.#navigation.show(this.#ownSession, currentRoute().path, this.workspace.project);
        this.#showBar();
        this.#shell.setMenu(false);
        this.#host.show(this.#contextOf(this.workspace), isNavigation);
    }

    #openPalette() {
        const {workspace} = this;
        const owner = {user: this.session.name, project: workspace?.project ?? ''};
        usePalette(owner, () => paletteEntries(
            workspace && this.#contextOf(workspace), linkedPages, this.#projects,
            () => this.#signOut()));
    }

    async #signOut() {
        const note = await signOutUser(
            this.session.name, this.workspaces, this.#listening.signal);
        if (note !== null) this.onSignedOut(note);
    }
}
