/**
 * Settings that the flat files of default values leave out.
 */

import {member} from '../json/json.js';
import {isArchived} from '../template/setting-notes.js';
import {sections} from '../template/template.js';

/**
 * Settings, as `Section.key`, whose default value a flat file leaves out, since an earlier section
 * has a setting of the same name.
 *
 * @param {Template} template
 */
export function repeatedDefaults(template) {
    const known = new Set();
    return sections(template).flatMap(({name, settings}) => settings
        .filter(({parameter}) => member(parameter, 'masterKeyOnly') !== true
            && !isArchived(parameter)
            && parameter.defaultValue?.value !== undefined)
        .flatMap(({key}) => {
            if (known.has(key)) return [`${name}.${key}`];
            known.add(key);
            return [];
        }));
}
