/**
 * A visit of the page of a change request: what is read, shown and done.
 */

import {message, pageHead} from '../controls/controls.js';
import {announce, fill, h, redraw} from '../controls/dom.js';
import {showResult} from '../controls/focus.js';
import {failedReading} from '../controls/shown-answer.js';
import {onNewVersion} from '../history/new-versions.js';
import {address} from '../routing/router.js';
import {followWaiting} from '../schedules/waiting-schedules.js';
import {readRequest} from '../server/change-requests.js';
import {newestRequest} from '../server/newest-request.js';
import {readProtection} from '../server/protection.js';
import {unsettledText} from '../server/publishing.js';
import {perform, requestActs} from './request-acts.js';
import {contentActs, publishCard} from './request-buttons.js';
import {CommentForm, TitleForm} from './request-forms.js';
import {RequestImpact} from './request-impact.js';
import {RequestInput} from './request-input.js';
import {requestRights} from './request-rights.js';
import {isOpen, newsOf} from './request-texts.js';
import {followSchedules} from './schedule-following.js';
import {scheduleCard} from './schedule-view.js';
import {aboutView, attentionView, card, changesViews, commentsView, votesView}
    from './request-view.js';

/** @typedef {import('./request-acts.js').RequestAct} RequestAct */
/** @typedef {import('./request-acts.js').ActOutcome} ActOutcome */

const doubtText = 'The connection broke, so the console does not know the outcome. It asks the '
    + 'server until it answers.';
const changedText = 'This request has changed: look at what is new.';

/** One visit, from `start` to `end`. */
export class RequestVisit {
    /** The input of the page. */
    context;
    #main;
    #id;
    #left = new AbortController();
    #nextRequest = newestRequest(this.#left.signal);
    /** Place of the message above the request. */
    notice = h('div', {});
    #head = h('div', {});
    #body = h('div', {class: 'stack'});
    #about = h('div', {});
    #schedule = h('div', {});
    #acts = h('div', {class: 'stack'});
    /** What was entered on the page. */
    input;
    /**
     * The requests of the project whose schedule waits.
     *
     * @type {ChangeRequest[]}
     */
    waiting = [];
    #readWaiting = async () => {};
    #impact;
    /** @type {CommentForm} */
    #comments;
    /** @type {TitleForm} */
    #titles;
    /** What is unfolded and searched in the differences. */
    #shown = {own: {opened: new Set(), search: {text: ''}},
        live: {opened: new Set(), search: {text: ''}}};
    /** @type {?ChangeRequest} */
    #request = null;
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
        this.#impact = new RequestImpact(context, this.left);
        this.#comments = new CommentForm(this.input, (act, text, path) => this.act(
            (acts) => acts[act](text, path), {comment: 'You have commented.',
                approve: 'You approve this request.',
                requestChanges: 'You ask for changes.'}[act], () => this.#comments.clear()));
        this.#titles = new TitleForm(this.input, (title, text) => this.act(
            (acts) => acts.edit(title, text), 'Title and text are saved.',
            () => this.#titles.close()), () => this.#draw());
    }

    /** Aborted when the page is left. */
    get left() {
        return this.#left.signal;
    }

    /** Reads and shows the request, and follows it. */
    start() {
        const {project, workspace} = this.context;
        const signal = this.left;
        fill(this.#main, this.#head, this.notice, this.#body);
        fill(this.#head, pageHead('Change request'));
        this.read();
        const follow = () => {
            if (!document.hidden && this.#request && !this.#isActing) this.#look();
        };
        document.addEventListener('visibilitychange', follow, {signal});
        onNewVersion(workspace, signal, follow);
        this.#readWaiting = followWaiting(project, signal, (waiting) => {
            this.waiting = waiting;
            this.drawActs();
        });
        followSchedules(() => [this.#request?.schedule], signal, follow);
        workspace.addEventListener('change', () => this.drawActs(), {signal});
        workspace.addEventListener('detailschange', () => this.drawActs(), {signal});
    }

    end() {
        this.#left.abort();
    }

    /** Reads and shows the request. */
    async read() {
        const signal = this.#nextRequest();
        fill(this.#body, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
        try {
            const {project} = this.context;
            const [request, protection] = await Promise.all(
                [readRequest(project, this.#id, signal), readProtection(project, signal)]);
            this.#protection = protection;
            this.#show(request);
        } catch (error) {
            if (signal.aborted) return;
            fill(this.#body, failedReading(error, signal, () => this.read()),
                h('p', {}, h('a', {href: address('change-requests')}, 'See all change requests')));
        }
    }

    /** Shows the newest state, and what is new in it, unless it is the one shown. */
    async #look() {
        const signal = this.#nextRequest();
        const shown = this.#request;
        const now = await readRequest(this.context.project, this.#id, signal).catch(() => null);
        if (!now || !shown || signal.aborted || this.#isActing) return;
        if (now.etag === shown.etag) {
            this.#showReports(now);
            return;
        }
        this.#show(now);
        this.say('info', changedText, newsOf(shown, now));
        announce(changedText);
        this.#readWaiting();
    }

    /**
     * Shows what apps report about the rollout of the request that is shown.
     *
     * @param {ChangeRequest} request
     */
    #showReports(request) {
        const [before, now] = [this.#request, request].map((each) => (
            JSON.stringify(each?.schedule?.rollout)));
        if (before === now) return;
        this.#request = request;
        this.drawActs();
    }

    /** @param {ChangeRequest} request */
    #show(request) {
        this.#request = request;
        this.#draw();
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
        fill(this.notice, text && message(kind, h('p', {}, text),
            news.length > 0 && h('ul', {}, news.map((each) => h('li', {}, each))), more));
    }

    #draw() {
        const request = this.#request;
        if (!request || this.left.aborted) return;
        const {workspace} = this.context;
        fill(this.#head, pageHead(request.title, undefined,
            h('a', {class: 'button', href: address('change-requests')}, 'All change requests')));
        redraw(this.#body, this.#about, this.#schedule, attentionView(request),
            changesViews(request, workspace.template, this.#shown), this.#impact.card(request),
            votesView(request),
            card('comments', 'Comments', null, commentsView(request),
                this.#isCommentShown(request) && this.#comments.node), this.#acts);
        this.drawActs();
    }

    /**
     * True also for a comment that was entered before the request ended.
     *
     * @param {ChangeRequest} request
     */
    #isCommentShown(request) {
        return isOpen(request) || this.#comments.text.value !== '';
    }

    /** Draws what depends on what the user may do. */
    drawActs() {
        const request = this.#request;
        if (!request) return;
        const {session, workspace} = this.context;
        const rights = requestRights(request, session, this.#protection, workspace);
        redraw(this.#about, aboutView(request, contentActs(this, request, rights, this.#titles)));
        if (this.#isCommentShown(request)) this.#comments.show(request, rights);
        redraw(this.#schedule, scheduleCard(this, request, rights));
        redraw(this.#acts, isOpen(request)
            && publishCard(this, request, rights, this.#comments));
        if (this.#isActing) this.#disable(true);
    }

    /**
     * Disables what acts while an act runs; afterwards, only the form for the title is not drawn
     * again.
     *
     * @param {boolean} isDisabled
     */
    #disable(isDisabled) {
        const place = isDisabled ? this.#main : this.#titles.node;
        /** @type {NodeListOf<HTMLButtonElement>} */
        const buttons = place.querySelectorAll('.actions button');
        for (const button of buttons) button.disabled = isDisabled;
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
        this.#disable(true);
        this.say('info');
        // A reading that runs is older than the act.
        this.#nextRequest();
        const answer = await perform(project, request,
            choose(requestActs(project, request, session.name)), {signal: this.left,
                onDoubt: (attempt, isUnsettled) => {
                    if (attempt > 1) return;
                    const text = isUnsettled ? unsettledText('This act') : doubtText;
                    this.say('warning', text);
                    announce(text);
                }})
            .catch((error) => /** @type {ActOutcome} */ (
                {outcome: 'refused', message: error.message}));
        this.#isActing = false;
        this.#disable(false);
        const isDone = answer.outcome === 'done';
        if (isDone) used();
        if (this.left.aborted) {
            if (isDone) announce(done);
            return answer;
        }
        if (answer.request) this.#show(answer.request);
        else this.#draw();
        switch (answer.outcome) {
        case 'done':
            this.say('success', done);
            announce(done);
            break;
        case 'changed':
            this.say('warning', `${changedText} Nothing was done; what you entered is kept.`,
                answer.news);
            break;
        case 'unclear':
            this.say('warning', `${changedText} The connection broke, so look whether it has what `
                + 'you did; what you entered is kept.', answer.news);
            break;
        case 'left': break;
        default:
            this.say(answer.outcome === 'refused' ? 'error' : 'warning', answer.message);
        }
        if (!isDone) showResult(this.notice);
        else if (key && document.activeElement === document.body) {
            /** @type {?HTMLElement} */ (this.#main.querySelector('h1'))?.focus();
        }
        return answer;
    }
}
