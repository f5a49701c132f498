/**
 * Bar above every page: the draft, a version that was published meanwhile, or that there is none.
 * Its height and the places of its buttons stay, so that a double click hits one control.
 */

import {publisherName} from '../controls/controls.js';
import {ask} from '../controls/dialog.js';
import {announce, h} from '../controls/dom.js';
import {reserveRoom} from '../controls/sticky.js';
import {address, currentRoute} from '../routing/router.js';
import {differenceCount} from '../server/server-draft.js';
import {count, versionText} from '../text/formats.js';
import {overwrittenNames} from './overwritten.js';
import {publishNote} from './publish-note.js';
import {leftNote, stepButtons, stepIcon} from './step-controls.js';

/**
 * Asks for confirmation, then discards the draft.
 *
 * @param {Pick<PageContext, 'workspace' | 'redraw'>} context
 */
export async function discardDraft({workspace, redraw}) {
    const isSure = await ask({
        title: 'Discard the draft?',
        text: 'Your unpublished changes are discarded. The published version stays. '
            + (workspace.isReadOnly ? 'The project is archived: nothing brings them back.'
                : 'Undo in this tab brings them back.'),
        action: 'Discard the draft', cancel: 'Keep it', isDangerous: true,
    });
    if (!isSure) return;
    await workspace.discard();
    // The bar shows the reason, and stays until the server has deleted the draft.
    if (workspace.isUnsaved || workspace.draft) return;
    // If this fails, the next check for a new version reads it.
    await workspace.load().catch(() => {});
    redraw();
    announce('Draft discarded.');
}

/**
 * Why the server lacks the current draft, and what happens next; null if it has the draft.
 *
 * @param {Workspace} workspace
 */
function problemView(workspace) {
    const {saveProblem, sync: {isKeptInTab}} = workspace;
    const isRefused = workspace.state.phase === 'refused';
    if (!saveProblem) return null;
    if (!workspace.draft) {
        return h('span', {class: 'outdated', role: 'status'}, ' The server still has it: '
            + `${saveProblem}${isRefused ? '' : ' Retrying.'}`);
    }
    const fate = isRefused ? 'The server refused it: change it, or try again.'
        : 'Retrying.';
    const place = isKeptInTab ? 'Until then, only this tab has your last changes.'
        : 'Until then, only this page has your last changes, and closing or reloading it loses '
            + 'them: the browser has no space to keep them.';
    return h('span', {class: 'outdated', role: 'status'},
        ` Not saved on the server: ${saveProblem} ${fate} ${place}`);
}

/**
 * Button that sends again what the server refused; false otherwise, since other failures are
 * retried automatically.
 *
 * @param {Workspace} workspace
 */
function retryButton(workspace) {
    return workspace.state.phase === 'refused' && h('button', {
        type: 'button', 'data-focus': 'retry-draft',
        onclick: () => workspace.sync.send({type: 'retry'})}, 'Try again');
}

/** Maximum number of steps that are named. */
const namedSteps = 3;

/**
 * Note that what the tab had of a deleted project is gone; false if there was nothing.
 *
 * @param {Workspace} workspace
 */
function droppedNote(workspace) {
    const {dropped} = workspace.state;
    const rest = dropped.length - namedSteps;
    return dropped.length > 0 && h('span', {class: 'outdated', role: 'status'},
        ' This project was deleted meanwhile. Your draft of the deleted one ended with '
        + `it: ${dropped.slice(0, namedSteps).join('; ')}${rest > 0 ? `; and ${rest} more` : ''}. `,
        h('button', {type: 'button', class: 'quiet small', 'data-focus': 'note-dropped',
            onclick: () => workspace.sync.send({type: 'noted'})}, 'OK'));
}

/**
 * The bar: a line with buttons, and notes, which can take more lines.
 *
 * @param {PageContext} context
 * @param {{text: *, notes?: *, first?: *, last?: *, isDraft?: boolean, isQuiet?: boolean}} content
 *     `first` and `last` are buttons beside those of the steps; `isDraft` allows to discard and to
 *     review; `isQuiet` is for a bar without a message.
 */
function bar(context, {text, notes = [], first, last, isDraft = false, isQuiet = false}) {
    const {workspace, endedElsewhere} = context;
    const others = endedElsewhere.map((other) => publishNote(other, workspace.project));
    const isReview = ['review', 'merge'].includes(currentRoute().path);
    const line = h('div', {class: 'draft-line'},
        h('p', {}, text),
        h('div', {class: 'actions'},
            first, isDraft && h('button', {type: 'button', class: 'discard',
                'data-focus': 'discard-draft',
                disabled: workspace.isPublishing, title: 'Discard the draft …',
                onclick: () => discardDraft(context)},
            stepIcon('discard'), h('span', {class: 'discard-word'}, 'Discard …')),
            last ?? (isDraft && !isReview && h('a', {
                class: 'button primary', href: address('review')},
            'Review', h('span', {class: 'wide-only'}, ' and publish'))),
            // At the edge, where they stay without the others.
            stepButtons(workspace)));
    const section = h('section', {class: isQuiet && !others.length ? 'step-bar' : 'draft-bar',
        'aria-label': 'Draft'}, line, h('p', {class: 'draft-notes'}, notes, others));
    reserveRoom('--bar', section, line);
    return section;
}

/**
 * Bar while the server still has a draft that was discarded here.
 *
 * @param {PageContext} context
 */
function barOfDiscarded(context) {
    const {workspace} = context;
    return bar(context, {text: [h('strong', {}, 'Draft'),
        workspace.isPublishing ? ' Publishing …'
            : workspace.saveProblem ? ' discarded in this tab only.' : ' Discarding …'],
    notes: problemView(workspace), first: retryButton(workspace)});
}

/**
 * Summary of a draft's differences from its base.
 *
 * @param {Draft} draft
 * @param {?string} saveProblem
 */
function changesText(draft, saveProblem) {
    if (!draft.changes) return saveProblem ? '' : ' Saving …';
    const base = h('span', {class: 'muted'},
        draft.base === '0' ? ', nothing is published' : ` since version ${draft.base}`);
    if (draft.isBaseGone) return base;
    return [` ${count(differenceCount(draft.changes), 'change')}`, base];
}

/**
 * Problems of a draft, and changes to it made elsewhere.
 *
 * @param {Workspace} workspace
 * @param {Draft} draft
 */
function notes(workspace, draft) {
    const {newestVersion, state} = workspace;
    return [
        draft.isBaseGone && h('span', {class: 'outdated'},
            ' That version is no longer kept, so the changes are unknown.'),
        // While this tab publishes, the version may be its own.
        !draft.isBaseGone && workspace.isOutdated && !workspace.isPublishing && h(
            'span', {class: 'outdated'},
            ` Version ${newestVersion?.versionNumber} was published meanwhile; `
            + 'it is merged with your draft before you publish.'),
        workspace.isReadOnly
            && ' This project is archived: the draft can be discarded, but not changed.',
        workspace.isPublishing && currentRoute().path !== 'review' && ' Publishing …',
        publishNote(workspace),
        problemView(workspace), leftNote(workspace), droppedNote(workspace),
        state.overwritten.length > 0 && h('span', {class: 'outdated', role: 'status'},
            ' Another tab or person changed the same values, and yours replaced them: '
            + `${overwrittenNames(state).join('; ')}.`)];
}

/**
 * @param {PageContext} context
 * @param {Draft} draft
 */
function barOfDraft(context, draft) {
    const {workspace} = context;
    return bar(context, {isDraft: true,
        text: [h('strong', {}, 'Draft'), changesText(draft, workspace.saveProblem)],
        notes: notes(workspace, draft), first: retryButton(workspace)});
}

/**
 * Bar that offers to show a newer version, while there is no draft.
 *
 * @param {PageContext} context
 */
function barOfNews(context) {
    const {workspace, redraw} = context;
    const {newestVersion} = workspace;
    const load = async () => {
        try {
            await workspace.load();
        } catch (error) {
            const isAgain = await ask({title: 'Loading the new version failed',
                text: error.message, action: 'Try again', cancel: 'Close'});
            if (isAgain) await load();
            return;
        }
        redraw();
        announce(`This is version ${workspace.versionNumber}.`);
    };
    return bar(context, {text: h('strong', {}, `Version ${newestVersion?.versionNumber}`),
        notes: [newestVersion?.updateUser?.name === workspace.user
            ? 'was published by you, in another tab or program. '
            : ['was published by ', publisherName(newestVersion), '. '],
        h('a', {href: address('history', {from: workspace.versionNumber,
            to: newestVersion?.versionNumber})}, 'See what it changed'), '. ',
            h('span', {class: 'muted'}, `You see ${versionText(workspace.versionNumber ?? '0')}.`)],
        last: h('button', {type: 'button', onclick: load}, 'Show the new version')});
}

/**
 * The bar of a draft, of one to delete, of a newer version, or of none.
 *
 * @param {PageContext} context
 */
export function draftBar(context) {
    const {workspace} = context;
    if (workspace.draft) return barOfDraft(context, workspace.draft);
    if (workspace.isUnsaved) return barOfDiscarded(context);
    const note = droppedNote(workspace) || publishNote(workspace);
    if (!note && workspace.isOutdated) return barOfNews(context);
    return bar(context, {text: 'No draft', notes: [note, leftNote(workspace)], isQuiet: !note});
}
