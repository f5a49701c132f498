/**
 * Messages of the review page about published versions, and about drafts without a review.
 */

import {guarded, message, nothing, publisherName} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {keptText} from '../drafts/draft-additions.js';
import {isProduction, shownName} from '../projects/project-details.js';
import {publishText, undoTime} from '../drafts/publish-note.js';
import {address} from '../routing/router.js';
import {refusal} from '../server/session.js';
import {draftExport} from '../transfer/draft-export.js';
import {undoneView, undoView} from './undo.js';

/** @typedef {import('./review-session.js').ReviewSession} ReviewSession */

/**
 * Message about the tab's last publish, within its minute or until it was shown; null without one.
 *
 * @param {ReviewSession} page
 */
export function lastPublishView(page) {
    const {workspace} = page;
    const {lastPublish} = workspace;
    if (!lastPublish) return null;
    const {version, newest, isOwn, undone, time, isSeen} = lastPublish;
    if (!isSeen) workspace.notePublish({...lastPublish, isSeen: true});
    if (version && newest) return isSeen ? null : supersededView(lastPublish);
    if (undone && isSeen) return null;
    if (version && isOwn && !undone && (!isSeen || Date.now() - time < undoTime)) {
        return publishedView(page, version, time);
    }
    if (isSeen) return null;
    if (version && !isOwn) return sameView(version);
    return message(version ? 'success' : 'warning', publishText(lastPublish));
}

/**
 * Message about the version that was just published; the message about its undo replaces it.
 *
 * @param {ReviewSession} page
 * @param {Version} published
 * @param {number} time Milliseconds since 1970 at which it was published.
 */
export function publishedView(page, published, time) {
    /**
     * @param {{before: string, versionNumber: string}} undone
     * @param {Version} version
     */
    const showUndone = (undone, version) => page.say(
        undoneView(page, undone, version, page.left, (kept) => page.say(
            kept.length ? message('info', keptText(kept)) : null)));
    const text = `Published as version ${published.versionNumber}`;
    const isBefore = Boolean(page.workspace.draft);
    return message(isBefore ? 'info' : 'success',
        h('p', {}, h('strong', {}, isBefore
            ? `${text}. What the draft changes now is not in it.` : `${text}.`),
            isProduction(page.details)
                && ` It is in ${shownName(page.details)}, production.`),
        undoView(page, published, time, page.left, showUndone),
        h('p', {class: 'actions'}, h('a', {href: address('live')}, 'Watch it arrive'),
            h('a', {href: address('history')}, 'See the history')));
}

/**
 * Message about a version in which another user published the draft's content.
 *
 * @param {Version} version
 */
export function sameView(version) {
    return message('info',
        h('p', {}, publisherName(version), ' published the same as ',
            h('strong', {}, `version ${version.versionNumber}`),
            ', so nothing in your draft is left to publish.'),
        h('p', {class: 'actions'}, h('a', {href: address('history')}, 'See the history')));
}

/**
 * Message that the draft was published, and another version since, before the console knew of it.
 *
 * @param {LastPublish} publish
 */
export function supersededView(publish) {
    return message('warning',
        h('p', {}, publishText(publish), ' Merge shows what of it the current version lacks.'),
        h('p', {class: 'actions'}, h('a', {href: address('history')}, 'See the history')));
}

/**
 * Message that nothing was published, since another tab published first, and the draft ended with
 * that version or continues from it.
 *
 * @param {Pick<Workspace, 'draft'>} workspace
 */
export function overtakenView({draft}) {
    return message('warning', h('strong', {}, 'Nothing was published here:'),
        ' another version was published first. ', draft
            ? 'Review what your draft still changes.' : 'Your draft ended with it.');
}

/**
 * Message that the draft ended elsewhere, and no version has it.
 *
 * @param {boolean} mayUndo
 */
export function endedElsewhereView(mayUndo) {
    return message('warning', 'The draft was discarded in another tab or window, or it was '
        + `changed and published there.${mayUndo ? ' Undo in the bar brings it back.' : ''}`);
}

/**
 * Message that the draft ended elsewhere, by a version that was published meanwhile.
 *
 * @param {Version} version
 * @param {string} user The signed-in user.
 */
export function publishedElsewhereView(version, user) {
    const isOwn = version.updateUser?.name === user;
    return message('info',
        h('p', {}, h('strong', {}, `Version ${version.versionNumber}`), ' was published by ',
            isOwn ? 'you, in another tab or window,' : publisherName(version),
            ' meanwhile, and the draft ended with it.'),
        h('p', {class: 'actions'}, h('a', {href: address('history')}, 'See the history')));
}

/**
 * Content without a draft.
 *
 * @param {{session: Session}} context
 */
export function emptyView({session}) {
    const refused = refusal(session, 'editor');
    if (refused) {
        return h('section', {class: 'card'}, nothing(session.isReadOnly ? refused
            : 'Editors and publishers review their drafts here. Viewers have no drafts and see '
                + 'what is published.',
        h('a', {class: 'button', href: address('history')}, 'See the history')));
    }
    return h('section', {class: 'card'}, nothing('There is no draft. Change a setting or a '
        + 'condition, and review it here.',
    h('a', {class: 'button', href: address('settings')}, 'Go to the settings')));
}

/**
 * Content for a draft that the server lacks, so that it cannot compare it with its base.
 *
 * @param {Pick<PageContext, 'workspace' | 'session' | 'project'>} context
 */
export function unsavedView(context) {
    const {workspace} = context;
    const {phase} = workspace.state;
    return message('warning',
        h('p', {}, h('strong', {}, 'The draft is not saved on the server: '),
            workspace.saveProblem),
        h('p', {}, 'The review shows what it changes once it is saved.'
            + `${phase === 'refused' ? '' : ' The console tries again by itself.'}`),
        h('div', {class: 'actions'},
            h('button', {type: 'button', class: 'primary', 'data-focus': 'retry-review',
                onclick: () => workspace.sync.send({type: 'retry'})}, 'Try again'),
            draftExport(context)));
}

/**
 * Content for a draft whose base the server no longer keeps: neither its changes nor a merge can be
 * computed.
 *
 * @param {Pick<PageContext, 'session' | 'workspace'>} context
 */
export function baseGoneView({session, workspace}) {
    const refused = refusal(session, 'editor');
    const outcome = h('div', {'aria-live': 'polite'});
    const button = h('button', {type: 'button', class: 'primary', onclick: async () => {
        button.disabled = true;
        try {
            await workspace.load();
            if (!workspace.draft) return;
            workspace.rebase(workspace.draft.template, {
                versionNumber: workspace.versionNumber, etag: workspace.etag,
                baseTemplate: workspace.published},
            `comparison with version ${workspace.versionNumber}`);
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
