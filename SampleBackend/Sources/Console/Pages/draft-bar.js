/**
 * Bar above every page. Shows the draft, or a version that was published meanwhile.
 */

import {count} from './controls.js';
import {ask} from './dialog.js';
import {differenceCount} from './diff.js';
import {announce, h} from './dom.js';
import {address, currentRoute} from './router.js';

/** Discards the draft after a confirmation. */
export async function discardDraft({workspace, redraw}) {
    const isSure = await ask({
        title: 'Discard the draft?',
        text: 'Your changes that are not published are lost. What is published stays as it is.',
        action: 'Discard the draft', cancel: 'Keep it', isDangerous: true,
    });
    if (!isSure) return;
    workspace.discard();
    await workspace.load();
    redraw();
    announce('The draft is discarded.');
}

function barOfDraft(context) {
    const {workspace} = context;
    const {draft, newestVersion} = workspace;
    const isReview = ['review', 'merge'].includes(currentRoute().path);
    return h('section', {class: 'draft-bar', 'aria-label': 'Draft'},
        h('p', {},
            h('strong', {}, 'Draft'), ` ${count(differenceCount(workspace.differences), 'change')}`,
            h('span', {class: 'muted'}, ` since version ${draft.base}`),
            workspace.isOutdated && h('span', {class: 'outdated'},
                ` Version ${newestVersion.versionNumber} was published meanwhile; `
                + 'both are put together before you publish.'),
            workspace.isStorageFull && h('span', {class: 'outdated'},
                ' It is too large for the browser to keep over a reload.')),
        h('div', {class: 'actions'},
            h('button', {type: 'button', 'data-focus': 'discard-draft',
                onclick: () => discardDraft(context)}, 'Discard …'),
            !isReview && h('a', {class: 'button primary', href: address('review')},
                'Review and publish')));
}

/** Bar that offers to show a newer version, while there is no draft. */
function barOfNews({workspace, redraw}) {
    const {newestVersion} = workspace;
    const load = async () => {
        await workspace.load();
        redraw();
        announce(`This is version ${workspace.versionNumber}.`);
    };
    return h('section', {class: 'draft-bar', 'aria-label': 'News'},
        h('p', {}, h('strong', {}, `Version ${newestVersion.versionNumber}`),
            ` was published by ${newestVersion.updateUser?.name || 'somebody'}. `,
            h('span', {class: 'muted'}, `You see version ${workspace.versionNumber}.`)),
        h('div', {class: 'actions'},
            h('button', {type: 'button', onclick: load}, 'Show the new version')));
}

/** The bar; null without a draft or a newer version. */
export function draftBar(context) {
    if (context.workspace.draft) return barOfDraft(context);
    return context.workspace.isOutdated ? barOfNews(context) : null;
}
