/**
 * Note about a publish that ended after its page was left.
 */

import {h} from '../controls/dom.js';
import {projectAddress} from '../routing/router.js';

/** Milliseconds from a publish during which it can be undone on the review page. */
export const undoTime = 60_000;

/**
 * What happened to the draft.
 *
 * @param {LastPublish} publish
 */
export function publishText({version, newest, isOwn, undone, problem}) {
    if (version && newest) {
        return `Published as version ${version.versionNumber}, which version `
            + `${newest.versionNumber} has replaced since. Your draft is kept.`;
    }
    if (undone) {
        return `The changes of version ${version?.versionNumber} were taken back, as version `
            + `${undone.versionNumber}.`;
    }
    if (!version) return `Not published: ${problem}`;
    return isOwn ? `Published as version ${version.versionNumber}.`
        : `Someone else published the same as version ${version.versionNumber}.`;
}

/**
 * The note, with the way to undo; false if the review page has shown the outcome.
 *
 * @param {Workspace} workspace
 * @param {string} [open] Project that is open.
 */
export function publishNote(workspace, open = workspace.project) {
    const {lastPublish, project} = workspace;
    if (!lastPublish || lastPublish.isSeen) return false;
    const {version, newest, isOwn, undone, time} = lastPublish;
    const mayUndo = version && isOwn && !undone && !newest && Date.now() - time < undoTime;
    const where = project === open ? '' : `${project}: `;
    return h('span', {class: version && !newest ? '' : 'outdated', role: 'status'},
        ` ${where}${publishText(lastPublish)} `,
        mayUndo ? h('a', {href: projectAddress(project, 'review')}, 'See it arrive, or undo it')
            : version ? h('a', {href: projectAddress(project, 'history')}, 'See the history')
                : project !== open && h('a', {href: projectAddress(project, 'review')},
                    'See the draft'), ' ',
        h('button', {type: 'button', class: 'quiet small', 'data-focus': 'note-publish',
            onclick: () => workspace.notePublish({...lastPublish, isSeen: true})}, 'OK'));
}
