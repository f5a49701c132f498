/**
 * Copying settings of another project into the draft: the requests, and the merge with the draft.
 */

import {additionRefusal, withAdded} from '../drafts/draft-additions.js';
import {call, projectPath} from '../server/api.js';
import {etagOf} from '../server/versions.js';
import {count} from '../text/formats.js';

const changedText = 'One of the projects has changed meanwhile: compare again.';

/**
 * What differs between a project and another one.
 *
 * @param {string} project
 * @param {string} other
 * @param {AbortSignal} [signal]
 * @returns {Promise<Comparison>}
 */
export async function compareWith(project, other, signal) {
    return (await call('GET', projectPath(project, 'remoteConfig:compare', {with: other}),
        {signal})).body;
}

/**
 * The settings of a comparison that can be copied: those that only this project has stay.
 *
 * @param {Comparison} comparison
 */
export function copyable({parameters}) {
    return parameters.filter(({change}) => change !== 'REMOVED');
}

/**
 * Merges chosen settings of the other project into the current version; the server stores nothing.
 *
 * @param {string} project
 * @param {Comparison} comparison
 * @param {Pick<Difference, 'section' | 'key'>[]} chosen
 * @param {Record<string, string>} resolutions
 * @param {AbortSignal} [signal]
 * @returns {Promise<Promotion>}
 * @throws Error as `call`; one that says to compare again if a project has changed since.
 */
export async function promote(project, comparison, chosen, resolutions, signal) {
    const {etag, withETag, with: from} = comparison;
    try {
        return (await call('POST', projectPath(project, 'remoteConfig:promote'), {
            signal, ifMatch: etag, body: {from, fromETag: withETag, resolutions,
                settings: chosen.map(({section, key}) => ({section, key}))}})).body;
    } catch (error) {
        throw error.status === 412 ? new Error(changedText) : error;
    }
}

/**
 * Sentences about a promotion, for a preview.
 *
 * @param {Promotion} promotion
 * @returns {string[]}
 */
export function promotionNotes({conditions, omittedValues, affectedSettings, from}) {
    const {added, reused, omitted} = conditions;
    /** @param {string[]} names */
    const quoted = (names) => names.map((name) => `“${name}”`).join(', ');
    return [
        added.length ? [`Adds ${quoted(added)}.`] : [],
        reused.length ? [`${quoted(reused)} ${
            reused.length > 1 ? 'are' : 'is'} the same in both projects.`] : [],
        omitted.length ? [`Leaves out ${count(omittedValues.length, 'value')} for ${
            quoted(omitted)}, since conditions that name single users are those of ${from}.`] : [],
        affectedSettings.length ? [`Can change ${affectedSettings.map(({section, key}) => (
            `${section}.${key}`)).join(', ')}, too, which ${
            affectedSettings.length > 1 ? 'depend' : 'depends'} on the conditions taken.`] : [],
    ].flat();
}

/**
 * The draft with the copied settings. Edits of an existing draft are kept, and win conflicts.
 *
 * @param {?Pick<Draft, 'baseTemplate' | 'template'>} draft
 * @param {Promotion} promotion
 */
export function promotedDraft(draft, {template: promoted}) {
    const {version, ...template} = promoted;
    return draft ? withAdded(draft, template) : {template, kept: []};
}

/**
 * Puts the result of a promotion into the draft.
 *
 * @param {Workspace} workspace
 * @param {Promotion} promotion
 * @param {AbortSignal} [signal] Ends it before the draft is changed.
 * @returns {Promise<string[]>} The places where an existing draft wins.
 * @throws Error if another version is current than the one of the promotion, or the draft must be
 *     merged first.
 */
export async function takePromotion(workspace, promotion, signal) {
    const {versionNumber, from} = promotion;
    await workspace.load();
    signal?.throwIfAborted();
    const {draft, published, etag, project} = workspace;
    if (etag !== etagOf(project, versionNumber)) throw new Error(changedText);
    const refused = additionRefusal(draft, versionNumber);
    if (refused) throw new Error(refused);
    const {template, kept} = promotedDraft(draft, promotion);
    workspace.rebase(template, {
        versionNumber: workspace.versionNumber, etag, baseTemplate: published},
    `copy from ${from}`);
    const {description} = promotion.template.version ?? {};
    if (description && !workspace.draft?.template.version) workspace.describe(description);
    return kept;
}
