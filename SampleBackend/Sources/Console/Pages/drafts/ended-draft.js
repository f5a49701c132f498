/**
 * What became of a draft that has ended elsewhere: a version has what it changed, or it was
 * discarded.
 */

import {isEqual} from '../json/json.js';
import {mergeTrees} from '../json/tree-merge.js';
import {withoutVersion} from '../template/template.js';
import {templateAfter} from './draft-step.js';

/**
 * True if a template has all that a draft changed, also beside other changes.
 *
 * @param {Pick<Draft, 'template' | 'baseTemplate'>} draft
 * @param {Template} template
 */
export function isContained({template: mine, baseTemplate}, template) {
    return isEqual(mergeTrees(baseTemplate, withoutVersion(mine), template), template);
}

/**
 * True if a version has some of a draft's changes, and no others.
 *
 * @param {Draft} draft
 * @param {Template} published
 */
export function isChoiceOf({template, baseTemplate, isBaseGone}, published) {
    return !isBaseGone && !isEqual(published, baseTemplate)
        && isContained({template: published, baseTemplate}, withoutVersion(template));
}

/**
 * True if the last step ended the draft, so that there is none after it.
 *
 * @param {DraftHistory} history
 */
export function isDiscarded({done}) {
    const last = done.at(-1);
    return last !== undefined && last.after.base === null;
}

/**
 * True if a template has all that the steps of a draft changed, for a draft that is unknown, since
 * the page was reloaded.
 *
 * @param {DraftHistory} history
 * @param {Template} template
 */
export function areContained(history, template) {
    const steps = isDiscarded(history) ? history.done.slice(0, -1) : history.done;
    // Those before an earlier draft ended did not lead to this one.
    const start = steps.map(({after}) => after.base).lastIndexOf(null) + 1;
    return isEqual(template, withoutVersion(steps.slice(start).reduce(
        (result, {before, after}) => templateAfter(before, after, result).template, template)));
}
