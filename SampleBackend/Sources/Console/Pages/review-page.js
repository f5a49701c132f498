/**
 * Review page: the draft's changes, the users that they affect, and publishing.
 */

import {usesByCondition} from './condition-uses.js';
import {count, field, guarded, message, nothing, pageHead, publisherName} from './controls.js';
import {discardDraft} from './draft-bar.js';
import {differenceSummary, diffView} from './diff-view.js';
import {announce, fill, h, redraw} from './dom.js';
import {focusHeading} from './focus.js';
import {impactView} from './impact.js';
import {isEqual} from './json.js';
import {conditionName, placeText} from './paths.js';
import {isProduction, productionNotice, shownName} from './project-details.js';
import {placed} from './problem-list.js';
import {publish, unsettledText} from './publishing.js';
import {address, go} from './router.js';
import {refusal} from './session.js';
import {revertingCondition, revertingGroup, revertingSetting} from './revert.js';
import {noChanges} from './server-draft.js';
import {reserveRoom} from './sticky.js';
import {undoneView, undoView} from './undo.js';
import {conditions, withoutVersion} from './template.js';
import {sentence, validate} from './validation.js';
import {warningTexts} from './warning-field.js';

/**
 * @param {Problem[]} problems
 * @param {Template} template
 */
function problemsView(problems, template) {
    return message('error',
        h('p', {}, `The draft cannot be published: ${count(problems.length, 'problem')}.`),
        h('ul', {}, problems.map((problem) => h('li', {},
            placed(problem, template), sentence(problem)))));
}

const reverts = {
    setting: revertingSetting, condition: revertingCondition, group: revertingGroup};

/**
 * Message about the version that was just published; the message about its undo replaces it.
 *
 * @param {PageContext} context
 * @param {ReviewState} state
 * @param {Version} published
 */
function publishedView(context, state, published) {
    const {signal} = state.left;
    /** @param {?HTMLElement} notice */
    const showNotice = (notice) => {
        state.notice = notice;
        state.show();
        focusHeading();
    };
    /**
     * @param {{before: string, versionNumber: string}} undone
     * @param {Version} version
     */
    const showUndone = (undone, version) => showNotice(
        undoneView(context, undone, version, signal, () => showNotice(null)));
    return message('success',
        h('p', {}, h('strong', {}, `Published as version ${published.versionNumber}.`),
            isProduction(context.details) && ` It is in ${shownName(context.details)}, production.`,
            ' Connected apps get it now.'),
        undoView(context, published, signal, showUndone),
        h('p', {class: 'actions'}, h('a', {href: address('live')}, 'Watch it arrive'),
            h('a', {href: address('history')}, 'See the history')));
}

/**
 * Message about a version in which another user published the draft's content.
 *
 * @param {Version} version
 */
function sameView(version) {
    return message('info',
        h('p', {}, publisherName(version), ' published the same as ',
            h('strong', {}, `version ${version.versionNumber}`),
            ', so nothing in your draft is left to publish.'),
        h('p', {class: 'actions'}, h('a', {href: address('history')}, 'See the history')));
}

/**
 * Content without a draft.
 *
 * @param {{session: Session}} context
 */
function emptyView({session}) {
    if (refusal(session, 'editor')) {
        return h('section', {class: 'card'}, nothing('Editors and publishers review their drafts '
            + 'here. Viewers have no drafts and see what is published.',
        h('a', {class: 'button', href: address('history')}, 'See the history')));
    }
    return h('section', {class: 'card'}, nothing('There is no draft. Change a setting or a '
        + 'condition, and review it here.',
    h('a', {class: 'button', href: address('settings')}, 'Go to the settings')));
}

/**
 * Content for a draft whose base the server no longer keeps: neither its changes nor a merge can be
 * computed.
 *
 * @param {PageContext} context
 */
function baseGoneView({session, workspace}) {
    const refused = refusal(session, 'editor');
    const outcome = h('div', {'aria-live': 'polite'});
    const button = h('button', {type: 'button', class: 'primary', onclick: async () => {
        button.disabled = true;
        try {
            await workspace.load();
            if (!workspace.draft) return;
            workspace.rebase(workspace.draft.template, {
                versionNumber: workspace.versionNumber, etag: workspace.etag,
                baseTemplate: workspace.published});
        } catch (error) {
            fill(outcome, message('error', error.message));
            button.disabled = false;
        }
    }}, 'Compare with the current version');
    return message('warning',
        h('p', {}, `Version ${workspace.draft?.base}, which this draft began with, is no longer `
            + 'kept. Your changes can no longer be distinguished from those of others.'),
        h('p', {}, 'You can compare the draft with the current version instead. What others '
            + 'published meanwhile then appears as if your draft undid it: revert those changes '
            + 'before you publish.'),
        h('div', {class: 'actions'}, guarded(refused, button)), outcome);
}

/**
 * True if the draft's content or base differs from what the page shows.
 *
 * @param {Workspace} workspace
 * @param {Review} review
 */
function isStale(workspace, {template, base}) {
    return workspace.draft?.base !== base
        || !isEqual(withoutVersion(workspace.draft.template), template);
}

/**
 * Disables what changes the draft while it is being published.
 *
 * @param {PageContext} context
 * @param {ReviewState} state
 * @param {boolean} isPublishing
 */
function setPublishing({workspace}, state, isPublishing) {
    state.isPublishing = isPublishing;
    workspace.isPublishing = isPublishing;
    /** @type {NodeListOf<HTMLButtonElement>} */
    const buttons = state.body.querySelectorAll('.revert, .discard');
    for (const button of buttons) {
        button.disabled = isPublishing;
    }
}

/**
 * Form with the description, and the button that publishes the draft shown by `review`.
 *
 * @param {PageContext} context
 * @param {ReviewState} state
 * @param {Review} review
 */
function publishForm(context, state, review) {
    const {workspace} = context;
    const refused = refusal(context.session, 'publisher');
    // Stored in the draft, so that it survives a reload and a merge with another version.
    const description = h('input', {type: 'text', maxlength: '1024', autocomplete: 'off',
        'data-focus': 'description',
        value: state.entered ?? workspace.draft?.template.version?.description ?? '',
        oninput: () => {
            state.entered = description.value;
        },
        onchange: () => {
            const {version, ...template} = workspace.draft?.template ?? {};
            const text = description.value.trim();
            state.entered = null;
            if (!workspace.draft || (version?.description ?? '') === text) return;
            workspace.edit(text ? {...template, version: {description: text}} : template);
        }});
    const button = h('button', {type: 'submit', class: 'primary', 'data-focus': 'publish'},
        isProduction(context.details) ? `Publish to ${shownName(context.details)}` : 'Publish');
    const outcome = h('div', {class: 'stack', 'aria-live': 'polite'});
    /** @param {SubmitEvent} event */
    const submit = async (event) => {
        event.preventDefault();
        if (button.disabled) return;
        button.disabled = true;
        description.disabled = true;
        fill(outcome, h('p', {class: 'muted'}, 'Publishing …'));
        /** @type {PublishOutcome} */
        let answer;
        /** @type {Template | undefined} */
        let sent;
        setPublishing(context, state, true);
        state.notice = null;
        try {
            await review.checking;
            if (isStale(workspace, review)) {
                state.notice = message('warning', 'Nothing was published: the draft was changed '
                    + 'while you reviewed it. Review it again.');
                throw new Error('Nothing was published: the draft differs from what is shown here.');
            }
            sent = workspace.draft?.template;
            // Without a validation result, assumes that the server stores the draft unchanged.
            const stored = review.normalized ?? review.template;
            answer = await publish(workspace, stored, {
                description: description.value.trim(), signal: state.left.signal,
                onDoubt: (attempt, isUnsettled) => attempt === 1 && fill(outcome, message('warning',
                    isUnsettled ? `${unsettledText('This publish')} Your draft is kept.`
                        : 'The connection broke during the publish, so the console does not '
                        + 'know the outcome. It asks the server until it answers. Your draft '
                        + 'is kept.'))});
        } catch (error) {
            answer = {outcome: 'refused', message: error.message};
        }
        await finish(context, state, outcome, {...answer, sent});
        setPublishing(context, state, false);
        state.follow();
        button.disabled = Boolean(refused);
        description.disabled = false;
        // A disabled button loses the focus.
        if (button.isConnected && document.activeElement === document.body) button.focus();
    };
    return h('form', {class: 'form', onsubmit: submit},
        productionNotice(context.details, 'This publishes to'),
        field('Description of this version', description,
            {hint: 'What changes, and why. The history shows it.'}),
        h('div', {class: 'actions'}, guarded(refused, button),
            h('button', {type: 'button', class: 'discard',
                onclick: () => discardDraft(context)}, 'Discard …')),
        refused && h('p', {class: 'hint'}, refused), outcome);
}

/**
 * Handles the outcome of a publish; `outcome` is the element for its message.
 *
 * @param {PageContext} context
 * @param {ReviewState} state
 * @param {HTMLElement} outcome
 * @param {PublishOutcome & {sent?: Template}} answer
 */
async function finish(context, state, outcome, answer) {
    const {workspace} = context;
    switch (answer.outcome) {
    case 'published':
    case 'publishedByOthers': {
        const {sent, version} = answer;
        if (!sent || !version) break;
        const isOwn = answer.outcome === 'published';
        // If rebasing the remaining edits fails now, a later merge combines them.
        await workspace.endPublished(sent, version.versionNumber).catch(() => {});
        await workspace.load().catch(() => {});
        state.entered = null;
        if (!state.left.signal.aborted) {
            state.notice = isOwn ? publishedView(context, state, version) : sameView(version);
            state.show();
            focusHeading();
        }
        announce(isOwn ? `Published as version ${version.versionNumber}.`
            : `Someone else published the same as version ${version.versionNumber}.`);
        break;
    }
    case 'outdated':
        await workspace.checkNewest().catch(() => {});
        if (!state.left.signal.aborted) go('merge');
        break;
    case 'notPublished':
        fill(outcome, message('info', h('strong', {}, 'Not published; your draft is kept.'),
            ' The server answers again, and no version has this draft. You can publish it now.'));
        break;
    case 'invalid':
        fill(outcome, problemsView(answer.problems ?? [], workspace.template));
        break;
    case 'refused':
        fill(outcome, message('error', answer.message));
        break;
    default:
        break;
    }
}

/**
 * Position of a condition among all, such as "1 of 3".
 *
 * @param {string} name
 * @param {Template} template
 */
function placeOf(name, template) {
    const names = conditions(template).map((condition) => condition.name);
    return `${names.indexOf(name) + 1} of ${names.length}`;
}

/**
 * What the page shows of a draft.
 *
 * @param {?Draft} draft
 */
function viewOf(draft) {
    if (!draft) return 'none';
    return draft.changes ? 'review' : 'comparing';
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
function show(main, context) {
    const {workspace} = context;
    const body = h('div', {class: 'stack'});
    // `shown` aborts what belongs to the review on the page; `notice` appears above it; `entered`
    // is a description that is not in the draft yet.
    /** @type {ReviewState} */
    const state = {body, left: new AbortController(), shown: new AbortController(), view: '',
        review: null, notice: null, entered: null, isPublishing: false,
        show: () => {}, follow: () => {}};
    fill(main, pageHead('Review and publish',
        'What your draft changes, and for which users, before they get it.'), body);

    state.show = () => {
        const {draft} = workspace;
        state.shown.abort();
        state.shown = new AbortController();
        state.view = viewOf(draft);
        state.review = draft && {template: withoutVersion(draft.template), base: draft.base,
            normalized: null, checking: Promise.resolve()};
        if (!draft || !state.review) {
            redraw(body, state.notice, emptyView(context));
        } else if (state.view === 'comparing') {
            redraw(body, state.notice, h('p', {class: 'muted', role: 'status'}, 'Comparing …'));
        } else if (draft.isBaseGone) {
            redraw(body, state.notice, baseGoneView(context));
        } else {
            showReview(context, state, draft, state.review);
        }
    };
    /** Redraws the draft when its content or base differs from what the page shows. */
    state.follow = () => {
        if (state.isPublishing || state.left.signal.aborted) return;
        const view = viewOf(workspace.draft);
        if (state.view === 'review' && state.review) {
            // The old differences stay until the new ones are loaded.
            if (view === 'comparing' || !isStale(workspace, state.review)) return;
            announce('The draft was changed: the review shows its new content.');
        } else if (view === state.view) return;
        state.show();
    };
    workspace.addEventListener('change', state.follow, {signal: state.left.signal});
    workspace.addEventListener('detailschange', () => {
        if (state.view === 'review' && !state.isPublishing) state.show();
    }, {signal: state.left.signal});
    state.show();
    return () => {
        state.left.abort();
        state.shown.abort();
    };
}

/**
 * Shows the differences, the effect and the publish form of a draft.
 *
 * @param {PageContext} context
 * @param {ReviewState} state
 * @param {Draft} draft
 * @param {Review} review
 */
function showReview(context, state, draft, review) {
    const {workspace} = context;
    const {signal} = state.shown;
    const check = h('div', {}, h('p', {class: 'muted', role: 'status'}, 'Checking …'));
    const difference = draft.changes ?? noChanges;
    const uses = usesByCondition(workspace.template);
    const panel = h('section', {class: 'card publish-card', 'aria-labelledby': 'publish'},
        h('div', {class: 'card-head'}, h('h2', {id: 'publish'}, 'Publish')),
        h('div', {class: 'card-body'}, publishForm(context, state, review)));
    reserveRoom('--panel', panel);
    redraw(state.body,
        state.notice,
        workspace.isOutdated && message('warning', h('p', {},
            `Version ${workspace.newestVersion?.versionNumber} was published since this draft `
            + `began at version ${draft.base}.`),
        h('a', {class: 'button', href: address('merge')}, 'Merge')),
        check,
        h('section', {class: 'card', 'aria-labelledby': 'changes'},
            h('div', {class: 'card-head'}, h('h2', {id: 'changes'}, 'What changes'),
                h('p', {class: 'muted'}, `${differenceSummary(difference)} since version `
                    + draft.base)),
            h('div', {class: 'card-body'}, diffView(difference, {
                template: workspace.template, usesOf: (name) => uses.get(name) ?? [],
                placeOf: (name) => placeOf(name, workspace.template),
                revert: refusal(context.session, 'editor') ? undefined : async (kind, found) => {
                    workspace.edit(reverts[kind](
                        workspace.template, workspace.baseTemplate, found));
                    await workspace.saved();
                    announce('Change reverted.');
                }}))),
        impactView(context, signal), panel);
    review.checking = checkDraft(context, review, check, signal);
}

/**
 * Names of the conditions that differ, and of those with a changed value in a setting.
 *
 * @param {Pick<Differences, 'conditions' | 'parameters'>} differences
 */
export function changedConditions({conditions: found, parameters}) {
    const prefix = 'conditionalValues.';
    const values = parameters.flatMap(({parts}) => parts.map(({name}) => name))
        .filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    return new Set([...found.map(({name}) => name), ...values]);
}

/**
 * The server's warnings; those about a condition have its name instead of its number. Warnings
 * about conditions that the draft does not change are folded.
 *
 * @param {string[]} texts
 * @param {Draft} draft
 */
function warningsView(texts, {template, changes}) {
    const changed = changedConditions(changes ?? noChanges);
    /** @type {HTMLElement[]} */
    const own = [];
    /** @type {HTMLElement[]} */
    const others = [];
    for (const text of texts) {
        const [start, path] = /^In ((?:[\w.]|\['[^']*'\]|\[\d+\])+): /.exec(text)
            ?? [''];
        const name = path && conditionName(path, template);
        // The field of warnings has ' in place of ".
        const place = path && placeText(path.replaceAll('\'', '"'), template);
        const item = h('li', {}, place ? `In ${place}: ` : start, text.slice(start.length));
        (name && !changed.has(name) ? others : own).push(item);
    }
    /** @param {HTMLElement[]} items */
    const list = (items) => h('ul', {class: 'remarks'}, items);
    const folded = others.length > 0 && h('details', {}, h('summary', {},
        `${count(others.length, 'remark')} on other conditions`), list(others));
    return own.length ? message('warning', list(own), folded) : folded;
}

/**
 * Validates the draft on the server, shows the result in `place`, and stores the normalized
 * template in `review`. Skipped for viewers, who must not validate.
 *
 * @param {PageContext} context
 * @param {Review} review
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
async function checkDraft({session, workspace}, review, place, signal) {
    if (refusal(session, 'editor')) {
        fill(place);
        return;
    }
    try {
        const {draft} = workspace;
        if (!draft) return;
        const {problems, normalized, warning} = await validate(
            workspace.project, draft.template, signal);
        review.normalized = normalized && withoutVersion(normalized);
        fill(place, problems.length ? problemsView(problems, draft.template)
            : warning && warningsView(warningTexts(warning), draft));
    } catch (error) {
        if (!signal.aborted) fill(place, message('warning', error.message));
    }
}

export const reviewPage = {path: 'review', title: 'Review and publish', show};
