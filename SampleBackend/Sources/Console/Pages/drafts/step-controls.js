/**
 * Undo and redo of the draft's steps: buttons of the bar, and keys.
 */

import {ask} from '../controls/dialog.js';
import {announce, h, svg} from '../controls/dom.js';
import {isMac, shortcut} from '../input/shortcuts.js';
import {placeName} from '../template/paths.js';
import {lostSettings} from '../template/removals.js';
import {count} from '../text/formats.js';
import {stepOfKey, stepText} from './step-keys.js';

/** Elements in which the keys undo what was typed there, or which hide the page. */
const textFields = 'input:not([type=checkbox], [type=radio], [type=range], [type=button]), '
    + 'textarea, dialog, [contenteditable]';

const icons = {undo: 'M6.5 3 3 6.5 6.5 10 M3 6.5h6a3.5 3.5 0 0 1 0 7H6',
    redo: 'M9.5 3 13 6.5 9.5 10 M13 6.5H7a3.5 3.5 0 0 0 0 7h3',
    discard: 'M2.5 4.5h11 M6 4.5V2.5h4v2 M4 4.5l.7 9h6.6l.7-9 M6.7 7v4 M9.3 7v4'};

/**
 * Icon of a button whose words have no room on a narrow screen.
 *
 * @param {keyof typeof icons} name
 */
export function stepIcon(name) {
    return svg('svg', {viewBox: '0 0 16 16', width: '16', height: '16', 'aria-hidden': 'true'},
        svg('path', {d: icons[name], fill: 'none', stroke: 'currentColor', 'stroke-width': '1.6',
            'stroke-linecap': 'round', 'stroke-linejoin': 'round'}));
}

/**
 * Asks before a step removes several settings, as for a direct removal.
 *
 * @param {'undo' | 'redo'} kind
 * @returns {StepQuestion}
 */
const mayTake = (kind) => async (name, before, after) => {
    const lost = lostSettings(before, after);
    const [verb, other] = kind === 'undo' ? ['Undo', 'Redo'] : ['Redo', 'Undo'];
    return lost < 2 || ask({title: `${verb}: ${name}?`, action: verb, isDangerous: true,
        text: `This removes ${count(lost, 'setting')} from your draft. ${other} in this tab `
            + 'brings them back.'});
};

/**
 * Undoes or redoes a step of the draft, and announces it. What others changed since, the bar names.
 *
 * @param {Workspace} workspace
 * @param {'undo' | 'redo'} kind
 */
export async function takeStep(workspace, kind) {
    try {
        const step = await workspace[kind](mayTake(kind));
        if (step) announce(stepText(kind, step.name, step.kept.map(placeName)));
    } catch (error) {
        const isAgain = await ask({title: kind === 'undo' ? 'Not undone' : 'Not redone',
            text: error.message, action: 'Try again', cancel: 'Close'});
        if (isAgain) await takeStep(workspace, kind);
    }
}

/**
 * @param {Workspace} workspace
 * @param {'undo' | 'redo'} kind
 * @param {?string} name Name of the step; null without one.
 */
function stepButton(workspace, kind, name) {
    const word = kind === 'undo' ? 'Undo' : 'Redo';
    const label = name === null ? `Nothing to ${kind}` : `${word}: ${name}`;
    const keys = shortcut('Z', isMac(), kind === 'redo');
    return h('button', {type: 'button', class: 'step', 'data-focus': `${kind}-step`,
        'aria-label': label, title: name === null ? label : `${label} (${keys.text})`,
        'aria-keyshortcuts': keys.aria,
        // `disabled` would move the focus away after the last step.
        'aria-disabled': name === null && 'true',
        onclick: () => name !== null && takeStep(workspace, kind)},
    stepIcon(kind), h('span', {class: 'step-word'}, word));
}

/**
 * The buttons; false while no step can be undone or redone.
 *
 * @param {Workspace} workspace
 */
export function stepButtons(workspace) {
    const {undoName, redoName} = workspace;
    return (undoName !== null || redoName !== null) && h('span', {class: 'steps'},
        stepButton(workspace, 'undo', undoName), stepButton(workspace, 'redo', redoName));
}

/**
 * Note about places that the last undo or redo left as others changed them; false without any.
 *
 * @param {Workspace} workspace
 */
export function leftNote({state: {left}}) {
    return left.length > 0 && h('span', {class: 'outdated', role: 'status'},
        ' Another tab or person changed these values since, so they stay: '
        + `${left.map(placeName).join('; ')}.`);
}

/**
 * Starts to take the keys, outside of text fields and dialogs.
 *
 * @param {() => ?Workspace} workspaceNow The open workspace; null while none is.
 * @param {AbortSignal} signal Ends it.
 */
export function watchStepKeys(workspaceNow, signal) {
    document.addEventListener('keydown', (event) => {
        const kind = stepOfKey(event, isMac());
        const workspace = workspaceNow();
        if (!kind || !workspace || event.defaultPrevented
            || (event.target instanceof Element && event.target.closest(textFields))
            || document.querySelector('dialog[open]')) return;
        event.preventDefault();
        takeStep(workspace, kind);
    }, {signal});
}
