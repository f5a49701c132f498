/**
 * Review page: the draft's changes, the users that they affect, and publishing.
 */

import {pageHead} from '../controls/controls.js';
import {announce, fill, h, redraw} from '../controls/dom.js';
import {choiceInput} from '../drafts/choice-input.js';
import {isContained} from '../drafts/ended-draft.js';
import {dropQuery} from '../routing/router.js';
import {changeKey} from '../template/chosen-changes.js';
import {withoutVersion} from '../template/template.js';
import {ChangeChoice, keepOnly} from './change-choice.js';
import {isStale} from './publish-form.js';
import {baseGoneView, emptyView, endedElsewhereView, lastPublishView, publishedElsewhereView,
    unsavedView} from './review-messages.js';
import {showReview} from './review-view.js';

/**
 * What the page shows: also that an earlier visit of the page still publishes.
 *
 * @param {Workspace} workspace
 * @param {ReviewState} state
 */
function viewOf({draft, isPublishing, saveProblem}, state) {
    if (isPublishing && !state.isPublishing) return 'publishing';
    if (!draft) return 'none';
    if (draft.changes) return 'review';
    // The server compares what it has saved.
    return saveProblem ? 'unsaved' : 'comparing';
}

/**
 * Key of the setting in the address, which is to be published alone; null for none.
 *
 * @param {URLSearchParams} query
 */
function onlyChange(query) {
    const [section, key] = [query.get('section'), query.get('key')];
    if (section === null || key === null) return null;
    // The choice is made once: it can be changed, and the page be drawn again.
    dropQuery();
    return changeKey('setting', {name: '', section, key});
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const {workspace} = context;
    const body = h('div', {class: 'stack'});
    // `shown` aborts what belongs to the review on the page; `notice` appears above it; `entered`
    // is a description that is not in the draft yet; `opened` are the unfolded changes, `search` is
    // the search of them; `hasReverted` is true if a revert of a shown change is not shown yet.
    const choices = choiceInput(workspace);
    const only = onlyChange(context.query);
    if (only) keepOnly(choices, only);
    /** @type {ReviewState} */
    const state = {body, left: new AbortController(), shown: new AbortController(), view: '',
        review: null, notice: null, entered: null, isPublishing: false,
        hasReverted: false, opened: new Set(), search: {text: ''},
        show: () => {}, follow: () => {}};
    fill(main, pageHead('Review and publish',
        'What your draft changes, and for which users, before they get it.'), body);

    /**
     * The reason that is shown for an unsaved draft.
     *
     * @type {?string}
     */
    let problem = null;
    state.show = () => {
        const {draft} = workspace;
        problem = workspace.saveProblem;
        state.shown.abort();
        state.shown = new AbortController();
        state.view = viewOf(workspace, state);
        state.hasReverted = false;
        state.review = draft && {template: withoutVersion(draft.template), base: draft.base,
            baseTemplate: draft.baseTemplate, choice: new ChangeChoice(draft, choices),
            chosen: draft, normalized: null, checking: Promise.resolve()};
        if (state.view === 'publishing') {
            redraw(body, h('p', {class: 'muted', role: 'status'}, 'Publishing …'));
        } else if (!draft || !state.review) {
            redraw(body, state.notice, emptyView(context));
        } else if (state.view === 'comparing') {
            redraw(body, state.notice, h('p', {class: 'muted', role: 'status'}, 'Comparing …'));
        } else if (state.view === 'unsaved') {
            redraw(body, state.notice, unsavedView(context));
        } else if (draft.isBaseGone) {
            redraw(body, state.notice, baseGoneView(context));
        } else {
            showReview(context, state, draft, state.review);
        }
    };
    /** Redraws the draft when its content or base differs from what the page shows. */
    state.follow = () => {
        if (state.isPublishing || state.left.signal.aborted) return;
        const view = viewOf(workspace, state);
        if (state.view === 'publishing' && view !== state.view) {
            // Noting that the outcome is shown calls this function again.
            state.view = view;
            state.notice = lastPublishView(context, state);
            state.show();
            return;
        }
        if (state.view === 'none' && view !== 'none') {
            // What was done before says nothing of this draft, except that it can be undone yet.
            state.notice = endNotice && state.notice === endNotice
                ? null : lastPublishView(context, state);
        }
        if (state.view === 'review' && state.review && view !== 'unsaved') {
            // The old differences stay until the new ones are loaded.
            if (view === 'comparing') return;
            if (!isStale(workspace, state.review)) {
                // The revert was taken back.
                if (state.hasReverted) state.show();
                return;
            }
            announce('The draft was changed: the review shows its new content.');
        } else if (view === state.view
            && (view !== 'unsaved' || workspace.saveProblem === problem)) return;
        state.show();
    };
    /** @type {?HTMLElement} */
    let endNotice = null;
    /** Says why a draft ended that was not ended in this tab. */
    const noteEnd = () => {
        const {review} = state;
        const {version, published} = workspace;
        if (!review || state.isPublishing) return;
        const isPublished = version && Number(version.versionNumber) > Number(review.base)
            && isContained(review, published);
        endNotice = isPublished ? publishedElsewhereView(version, workspace.user)
            : endedElsewhereView(workspace.undoName !== null);
        state.notice = endNotice;
        state.follow();
    };
    workspace.addEventListener('ended', noteEnd, {signal: state.left.signal});
    workspace.addEventListener('change', state.follow, {signal: state.left.signal});
    workspace.addEventListener('detailschange', () => {
        if (state.view === 'review' && !state.isPublishing) state.show();
    }, {signal: state.left.signal});
    if (!workspace.isPublishing) state.notice = lastPublishView(context, state);
    state.show();
    return () => {
        state.left.abort();
        state.shown.abort();
    };
}
