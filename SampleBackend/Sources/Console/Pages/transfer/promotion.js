/**
 * Copying settings of another project into the draft: the requests, and the merge with the draft.
 */

import {additionRefusal, withAdded} from '../drafts/draft-additions.js';
import {partName} from '../differences/difference-parts.js';
import {isEqual, names} from '../json/json.js';
import {call, projectPath, ServerError} from '../server/api.js';
import {differenceCount} from '../server/server-draft.js';
import {etagOf} from '../server/versions.js';
import {settingAt, withoutVersion} from '../template/template.js';
import {count, quoted} from '../text/formats.js';

/** Refusal of what was compared before a publish in one of the projects. */
const changedError = () => new ServerError(412, {error: {
    message: 'One of the projects has changed meanwhile: compare again.'}});

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

/** Parts of a condition that decide for whom it is true, and before which others. */
const decidingParts = ['expression', 'condition', 'position'];

/**
 * The settings of a comparison that have the same values in both projects, but for conditions that
 * differ, as differences with the parts of these conditions.
 *
 * @param {Comparison} comparison
 * @param {Template} template One that has the settings, for the conditions of their values.
 * @returns {Difference[]}
 */
export function concerned({affectedSettings, conditions}, template) {
    const parts = conditions.filter(({change}) => change === 'CHANGED').flatMap((condition) => (
        condition.parts.filter(({name}) => decidingParts.includes(name)).map((part) => ({
            condition: condition.name, part: {...part,
                name: `“${condition.name}”: ${partName(part.name).toLowerCase()}`}}))));
    return affectedSettings.map(({section, key}) => {
        const {parameter} = settingAt(template, section, key) ?? {};
        const used = new Set(names(parameter?.conditionalValues ?? {}));
        return {section, key, name: '', change: 'CHANGED',
            parts: parts.filter(({condition}) => used.has(condition)).map(({part}) => part)};
    });
}

/**
 * Merges what is chosen of the other project into the current version; the server stores nothing.
 *
 * @param {string} project
 * @param {Comparison} comparison
 * @param {PromotionRequest} chosen
 * @param {Record<string, string>} resolutions
 * @param {AbortSignal} [signal]
 * @returns {Promise<Promotion>}
 * @throws Error as `call`; one that says to compare again if a project has changed since.
 */
export async function promote(project, comparison, chosen, resolutions, signal) {
    const {etag, withETag, with: from} = comparison;
    try {
        return (await call('POST', projectPath(project, 'remoteConfig:promote'), {
            signal, ifMatch: etag,
            body: {from, fromETag: withETag, resolutions, ...chosen}})).body;
    } catch (error) {
        throw error.status === 412 ? changedError() : error;
    }
}

/**
 * The conditions that the copied values use, each with what becomes of it.
 *
 * @param {Promotion} promotion
 * @param {Record<string, string>} resolutions
 * @returns {{name: string, badge: string, kind: string, text: string}[]} `badge` and `kind` are the
 *     text and the kind of a badge.
 */
export function travellingConditions({conditions, conflicts, from}, resolutions) {
    /** @param {string} name */
    const decided = (name) => {
        const conflict = conflicts.find(
            (found) => found.kind === 'CONDITION' && found.name === name);
        const side = conflict && resolutions[conflict.path];
        if (conflict && !side) return 'Choose above which one counts.';
        return side === 'mine' ? `Becomes as in ${from}.` : 'Stays as in this project.';
    };
    return [
        conditions.added.map((name) => ({name, badge: 'Added', kind: 'added',
            text: `Only ${from} has it.`})),
        conditions.reused.map((name) => ({name, badge: 'Reused', kind: '',
            text: 'It is the same in both projects.'})),
        conditions.different.map((name) => ({name, badge: 'Different', kind: 'changed',
            text: decided(name)})),
    ].flat();
}

/**
 * Sentences about the rest of a promotion, for a preview.
 *
 * @param {Promotion} promotion
 * @returns {string[]}
 */
export function promotionNotes(
    {conditions, omittedValues, affectedSettings, intended = [], doubts = [], from}) {
    const {omitted} = conditions;
    return [
        intended.length ? [`Leaves out what differs on purpose: ${intended.map(
            ({section, key, condition}) => condition ?? `${section}.${key}`).join(', ')}.`] : [],
        doubts.map(({condition, rule, message}) => `${condition}: ${rule}: ${message}`),
        omitted.length ? [`Leaves out ${count(omittedValues.length, 'value')} for ${
            quoted(omitted)}, since conditions that name single users are those of ${from}.`] : [],
        affectedSettings.length ? [`Can change ${affectedSettings.map(({section, key}) => (
            `${section}.${key}`)).join(', ')}, too, which ${
            affectedSettings.length > 1 ? 'depend' : 'depends'} on the conditions taken.`] : [],
    ].flat();
}

/**
 * Whether a promotion can be put into the draft, with the sentence that says so.
 *
 * @param {Conflict[]} conflicts
 * @param {Record<string, string>} resolutions
 * @param {?Promotion} promotion The one with these resolutions; null until it is known.
 * @param {?Pick<Draft, 'baseTemplate' | 'template'>} draft
 */
export function readiness(conflicts, resolutions, promotion, draft) {
    const open = conflicts.filter(({path}) => !resolutions[path]).length;
    if (open) return {isReady: false, text: `${count(open, 'choice')} left`};
    if (!promotion) return {isReady: false, text: ''};
    if (!differenceCount(promotion.changes)) return {isReady: false, text: 'Nothing would change.'};
    if (draft && isEqual(withoutVersion(promotedDraft(draft, promotion).template),
        withoutVersion(draft.template))) {
        return {isReady: false, text: 'Nothing would change in your draft.'};
    }
    return {isReady: true, text: 'Nothing is published yet: you review it once more.'};
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
    if (etag !== etagOf(project, versionNumber)) throw changedError();
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
