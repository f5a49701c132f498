/**
 * The page of a change request as it is drawn: part by part, each only when what it shows has
 * changed. So forms, the focus and a button that is being pressed stay while others vote and
 * comment.
 */

import {message, pageHead} from '../controls/controls.js';
import {fill, h, redraw} from '../controls/dom.js';
import {address} from '../routing/router.js';
import {contentActs, publishCard} from './request-buttons.js';
import {RequestImpact} from './request-impact.js';
import {isOpen} from './request-texts.js';
import {aboutBadge, aboutTexts, attentionView, card, changesViews, commentsView, votesView}
    from './request-view.js';
import {scheduleCard} from './schedule-view.js';

/** @typedef {import('./request-visit.js').RequestVisit} RequestVisit */
/** @typedef {import('./request-rights.js').RequestRights} RequestRights */

/** The elements of one visit. */
export class RequestSheet {
    #visit;
    #comments;
    #titles;
    #main;
    #impact;
    /** Place of the message above the request. */
    notice = h('div', {});
    #head = h('div', {});
    #body = h('div', {class: 'stack'});
    #state = h('span', {});
    #aboutTexts = h('div', {class: 'stack'});
    #contentActs = h('div', {});
    #schedule = h('div', {});
    #attention = h('div', {});
    #changes = h('div', {class: 'stack'});
    #reach = h('div', {});
    #votes = h('div', {});
    #commentList = h('div', {});
    #commentForm = h('div', {});
    #acts = h('div', {class: 'stack'});
    #parts = [card('about', 'About', this.#state, this.#aboutTexts, this.#contentActs),
        this.#schedule, this.#attention, this.#changes, this.#reach, this.#votes,
        card('comments', 'Comments', null, this.#commentList, this.#commentForm), this.#acts];
    /**
     * What each place shows, as text.
     *
     * @type {Map<HTMLElement, string>}
     */
    #drawn = new Map();
    /** What is unfolded and searched in the differences. */
    #unfolded = {own: {opened: new Set(), search: {text: ''}},
        live: {opened: new Set(), search: {text: ''}}};
    /**
     * Buttons that are disabled while an act runs.
     *
     * @type {Set<HTMLButtonElement>}
     */
    #held = new Set();

    /**
     * @param {HTMLElement} main
     * @param {RequestVisit} visit
     * @param {{comments: import('./request-forms.js').CommentForm,
     *     titles: import('./request-forms.js').TitleForm}} forms
     */
    constructor(main, visit, {comments, titles}) {
        this.#main = main;
        this.#visit = visit;
        this.#comments = comments;
        this.#titles = titles;
        this.#impact = new RequestImpact(visit.context, visit.left);
        fill(main, this.#head, this.notice, this.#body);
        fill(this.#head, pageHead('Change request'));
    }

    /**
     * Shows something in place of the request.
     *
     * @param {...unknown} content
     */
    showInstead(...content) {
        fill(this.#body, ...content);
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

    /**
     * Draws a part of the page unless it shows the same already.
     *
     * @param {HTMLElement} place
     * @param {unknown} shown What it shows, and what its controls use.
     * @param {() => unknown} view
     */
    #draw(place, shown, view) {
        const text = JSON.stringify(shown);
        if (this.#drawn.get(place) === text) return;
        this.#drawn.set(place, text);
        redraw(place, view());
    }

    /**
     * Shows a state of the request.
     *
     * @param {ChangeRequest} request
     * @param {RequestRights} rights
     */
    show(request, rights) {
        const {changes, liveChanges, votes, comments, conflicts, problems, omittedConflicts,
            baseVersionNumber, liveVersionNumber, requiredApprovals, missingApprovals, schedule,
            title} = request;
        const isChangeable = isOpen(request);
        const versions = [isChangeable, baseVersionNumber, liveVersionNumber];
        this.#draw(this.#head, title, () => pageHead(title, undefined,
            h('a', {class: 'button', href: address('change-requests')}, 'All change requests')));
        this.#draw(this.#attention, [isChangeable, conflicts, problems, omittedConflicts],
            () => attentionView(request));
        this.#draw(this.#changes, [versions, changes, liveChanges], () => changesViews(
            request, this.#visit.context.workspace.template, this.#unfolded));
        const reach = this.#impact.card(request);
        if (this.#reach.firstElementChild !== reach) redraw(this.#reach, reach);
        this.#draw(this.#votes, [versions, votes, requiredApprovals, missingApprovals, schedule],
            () => votesView(request));
        this.#draw(this.#commentList, comments, () => commentsView(request));
        this.showActs(request, rights);
        if (this.#body.firstElementChild !== this.#parts[0]) fill(this.#body, this.#parts);
    }

    /**
     * Shows what the user may do with a state of the request.
     *
     * @param {ChangeRequest} request
     * @param {RequestRights} rights
     */
    showActs(request, rights) {
        const {details} = this.#visit.context;
        const used = [{...request, changes: null, liveChanges: null, comments: null}, rights,
            details];
        const {state, text, author, editors, creationTime, updateTime, ending} = request;
        this.#draw(this.#state, state, () => aboutBadge(request));
        this.#draw(this.#aboutTexts, [state, text, author, editors, creationTime, updateTime,
            ending, request.baseVersionNumber], () => aboutTexts(request));
        this.#draw(this.#contentActs, this.#titles.isOpen || used,
            () => contentActs(this.#visit, request, rights, this.#titles));
        // Also for a comment that was entered before the request ended.
        const hasForm = isOpen(request) || this.#comments.text.value !== '';
        this.#draw(this.#commentForm, hasForm, () => hasForm && this.#comments.node);
        if (hasForm) this.#comments.show(request, rights);
        this.#draw(this.#schedule, used, () => scheduleCard(this.#visit, request, rights));
        this.#draw(this.#acts, [used, this.#visit.waiting], () => isOpen(request)
            && publishCard(this.#visit, request, rights, this.#comments));
    }

    /** Disables what acts, until `release`; to be called again after a part was drawn. */
    hold() {
        /** @type {NodeListOf<HTMLButtonElement>} */
        const buttons = this.#main.querySelectorAll('.actions button:enabled');
        for (const button of buttons) {
            button.disabled = true;
            this.#held.add(button);
        }
    }

    /** Enables what `hold` has disabled. */
    release() {
        for (const button of this.#held) button.disabled = false;
        this.#held.clear();
    }
}
