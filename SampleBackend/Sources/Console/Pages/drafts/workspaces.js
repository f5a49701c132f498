/**
 * The open project's workspace, and workspaces that were left before the server had their drafts or
 * a publish was seen to end.
 */

import {ask} from '../controls/dialog.js';
import {hasUnsavedDrafts} from './draft-mirror.js';
import {refusal} from '../server/session.js';
import {undoTime} from './publish-note.js';
import {Workspace} from './workspace.js';

/**
 * True while a project that was left must stay in the tab: its draft is unsaved or is being
 * published, or no page has shown how its publish ended, which can still be undone.
 *
 * @param {Workspace} workspace
 */
function isPending({isUnsaved, state: {isPublishing, publish}}) {
    return isUnsaved || isPublishing
        || (publish !== null && (!publish.isSeen || Date.now() - publish.time < undoTime));
}

/** The workspaces of one user; `open` is the one that the pages show. */
export class Workspaces {
    /**
     * The workspace of the open project; null while there is none.
     *
     * @type {?Workspace}
     */
    open = null;
    #session;
    #user;
    /** @type {Workspace[]} */
    #left = [];

    /** @param {Session} session Signed-in user. */
    constructor(session) {
        this.#session = session;
        this.#user = session.name;
    }

    /**
     * The workspace of a project: one that was left and is pending, or a new one.
     *
     * @param {string} name
     * @param {Pick<Session, 'role' | 'isReadOnly'>} [session] The session as it counts in it.
     */
    of(name, session = this.#session) {
        const {role, isReadOnly = false} = session;
        const left = this.#left.find((each) => each.project === name && isPending(each));
        const workspace = left ?? new Workspace(name, this.#user, !refusal({role}, 'editor'));
        // The project may have been archived since it was left.
        workspace.isReadOnly = isReadOnly;
        return workspace;
    }

    /**
     * Makes a workspace the open one.
     *
     * @param {Workspace} workspace
     */
    show(workspace) {
        this.open = workspace;
        workspace.sync.open();
        this.#left = this.#left.filter((other) => other !== workspace);
    }

    /** Asks before leaving the open project while the tab's storage lacks its unsaved edits. */
    async mayLeave() {
        if (!this.open?.isUnsaved || this.open.sync.isKeptInTab) return true;
        return ask({
            title: 'Open another project?', text: `Your last changes of ${this.open.project} are `
                + 'not saved on the server, and the browser has no space to keep them. They are '
                + 'lost if this page is closed or reloaded before they are saved.',
            action: 'Open the other project', cancel: 'Stay here', isDangerous: true});
    }

    /** Closes a workspace, by default the open one. */
    leave(workspace = this.open) {
        if (workspace === this.open) this.open = null;
        if (!workspace) return;
        workspace.sync.close();
        this.#left = [...this.#left.filter((other) => other !== workspace), workspace]
            .filter(isPending);
    }

    /** Saves all drafts with another token of the user. */
    sendDrafts() {
        for (const workspace of this.#all) workspace.sync.renew();
    }

    /**
     * Keeps drafts in the tab's storage.
     *
     * @param {boolean} isWhole True also for drafts that the server has.
     */
    keepDrafts(isWhole) {
        for (const workspace of this.#all) workspace.sync.keep(isWhole);
    }

    /** Stops all saves; unsaved drafts stay in the tab's storage. */
    stop() {
        for (const workspace of this.#all) workspace.sync.stop();
    }

    /** Resolves when no save is running. */
    async saved() {
        await Promise.all(this.#all.map((workspace) => workspace.saved()));
    }

    /** True while a draft of any project is being published. */
    get isPublishing() {
        return this.#all.some(({isPublishing}) => isPublishing);
    }

    /** True if this tab has edits of any project that the server lacks. */
    get isUnsaved() {
        return hasUnsavedDrafts(this.#user) || this.#all.some(({isUnsaved}) => isUnsaved);
    }

    /** Workspaces of other projects whose publish ended after they were left. */
    get endedElsewhere() {
        return this.#left.filter(({lastPublish}) => lastPublish?.isSeen === false);
    }

    /** The workspaces that have a draft, also of projects that were left before it was saved. */
    get withDraft() {
        return this.#all.filter(({draft}) => draft);
    }

    get #all() {
        return this.open ? [this.open, ...this.#left] : this.#left;
    }
}
