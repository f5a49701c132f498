/**
 * The settings of a template as a flat list, and the search in it.
 */

import {valueText} from '../controls/value-view.js';
import {isEqual} from '../json/json.js';
import {parameterPath} from '../template/paths.js';
import {isArchived, ownerOf, permanentReasonOf, tagsOf} from '../template/setting-notes.js';
import {parameter as parameterOf, sections} from '../template/template.js';
import {typeName} from '../template/value-types.js';
import {searchWords} from '../text/search.js';

/**
 * Lists by template, and texts by parameter. Templates share the parameters that an edit did not
 * change, so that only changed ones are read again.
 */
const lists = new WeakMap();
const texts = new WeakMap();

/**
 * The searchable text of a parameter, in lower case.
 *
 * @param {Parameter} parameter
 * @returns {string}
 */
function textOf(parameter) {
    if (!texts.has(parameter)) {
        const conditional = parameter.conditionalValues ?? {};
        texts.set(parameter, [
            parameter.description ?? '', typeName(parameter.valueType), ownerOf(parameter),
            ...tagsOf(parameter), permanentReasonOf(parameter),
            ...[parameter.defaultValue, ...Object.values(conditional)].map(valueText),
            ...Object.keys(conditional),
        ].join('\n').toLowerCase());
    }
    return texts.get(parameter);
}

/**
 * Settings of a template in order, as `{group, section, key, name, path, parameter}`: `name` is
 * `Section.key` for people, and `path` identifies the setting in addresses.
 *
 * @param {Template} template
 * @returns {Setting[]}
 */
export function settingsOf(template) {
    if (!lists.has(template)) {
        lists.set(template, sections(template).flatMap(({group, name: section, settings}) => (
            settings.map(({key, parameter}) => ({
                group, section, key, parameter, name: `${section}.${key}`,
                path: parameterPath(group, key)})))));
    }
    return lists.get(template);
}

/**
 * Caches the texts of all settings before a search, so that its first keystroke is fast.
 *
 * @param {Template} template
 */
export function prepareSearch(template) {
    for (const {parameter} of settingsOf(template)) textOf(parameter);
}

/**
 * True if the setting differs from the one in another template, or is missing there.
 *
 * @param {Template} baseTemplate
 * @param {Setting} setting
 */
export function isChangedSince(baseTemplate, {group, key, parameter}) {
    return !isEqual(parameterOf(baseTemplate, group, key), parameter);
}

/** Filter that every setting passes that is not archived. */
export const noFilter = {find: '', type: '', condition: '', section: '', changed: '', tag: '',
    owner: '', archived: ''};

/**
 * Filter of the query of an address.
 *
 * @param {URLSearchParams} query
 * @returns {SettingFilter}
 */
export function filterOf(query) {
    const text = (/** @type {keyof SettingFilter} */ name) => query.get(name) ?? '';
    return {find: text('find'), type: text('type'), condition: text('condition'),
        section: text('section'), changed: text('changed'), tag: text('tag'), owner: text('owner'),
        archived: text('archived')};
}

/**
 * Parameters of a query for a filter.
 *
 * @param {SettingFilter} filter
 */
export function filterParameters(filter) {
    return Object.fromEntries(Object.entries(filter).filter(([, text]) => text));
}

/**
 * True if a filter can hide settings that are not archived.
 *
 * @param {SettingFilter} filter
 */
export function isFiltering(filter) {
    return Object.values({...filter, archived: ''}).some((text) => text.trim() !== '');
}

/**
 * Value of the filter `section` for a group; null means the section outside groups.
 *
 * @param {string | null} group
 */
export function sectionToken(group) {
    return group === null ? 'outside' : `group:${group}`;
}

/**
 * Settings that pass a filter. Each word of `find` must occur in the section's name, the key, the
 * description, the owner, a tag, the type, a value or the name of a condition, in any order. The
 * archived ones pass with `archived`, or if the draft changes them and only these are asked for.
 *
 * @param {Template} template
 * @param {Template} baseTemplate
 * @param {SettingFilter} filter
 */
export function matching(template, baseTemplate, filter) {
    const words = searchWords(filter.find);
    return settingsOf(template).filter((setting) => {
        const {parameter} = setting;
        if (filter.section && sectionToken(setting.group) !== filter.section) return false;
        if (filter.type && (parameter.valueType ?? 'STRING') !== filter.type) return false;
        if (!filter.archived && !filter.changed && isArchived(parameter)) return false;
        if (filter.tag && !tagsOf(parameter).includes(filter.tag)) return false;
        if (filter.owner && ownerOf(parameter) !== filter.owner) return false;
        if (filter.condition
            && !Object.hasOwn(parameter.conditionalValues ?? {}, filter.condition)) return false;
        if (words.length) {
            const name = setting.name.toLowerCase();
            const text = textOf(parameter);
            if (!words.every((word) => name.includes(word) || text.includes(word))) return false;
        }
        return !filter.changed || isChangedSince(baseTemplate, setting);
    });
}
