/**
 * Bar above every page; shows the draft, or a version that was published meanwhile.
 */

import {publisherName} from '../controls/controls.js';
import {ask} from '../controls/dialog.js';
import {announce, h} from '../controls/dom.js';
import {reserveRoom} from '../controls/sticky.js';
import {address, currentRoute} from '../routing/router.js';
import {differenceCount} from '../server/server-draft.js';
import {placeName} from '../template/paths.js';
import {count} from '../text/formats.js';
import {publishNote} from './publish-note.js';
import {barOfSteps, leftNote, stepButtons, stepIcon} from './step-controls.js';

/**
 * Asks for confirmation, then discards the draft.
 *
 * @param {Pick<PageContext, 'workspace' | 'redraw'>} context
 */
export async function discardDraft({workspace, redraw}) {
    const isSure = await ask({
        title: 'Discard the draft?',
        text: 'Your unpublished changes end; the published version stays unchanged. '
            + 'Undo in this tab brings them back.',
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
    const {saveProblem, isRefused, isKeptInTab} = workspace;
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
    return workspace.isRefused && h('button', {type: 'button', 'data-focus': 'retry-draft',
        onclick: () => workspace.retry()}, 'Try again');
}

/** Maximum number of steps that are named. */
const namedSteps = 3;

/**
 * Note that what the tab had of a deleted project is gone; false if there was nothing.
 *
 * @param {Workspace} workspace
 */
function droppedNote(workspace) {
    const {dropped} = workspace;
    const rest = dropped.length - namedSteps;
    return dropped.length > 0 && h('span', {class: 'outdated', role: 'status'},
        ' This project was deleted, and created again. Your draft of the deleted one ended with '
        + `it: ${dropped.slice(0, namedSteps).join('; ')}${rest > 0 ? `; and ${rest} more` : ''}. `,
        h('button', {type: 'button', class: 'quiet small', 'data-focus': 'note-dropped',
            onclick: () => workspace.noteDropped()}, 'OK'));
}

/**
 * Bar while the server still has a draft that was discarded here.
 *
 * @param {{workspace: Workspace}} context
 */
function barOfDiscarded({workspace}) {
    return h('section', {class: 'draft-bar', 'aria-label': 'Draft'},
        h('p', {}, h('strong', {}, 'Draft'),
            workspace.saveProblem ? ' discarded in this tab only.' : ' Discarding …',
            problemView(workspace)),
        h('div', {class: 'actions'}, retryButton(workspace), stepButtons(workspace)));
}

/**
 * Summary of a draft's differences.
 *
 * @param {Draft} draft
 * @param {?string} saveProblem
 */
function changesText(draft, saveProblem) {
    if (draft.isBaseGone && draft.changes) return '';
    if (draft.changes) return ` ${count(differenceCount(draft.changes), 'change')}`;
    return saveProblem ? '' : ' Saving …';
}

/**
 * Problems of a draft, and changes to it made elsewhere.
 *
 * @param {Workspace} workspace
 * @param {Draft} draft
 */
function notes(workspace, draft) {
    const {newestVersion, overwritten} = workspace;
    return [
        draft.isBaseGone && h('span', {class: 'outdated'},
            ' That version is no longer kept, so the changes are unknown.'),
        !draft.isBaseGone && workspace.isOutdated && h('span', {class: 'outdated'},
            ` Version ${newestVersion?.versionNumber} was published meanwhile; `
            + 'it is merged with your draft before you publish.'),
        workspace.isPublishing && currentRoute().path !== 'review' && ' Publishing …',
        publishNote(workspace),
        problemView(workspace), leftNote(workspace), droppedNote(workspace),
        overwritten.length > 0 && h('span', {class: 'outdated', role: 'status'},
            ' Another tab or person changed the same values, and yours replaced them: '
            + `${overwritten.map(placeName).join('; ')}.`)];
}

/**
 * @param {PageContext} context
 * @param {Draft} draft
 */
function barOfDraft(context, draft) {
    const {workspace} = context;
    const isReview = ['review', 'merge'].includes(currentRoute().path);
    const line = h('div', {class: 'draft-line'},
        h('p', {}, h('strong', {}, 'Draft'), changesText(draft, workspace.saveProblem),
            h('span', {class: 'muted'}, ` since version ${draft.base}`)),
        h('div', {class: 'actions'},
            retryButton(workspace), stepButtons(workspace),
            h('button', {type: 'button', class: 'discard', 'data-focus': 'discard-draft',
                disabled: workspace.isPublishing, title: 'Discard the draft …',
                onclick: () => discardDraft(context)},
            stepIcon('discard'), h('span', {class: 'discard-word'}, 'Discard …')),
            !isReview && h('a', {class: 'button primary', href: address('review')},
                'Review', h('span', {class: 'wide-only'}, ' and publish'))));
    const bar = h('section', {class: 'draft-bar', 'aria-label': 'Draft'},
        line, h('p', {class: 'draft-notes'}, notes(workspace, draft)));
    reserveRoom('--bar', bar, line);
    return bar;
}

/**
 * Bar that offers to show a newer version, while there is no draft.
 *
 * @param {PageContext} context
 */
function barOfNews({workspace, redraw}) {
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
    return h('section', {class: 'draft-bar', 'aria-label': 'News'},
        h('p', {}, h('strong', {}, `Version ${newestVersion?.versionNumber}`),
            ` was published by ${publisherName(newestVersion)}. `,
            h('span', {class: 'muted'}, `You see version ${workspace.versionNumber}.`)),
        h('div', {class: 'actions'}, stepButtons(workspace),
            h('button', {type: 'button', onclick: load}, 'Show the new version')));
}

/**
 * The bar; false without a draft, a draft to delete, a note that one ended with its project or by a
 * publish, a newer version, or steps to undo or redo.
 *
 * @param {PageContext} context
 */
export function draftBar(context) {
    const {draft} = context.workspace;
    if (draft) return barOfDraft(context, draft);
    if (context.workspace.isUnsaved) return barOfDiscarded(context);
    const note = droppedNote(context.workspace);
    if (note) {
        return h('section', {class: 'draft-bar', 'aria-label': 'Draft'},
            h('p', {}, h('strong', {}, 'No draft.'), note));
    }
    const publish = publishNote(context.workspace);
    if (publish) {
        return h('section', {class: 'draft-bar', 'aria-label': 'Publish'},
            h('p', {}, h('strong', {}, 'No draft.'), publish),
            h('div', {class: 'actions'}, stepButtons(context.workspace)));
    }
    return context.workspace.isOutdated ? barOfNews(context) : barOfSteps(context.workspace);
}
