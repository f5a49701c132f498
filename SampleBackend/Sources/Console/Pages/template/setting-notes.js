/**
 * Owner, tags, permanence and archiving of settings.
 */

import {member} from '../json/json.js';
import {sections} from './template.js';

/**
 * True for a setting that apps, services and exports do not get.
 *
 * @param {Parameter} parameter
 */
export function isArchived(parameter) {
    return member(parameter, 'archived') === true;
}

/**
 * The tags of a setting; none when they are not a list of texts, as in a draft with problems.
 *
 * @param {Parameter} parameter
 * @returns {string[]}
 */
export function tagsOf(parameter) {
    const tags = member(parameter, 'tags');
    return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}

/**
 * The owner of a setting, or an empty text.
 *
 * @param {Parameter} parameter
 */
export function ownerOf(parameter) {
    const owner = member(parameter, 'owner');
    return typeof owner === 'string' ? owner : '';
}

/**
 * The reason why a setting stays although it seems unused, or an empty text.
 *
 * @param {Parameter} parameter
 */
export function permanentReasonOf(parameter) {
    const reason = member(parameter, 'permanent');
    return typeof reason === 'string' ? reason : '';
}

/**
 * Tags of a text with commas, each once and without spaces around it.
 *
 * @param {string} text
 */
export function tagsIn(text) {
    return [...new Set(text.split(',').map((tag) => tag.trim()).filter(Boolean))];
}

/**
 * The owners and tags that a template has, each once, sorted for people.
 *
 * @param {Template} template
 */
export function knownNotes(template) {
    const [owners, tags] = [new Set(), new Set()];
    for (const {settings} of sections(template)) {
        for (const {parameter} of settings) {
            if (ownerOf(parameter)) owners.add(ownerOf(parameter));
            tagsOf(parameter).forEach((tag) => tags.add(tag));
        }
    }
    const sorted = (/** @type {Set<string>} */ names) => (
        [...names].sort((one, other) => one.localeCompare(other)));
    return {owners: sorted(owners), tags: sorted(tags)};
}

/**
 * Number of archived settings in a template.
 *
 * @param {Template} template
 */
export function archivedCount(template) {
    return sections(template).reduce((sum, {settings}) => (
        sum + settings.filter(({parameter}) => isArchived(parameter)).length), 0);
}
