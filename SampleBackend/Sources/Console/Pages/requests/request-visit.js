/**
 * A visit of the page of a change request: what is read, followed and done.
 */

import {announce, h} from '../controls/dom.js';
import {showResult} from '../controls/focus.js';
import {isPageLocked} from '../controls/held-entry.js';
import {failedReading} from '../controls/shown-answer.js';
import {onNewVersion} from '../history/new-versions.js';
import {address} from '../routing/router.js';
import {followWaiting} from '../schedules/waiting-schedules.js';
import {readRequest} from '../server/change-requests.js';
import {newestRequest} from '../server/newest-request.js';
import {readProtection} from '../server/protection.js';
import {unsettledText} from '../server/publishing.js';
import {changedText, outcomeMessage, perform, requestActs} from './request-acts.js';
import {followRequests, hasFuture} from './request-following.js';
import {CommentForm, TitleForm} from './request-forms.js';
import {RequestInput} from './request-input.js';
import {requestRights} from './request-rights.js';
import {RequestSheet} from './request-sheet.js';
import {hasOtherContent, isOpen, newsOf} from './request-texts.js';

/** @typedef {import('./request-acts.js').RequestAct} RequestAct */
/** @typedef {import('./request-acts.js').ActOutcome} ActOutcome */

/** Milliseconds between readings, after which votes and comments of others are shown. */
const lookInterval = 5000;

/** News that a message names. */
const maximumNews = 20;

const doubtText = 'The connection broke, so the console does not know the outcome. It asks the '
    + 'server until it answers.';

const editedText = 'What this request changes was edited since you opened it. The page shows it as '
    + 'it was, so that you do not vote on what you have not seen.';

/** One visit, from `start` to `end`. */
export class RequestVisit {
    /** The input of the page. */
    context;
    #id;
    #left = new AbortController();
    #nextRequest = newestRequest(this.#left.signal);
    /** What was entered on the page. */
    input;
    /**
     * The requests of the project whose schedule waits.
     *
     * @type {ChangeRequest[]}
     */
    waiting = [];
    #readWaiting = async () => {};
    #main;
    #sheet;
    /** @type {?ChangeRequest} */
    #request = null;
    /**
     * A newer state that is not shown, since its content differs.
     *
     * @type {?ChangeRequest}
     */
    #offered = null;
    /**
     * What others have done since the user last did something.
     *
     * @type {string[]}
     */
    #news = [];
    /** @type {Protection} */
    #protection = {requiredApprovals: 0, selfApproval: false, rollbackWithoutApproval: false};
    #isActing = false;

    /**
     * @param {HTMLElement} main
     * @param {PageContext} context
     * @param {string} id
     */
    constructor(main, context, id) {
        this.#main = main;
        this.context = context;
        this.#id = id;
        this.input = new RequestInput(context.workspace, id);
        /** @type {CommentForm} */
        const comments = new CommentForm(this.input, (act, text, path) => this.act(
            (acts) => acts[act](text, path), {comment: 'You have commented.',
                approve: 'You approve this request.',
                requestChanges: 'You ask for changes.'}[act], () => comments.clear()));
        /** @type {TitleForm} */
        const titles = new TitleForm(this.input, (title, text) => this.act(
            (acts) => acts.edit(title, text), 'Title and text are saved.',
            () => titles.close()), () => this.drawActs());
        this.#sheet = new RequestSheet(main, this, {comments, titles});
    }

    /** Aborted when the page is left. */
    get left() {
        return this.#left.signal;
    }

    /** Place of the message above the request. */
    get notice() {
        return this.#sheet.notice;
    }

    /** Reads and shows the request, and follows it. */
    start() {
        const {project, workspace} = this.context;
        const signal = this.left;
        this.read();
        const follow = () => this.#follow();
        document.addEventListener('visibilitychange', follow, {signal});
        onNewVersion(workspace, signal, follow);
        this.#readWaiting = followWaiting(project, signal, (waiting) => {
            this.waiting = waiting;
            this.drawActs();
        });
        followRequests(() => [this.#request?.schedule], lookInterval, signal, follow);
        workspace.addEventListener('change', () => this.drawActs(), {signal});
        workspace.addEventListener('detailschange', () => this.drawActs(), {signal});
    }

    end() {
        this.#left.abort();
    }

    /** Reads and shows the request. */
    async read() {
        const signal = this.#nextRequest();
        this.#sheet.showInstead(h('p', {class: 'muted', role: 'status'}, 'Loading …'));
        try {
            const {project} = this.context;
            const [request, protection] = await Promise.all(
                [readRequest(project, this.#id, signal), readProtection(project, signal)]);
            this.#protection = protection;
            this.#show(request);
        } catch (error) {
            if (signal.aborted) return;
            this.#sheet.showInstead(failedReading(error, signal, () => this.read()),
                h('p', {}, h('a', {href: address('change-requests')}, 'See all change requests')));
        }
    }

    /** Looks at what others have done, unless the request has ended, or the user does something. */
    async #follow() {
        const request = this.#request;
        // What a dialog asks about must not change behind it.
        if (document.hidden || !request || this.#isActing || isPageLocked()) return;
        if (hasFuture(request)) await this.#look();
    }

    /** Shows the newest state, and what is new in it. */
    async #look() {
        const signal = this.#nextRequest();
        const shown = this.#request;
        const now = await readRequest(this.context.project, this.#id, signal).catch(() => null);
        if (!now || !shown || signal.aborted || this.#isActing || isPageLocked()) return;
        if (now.etag === shown.etag) {
            // What apps report, or the approvals that are missing.
            this.#show(now);
            return;
        }
        if (isOpen(now) && hasOtherContent(shown, now)) {
            this.#offer(shown, now);
            return;
        }
        this.#take(shown, now);
        this.#readWaiting();
    }

    /**
     * Shows a newer state, with its news.
     *
     * @param {ChangeRequest} shown
     * @param {ChangeRequest} now
     */
    #take(shown, now) {
        const news = newsOf(shown, now);
        this.#show(now);
        this.#news = [...this.#news, ...news].slice(-maximumNews);
        this.#sheet.say('info', changedText, this.#news);
        announce(news.join(' ') || changedText);
    }

    /**
     * Says that the content was edited, with a button that shows it.
     *
     * @param {ChangeRequest} shown
     * @param {ChangeRequest} now
     */
    #offer(shown, now) {
        if (now.etag === this.#offered?.etag) return;
        const news = newsOf(shown, now);
        announce((this.#offered ? newsOf(this.#offered, now) : news).join(' '));
        this.#offered = now;
        this.#sheet.say('warning', editedText, [...this.#news, ...news].slice(-maximumNews),
            h('div', {class: 'actions'}, h('button', {type: 'button', 'data-focus': 'show-edited',
                onclick: () => {
                    if (this.#isActing) return;
                    this.#take(shown, now);
                    showResult(this.notice);
                }}, 'Show what it is now')));
    }

    /** @param {ChangeRequest} request */
    #show(request) {
        this.#request = request;
        this.#offered = null;
        if (this.left.aborted) return;
        this.#sheet.show(request, this.#rightsFor(request));
        if (this.#isActing) this.#sheet.hold();
    }

    /**
     * Shows a message above the request; none without a text.
     *
     * @param {'info' | 'success' | 'warning' | 'error'} kind
     * @param {string} [text]
     * @param {string[]} [news]
     * @param {unknown} [more]
     */
    say(kind, text, news = [], more = null) {
        this.#news = [];
        this.#sheet.say(kind, text, news, more);
    }

    /** @param {ChangeRequest} request */
    #rightsFor(request) {
        const {session, workspace} = this.context;
        return requestRights(request, session, this.#protection, workspace);
    }

    /** Draws what depends on what the user may do. */
    drawActs() {
        const request = this.#request;
        if (!request || this.left.aborted) return;
        this.#sheet.showActs(request, this.#rightsFor(request));
        if (this.#isActing) this.#sheet.hold();
    }

    /**
     * Does an act on the shown state of the request, and shows what became of it.
     *
     * @param {(acts: ReturnType<typeof requestActs>) => RequestAct} choose
     * @param {string} done Sentence about the success.
     * @param {() => void} [used] Called when what was entered was used.
     * @returns {Promise<?ActOutcome>}
     */
    async act(choose, done, used = () => {}) {
        const request = this.#request;
        if (!request || this.#isActing) return null;
        const {project, session} = this.context;
        this.#isActing = true;
        const active = /** @type {?HTMLElement} */ (document.activeElement);
        const key = active?.getAttribute('data-focus');
        this.#sheet.hold();
        this.say('info');
        // A reading that runs is older than the act.
        this.#nextRequest();
        const chosen = choose(requestActs(project, request, session.name));
        const answer = await perform(project, request, chosen, {signal: this.left,
            onDoubt: (attempt, isUnsettled) => {
                if (attempt > 1) return;
                const text = isUnsettled ? unsettledText('This act') : doubtText;
                this.say('warning', text);
                announce(text);
            }})
            .catch((error) => /** @type {ActOutcome} */ (
                {outcome: 'refused', message: error.message}));
        this.#isActing = false;
        this.#sheet.release();
        const isDone = answer.outcome === 'done';
        if (isDone) used();
        if (this.left.aborted) {
            if (isDone) announce(done);
            return answer;
        }
        this.#show(answer.request ?? request);
        const said = outcomeMessage(answer, done, request, chosen);
        if (said) this.say(said.kind, said.text, said.news);
        if (isDone && said) announce(said.text);
        if (!isDone) showResult(this.notice);
        else if (key && document.activeElement === document.body) {
            /** @type {?HTMLElement} */ (this.#main.querySelector('h1'))?.focus();
        }
        return answer;
    }
}
