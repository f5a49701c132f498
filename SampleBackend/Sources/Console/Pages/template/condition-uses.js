/**
 * The settings that have a value for each condition.
 */

import {names} from '../json/json.js';
import {isArchived} from './setting-notes.js';
import {sections} from './template.js';

/**
 * Settings as `Section.key`, by the name of the condition. Reads each setting once.
 *
 * @param {Template} template
 * @param {boolean} [includesArchived] True for the settings that nobody gets, too.
 */
export function usesByCondition(template, includesArchived = false) {
    const uses = new Map();
    for (const section of sections(template)) {
        for (const {key, parameter} of section.settings) {
            if (!includesArchived && isArchived(parameter)) continue;
            for (const name of names(parameter.conditionalValues ?? {})) {
                if (!uses.has(name)) uses.set(name, []);
                uses.get(name).push(`${section.name}.${key}`);
            }
        }
    }
    return uses;
}
