/**
 * The settings that have a value for each condition.
 */

import {names} from '../json/json.js';
import {sections} from './template.js';

/**
 * Settings as `Section.key`, by the name of the condition. Reads each setting once.
 *
 * @param {Template} template
 */
export function usesByCondition(template) {
    const uses = new Map();
    for (const section of sections(template)) {
        for (const {key, parameter} of section.settings) {
            for (const name of names(parameter.conditionalValues ?? {})) {
                if (!uses.has(name)) uses.set(name, []);
                uses.get(name).push(`${section.name}.${key}`);
            }
        }
    }
    return uses;
}
