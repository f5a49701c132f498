/**
 * Copying settings of another project into the draft: the requests, and the merge with the draft.
 */

import {call, projectPath} from '../server/api.js';
import {etagOf} from '../server/versions.js';
import {mergeTemplates} from '../template/template-merge.js';
import {count} from '../text/formats.js';

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
 */
export async function promote(project, comparison, chosen, resolutions, signal) {
    const {etag, withETag, with: from} = comparison;
    return (await call('POST', projectPath(project, 'remoteConfig:promote'), {
        signal, ifMatch: etag, body: {from, fromETag: withETag, resolutions,
            settings: chosen.map(({section, key}) => ({section, key}))}})).body;
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
 * Puts the result of a promotion into the draft. Edits of an existing draft are kept, and win
 * conflicts.
 *
 * @param {Workspace} workspace
 * @param {Promotion} promotion
 * @throws Error if another version is current than the one of the promotion.
 */
export async function takePromotion(workspace, {template: promoted, versionNumber, from}) {
    await workspace.load();
    const {draft, published, etag, project} = workspace;
    if (etag !== etagOf(project, versionNumber)) {
        throw new Error('Another version was published meanwhile: compare again.');
    }
    const {version, ...template} = promoted;
    workspace.rebase(draft
        ? mergeTemplates(draft.baseTemplate, draft.template, template) : template, {
        versionNumber: workspace.versionNumber, etag, baseTemplate: published},
    `copy from ${from}`);
    if (version?.description && !workspace.draft?.template.version) {
        workspace.describe(version.description);
    }
}
