/**
 * Adding changes of the current version's content to the draft.
 */

import {placeName} from '../template/paths.js';
import {mergeTemplates} from '../template/template-merge.js';

/**
 * Why nothing can be added to a draft yet; null if it can. The edits of a draft of another version
 * would silently win over what was published after it began, which *Merge* shows.
 *
 * @param {?Pick<Draft, 'base' | 'isBaseGone'>} draft
 * @param {string} versionNumber The current version.
 */
export function additionRefusal(draft, versionNumber) {
    if (!draft || (draft.base === versionNumber && !draft.isBaseGone)) return null;
    if (draft.isBaseGone) {
        return `Version ${draft.base}, which your draft began with, is no longer kept, so it is `
            + 'unknown what others changed since. Compare the draft with the current version on '
            + 'the review first.';
    }
    return `Version ${versionNumber} was published since your draft began at version `
        + `${draft.base}. Merge it on the review first.`;
}

/**
 * The draft with a template's changes.
 *
 * @param {Pick<Draft, 'baseTemplate' | 'template'>} draft
 * @param {Template} template
 * @returns {{template: Template, kept: string[]}} `kept` names the places where both differ, and
 *     the draft wins, without the description of the version.
 */
export function withAdded(draft, template) {
    /** @type {TreePath[]} */
    const conflicts = [];
    const merged = mergeTemplates(draft.baseTemplate, draft.template, template, conflicts);
    return {template: merged, kept: [...new Set(
        conflicts.filter(([name]) => name !== 'version').map(placeName))]};
}

/**
 * Sentence about the places where the draft wins.
 *
 * @param {string[]} kept
 */
export function keptText(kept) {
    const rest = kept.length - 5;
    return `The edits of your draft win, so it keeps its own: ${kept.slice(0, 5).join('; ')}${
        rest > 0 ? `; and ${rest} more` : ''}.`;
}
