/**
 * Review page: the changes of the draft, the users that they affect, and publishing.
 */

import {count, field, guarded, message, nothing, pageHead} from './controls.js';
import {discardDraft} from './draft-bar.js';
import {differenceSummary, diffView} from './diff-view.js';
import {announce, fill, h} from './dom.js';
import {impactView} from './impact.js';
import {publish} from './publishing.js';
import {address, go} from './router.js';
import {refusal} from './session.js';
import {withoutVersion} from './template.js';
import {sentence, validate} from './validation.js';

function problemsView(problems) {
    return message('error',
        h('p', {}, `The draft cannot be published: ${count(problems.length, 'problem')}.`),
        h('ul', {}, problems.map((problem) => h('li', {}, sentence(problem), ' ',
            h('code', {class: 'path'}, problem.path)))));
}

/** Content without a draft; `published` is the version that was just published, if any. */
function emptyView(published) {
    return [published && message('success',
        h('p', {}, h('strong', {}, `Published as version ${published.versionNumber}.`),
            ' Apps that listen get it now.'),
        h('p', {class: 'actions'}, h('a', {href: address('live')}, 'Watch it arrive'),
            h('a', {href: address('history')}, 'See the history'))),
    h('section', {class: 'card'}, nothing('There is no draft. Change a setting or a condition, '
        + 'and review it here.',
    h('a', {class: 'button', href: address('settings')}, 'Go to the settings')))];
}

/** Form with the description and the button that publishes the draft. */
function publishForm(context, state) {
    const {workspace} = context;
    const refused = refusal(context.session, 'publisher');
    const description = h('input', {type: 'text', maxlength: '1024', autocomplete: 'off'});
    const button = h('button', {type: 'submit', class: 'primary', 'data-focus': 'publish'},
        'Publish');
    const outcome = h('div', {class: 'stack', 'aria-live': 'polite'});
    const submit = async (event) => {
        event.preventDefault();
        if (button.disabled) return;
        button.disabled = true;
        description.disabled = true;
        fill(outcome, h('p', {class: 'muted'}, 'Publishing …'));
        let answer;
        try {
            await state.checking;
            // Without a validation result, assumes that the server stores the draft as it is.
            const stored = state.normalized ?? workspace.draft.template;
            answer = await publish(workspace, stored, {
                description: description.value.trim(), signal: state.left.signal,
                onDoubt: (attempt) => attempt === 1 && fill(outcome, message('warning',
                    'The connection broke while this was published, so the console does not know '
                    + 'whether it was. It asks the server again until it answers. Your draft is '
                    + 'kept.'))});
        } catch (error) {
            answer = {outcome: 'refused', message: error.message};
        }
        await finish(context, state, outcome, answer);
        button.disabled = Boolean(refused);
        description.disabled = false;
        // A disabled button loses the focus.
        if (button.isConnected && document.activeElement === document.body) button.focus();
    };
    return h('form', {class: 'form', onsubmit: submit},
        field('Description of this version', description,
            {hint: 'What changes, and why: it stands in the history.'}),
        h('div', {class: 'actions'}, guarded(refused, button),
            h('button', {type: 'button', onclick: () => discardDraft(context)}, 'Discard …')),
        refused && h('p', {class: 'hint'}, refused), outcome);
}

/** Handles the outcome of a publish; `outcome` is the element for its message. */
async function finish(context, state, outcome, answer) {
    const {workspace} = context;
    switch (answer.outcome) {
    case 'published':
        workspace.discard();
        await workspace.load().catch(() => {});
        state.show(answer.version);
        announce(`Published as version ${answer.version.versionNumber}.`);
        break;
    case 'outdated':
        await workspace.checkNewest().catch(() => {});
        go('merge');
        break;
    case 'notPublished':
        fill(outcome, message('info', h('strong', {}, 'Not published; your draft is kept.'),
            ' The server answers again, and no version holds this draft. You may publish it now.'));
        break;
    case 'invalid':
        fill(outcome, problemsView(answer.problems));
        break;
    case 'refused':
        fill(outcome, message('error', answer.message));
        break;
    default:
        break;
    }
}

function show(main, context) {
    const {workspace} = context;
    const state = {
        left: new AbortController(), normalized: null, checking: Promise.resolve()};
    const body = h('div', {class: 'stack'});
    fill(main, pageHead('Review and publish',
        'What your draft changes, and for whom, before anybody gets it.'), body);

    state.show = (published) => {
        if (!workspace.draft) {
            fill(body, emptyView(published));
            main.querySelector('h1').focus();
            return;
        }
        const check = h('div', {}, h('p', {class: 'muted', role: 'status'}, 'Checking …'));
        const difference = workspace.differences;
        fill(body,
            workspace.isOutdated && message('warning', h('p', {},
                `Version ${workspace.newestVersion.versionNumber} was published since this draft `
                + `began at version ${workspace.draft.base}.`),
            h('a', {class: 'button', href: address('merge')}, 'Put both together')),
            check,
            h('section', {class: 'card', 'aria-labelledby': 'changes'},
                h('div', {class: 'card-head'}, h('h2', {id: 'changes'}, 'What changes'),
                    h('p', {class: 'muted'}, `${differenceSummary(difference)} since version `
                        + workspace.draft.base)),
                h('div', {class: 'card-body'}, diffView(difference))),
            impactView(context, state.left.signal),
            h('section', {class: 'card', 'aria-labelledby': 'publish'},
                h('div', {class: 'card-head'}, h('h2', {id: 'publish'}, 'Publish')),
                h('div', {class: 'card-body'}, publishForm(context, state))));
        state.checking = checkDraft(context, state, check);
    };
    state.show();
    return () => state.left.abort();
}

/**
 * Validates the draft on the server, shows the result in `place`, and keeps the normalized template
 * in `state`. Skipped for viewers, who may not validate.
 */
async function checkDraft({session, workspace}, state, place) {
    if (refusal(session, 'editor')) {
        fill(place);
        return;
    }
    try {
        const {problems, normalized, warning} = await validate(
            workspace.project, workspace.draft.template, state.left.signal);
        state.normalized = normalized && withoutVersion(normalized);
        fill(place, problems.length ? problemsView(problems)
            : warning && message('warning', warning));
    } catch (error) {
        if (!state.left.signal.aborted) fill(place, message('warning', error.message));
    }
}

export const reviewPage = {path: 'review', title: 'Review and publish', show};
