/**
 * What the pages read of the open project.
 */

import {undoTime} from './publish-note.js';
import {initialState, isOutdated, isUnsaved, patchedBy, shownBy, versionNumberOf}
    from './draft-state.js';

/** The state of a project in a tab, of which `Workspace` is the one that changes it. */
export class WorkspaceView extends EventTarget {
    /** Only `Workspace` sets it. */
    state = initialState;

    /** Published template without `version`; empty before the first publish. */
    get published() {
        return this.state.current.template;
    }

    /** Version of `published`; null before the first publish. */
    get version() {
        return this.state.current.version;
    }

    /**
     * Number of `version`; before the first publish "0", or the number after the last one of a
     * deleted project of the same name.
     */
    get versionNumber() {
        return versionNumberOf(this.state);
    }

    /** Entity tag of `published`; `*` until `load` has read it. */
    get etag() {
        return this.state.current.etag;
    }

    /** Newest version on the server at the last check; may be newer than `version`. */
    get newestVersion() {
        return this.state.newestVersion;
    }

    /**
     * `{template, base, baseTemplate, etag, changes, isBaseGone}`: the edited template; the number,
     * template and entity tag of the base version; the differences, or null until the server has
     * reported them for this template; true if the server no longer keeps the base version, so that
     * `baseTemplate` is the current one and the differences are unknown. Null without a draft.
     */
    get draft() {
        return this.state.draft;
    }

    /** Template that the pages show: the draft's, or the published one. */
    get template() {
        return shownBy(this.state).template;
    }

    /** Template to compare `template` with; the published one without a draft. */
    get baseTemplate() {
        return this.draft?.baseTemplate ?? this.published;
    }

    /** The server's state, to which it applies patches of the draft. */
    get patched() {
        return patchedBy(this.state);
    }

    /** Why the server lacks the draft; null if it has it, or at the first attempt to save. */
    get saveProblem() {
        return this.state.problem;
    }

    /** Paths that another tab or user also changed, where this tab's value won. */
    get overwritten() {
        return this.state.overwritten;
    }

    /** Template with the values that this tab's replaced at the paths `overwritten`. */
    get replaced() {
        return this.state.replaced;
    }

    /** Paths that the last undo or redo left as others changed them since. */
    get left() {
        return this.state.left;
    }

    /** Names of the steps of a draft that went with its project, the last one first. */
    get dropped() {
        return this.state.dropped;
    }

    /** How the tab's last publish ended; null without one. */
    get lastPublish() {
        return this.state.publish;
    }

    /** True while the server lacks the draft as shown in this tab. */
    get isUnsaved() {
        return isUnsaved(this.state);
    }

    /**
     * True while a project that was left must stay in the tab: its draft is unsaved or is being
     * published, or no page has shown how its publish ended, which can still be undone.
     */
    get isPending() {
        const {isPublishing, publish} = this.state;
        return this.isUnsaved || isPublishing
            || (publish !== null && (!publish.isSeen || Date.now() - publish.time < undoTime));
    }

    /** True if the server has refused the draft as shown in this tab. */
    get isRefused() {
        return this.state.phase === 'refused';
    }

    /** True if a version is newer than the draft's base, or than `version` without a draft. */
    get isOutdated() {
        return isOutdated(this.state);
    }
}
