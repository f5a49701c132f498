/**
 * A visit of the review page: what it shows of the draft, and what its parts share.
 */

import {announce, fill, h, redraw} from '../controls/dom.js';
import {focusHeading} from '../controls/focus.js';
import {choiceInput} from '../drafts/choice-input.js';
import {isContained} from '../drafts/ended-draft.js';
import {isEqual} from '../json/json.js';
import {followWaiting, waitingNotice} from '../schedules/waiting-schedules.js';
import {readProtection} from '../server/protection.js';
import {withoutVersion} from '../template/template.js';
import {ChangeChoice, keepOnly} from './change-choice.js';
import {baseGoneView, emptyView, endedElsewhereView, lastPublishView, publishedElsewhereView,
    unsavedView} from './review-messages.js';
import {showReview} from './review-view.js';

/** The session of one visit, from `start` to `end`. */
export class ReviewSession {
    /** Signed-in user, as it counts in the project. */
    session;
    workspace;
    project;
    /** Element of the page that the session fills. */
    body = h('div', {class: 'stack'});
    /**
     * The draft as it is shown; null while none is.
     *
     * @type {?Review}
     */
    review = null;
    /**
     * Description of the version that is entered, but not in the draft yet.
     *
     * @type {?string}
     */
    entered = null;
    /**
     * Keys of the unfolded changes.
     *
     * @type {Set<string>}
     */
    opened = new Set();
    /** The search of the changes. */
    search = {text: ''};
    /**
     * The approvals that a publish needs; null until they are known.
     *
     * @type {?Protection}
     */
    protection = null;
    /** Element that names what is scheduled in the project, for those who publish before. */
    waitingView = h('div', {});
    /** True if a revert of a shown change is not shown yet. */
    hasReverted = false;
    #context;
    #choices;
    #left = new AbortController();
    #shown = new AbortController();
    /** What is shown: also that an earlier visit of the page still publishes. */
    #view = '';
    #isPublishing = false;
    /**
     * Message above what is shown.
     *
     * @type {?HTMLElement}
     */
    #notice = null;
    /**
     * The message that says why a draft ended that was not ended in this tab.
     *
     * @type {?HTMLElement}
     */
    #endNotice = null;
    /**
     * The reason that is shown for an unsaved draft.
     *
     * @type {?string}
     */
    #problem = null;

    /**
     * @param {PageContext} context
     * @param {?string} only Key of a change that is to be published alone.
     */
    constructor(context, only) {
        const {session, workspace, project} = context;
        this.session = session;
        this.workspace = workspace;
        this.project = project;
        this.#context = context;
        this.#choices = choiceInput(workspace);
        if (only !== null) keepOnly(this.#choices, only);
    }

    /** Shows the page, and follows the draft. */
    start() {
        const {workspace} = this;
        const signal = this.left;
        workspace.addEventListener('ended', () => this.#noteEnd(), {signal});
        workspace.addEventListener('change', () => this.follow(), {signal});
        workspace.addEventListener('detailschange', () => {
            if (this.#view === 'review' && !this.#isPublishing) this.show();
        }, {signal});
        if (!workspace.isPublishing) this.#notice = lastPublishView(this);
        this.show();
        this.readProtection();
        followWaiting(this.project, signal, (waiting) => {
            fill(this.waitingView, waitingNotice(waiting));
        });
    }

    /** Reads the approvals that a publish needs, and shows them unless there are none. */
    async readProtection() {
        try {
            this.protection = await readProtection(this.project, this.left);
        } catch {
            // The server says at the publish what it needs.
            return;
        }
        const isNeeded = this.protection.requiredApprovals > 0;
        if (isNeeded && this.#view === 'review' && !this.#isPublishing) this.show();
    }

    /** The project as it is shown. */
    get details() {
        return this.#context.details;
    }

    /** Aborted when the page is left. */
    get left() {
        return this.#left.signal;
    }

    /** Aborted when what the page shows of the draft is replaced. */
    get shown() {
        return this.#shown.signal;
    }

    /** True while this visit publishes the draft. */
    get isPublishing() {
        return this.#isPublishing;
    }

    /** Disables what changes the draft while it is being published. */
    set isPublishing(isPublishing) {
        this.#isPublishing = isPublishing;
        this.workspace.isPublishing = isPublishing;
        /** @type {NodeListOf<HTMLButtonElement>} */
        const buttons = this.body.querySelectorAll('.revert, .choose, .choose-all button');
        for (const button of buttons) button.disabled = isPublishing;
    }

    /**
     * True if the draft's content or base differs from what was shown.
     *
     * @param {Review} review
     */
    isStale({template, base}) {
        const {draft} = this.workspace;
        return draft?.base !== base || !isEqual(withoutVersion(draft.template), template);
    }

    end() {
        this.#left.abort();
        this.#shown.abort();
    }

    /** Ends what belongs to the part that is replaced; returns the signal of the next one. */
    replaceShown() {
        this.#shown.abort();
        this.#shown = new AbortController();
        return this.shown;
    }

    /**
     * Shows a message above the draft, or none, and moves the focus to the heading.
     *
     * @param {?HTMLElement} notice
     */
    say(notice) {
        this.sayNext(notice);
        this.show();
        focusHeading();
    }

    /**
     * Shows a message, or none, when the page is drawn next.
     *
     * @param {?HTMLElement} notice
     */
    sayNext(notice) {
        this.#notice = notice;
    }

    /** What the page is to show. */
    #viewNow() {
        const {draft, isPublishing, saveProblem} = this.workspace;
        if (isPublishing && !this.#isPublishing) return 'publishing';
        if (!draft) return 'none';
        if (draft.changes) return 'review';
        // The server compares what it has saved.
        return saveProblem ? 'unsaved' : 'comparing';
    }

    /** Draws the page. */
    show() {
        const {body, workspace} = this;
        const {draft} = workspace;
        this.#problem = workspace.saveProblem;
        this.replaceShown();
        this.#view = this.#viewNow();
        this.hasReverted = false;
        this.review = draft && {template: withoutVersion(draft.template), base: draft.base,
            baseTemplate: draft.baseTemplate, choice: new ChangeChoice(draft, this.#choices),
            chosen: draft, normalized: null, checking: Promise.resolve()};
        if (this.#view === 'publishing') {
            redraw(body, h('p', {class: 'muted', role: 'status'}, 'Publishing …'));
        } else if (!draft || !this.review) {
            redraw(body, this.#notice, emptyView(this));
        } else if (this.#view === 'comparing') {
            redraw(body, this.#notice, h('p', {class: 'muted', role: 'status'}, 'Comparing …'));
        } else if (this.#view === 'unsaved') {
            redraw(body, this.#notice, unsavedView(this));
        } else if (draft.isBaseGone) {
            redraw(body, this.#notice, baseGoneView(this));
        } else {
            showReview(this, draft, this.review, this.#notice);
        }
    }

    /** Draws the page again when the draft's content or base differs from what it shows. */
    follow() {
        if (this.#isPublishing || this.left.aborted) return;
        const view = this.#viewNow();
        if (this.#view === 'publishing' && view !== this.#view) {
            // Noting that the outcome is shown calls this function again.
            this.#view = view;
            this.#notice = lastPublishView(this);
            this.show();
            return;
        }
        if (this.#view === 'none' && view !== 'none') {
            // What was done before says nothing of this draft, except that it can be undone yet.
            this.#notice = this.#endNotice && this.#notice === this.#endNotice
                ? null : lastPublishView(this);
        }
        if (this.#view === 'review' && this.review && view !== 'unsaved') {
            // The old differences stay until the new ones are loaded.
            if (view === 'comparing') return;
            if (!this.isStale(this.review)) {
                // The revert was taken back.
                if (this.hasReverted) this.show();
                return;
            }
            announce('The draft was changed: the review shows its new content.');
        } else if (view === this.#view && (view !== 'unsaved'
            || this.workspace.saveProblem === this.#problem)) return;
        this.show();
    }

    /** Says why a draft ended that was not ended in this tab. */
    #noteEnd() {
        const {review, workspace} = this;
        const {version, published} = workspace;
        if (!review || this.#isPublishing) return;
        const isPublished = version && Number(version.versionNumber) > Number(review.base)
            && isContained(review, published);
        this.#endNotice = isPublished ? publishedElsewhereView(version, workspace.user)
            : endedElsewhereView(workspace.undoName !== null);
        this.#notice = this.#endNotice;
        this.follow();
    }
}
