/**
 * The places of a template that comments and schedules name.
 */

import {noChanges} from '../server/server-draft.js';
import {memberPath, parameterPath, placeText} from '../template/paths.js';
import {defaultSection} from '../template/template.js';
import {capitalized} from '../text/formats.js';

/**
 * The path of a difference, as comments have it.
 *
 * @param {DifferenceKind} kind
 * @param {Pick<Difference, 'name' | 'section' | 'key'>} difference
 */
function pathOf(kind, {name, section, key}) {
    if (kind === 'setting') return parameterPath(section === defaultSection ? null : section, key);
    return memberPath(kind === 'condition' ? 'conditions' : 'parameterGroups', name);
}

/**
 * Names a place.
 *
 * @param {string} path
 */
export function commentPlace(path) {
    const [, plain, quoted] = /^conditions(?:\.(\w+)|\[("(?:[^"\\]|\\.)*")\])$/.exec(path) ?? [];
    try {
        const name = plain ?? (quoted && JSON.parse(quoted));
        if (name) return `the condition ${name}`;
    } catch {
        // Another syntax: shown as it is.
    }
    return placeText(path) ?? path;
}

/**
 * What a comment can be about: the whole request, and what it changes, as path and name.
 *
 * @param {Pick<ChangeRequest, 'changes'>} request
 * @returns {Choice[]}
 */
export function commentPlaces({changes}) {
    const {parameters, conditions, groups} = changes ?? noChanges;
    const paths = [
        ...parameters.map((found) => pathOf('setting', found)),
        ...conditions.map((found) => pathOf('condition', found)),
        ...groups.map((found) => pathOf('group', found)),
    ];
    return [['', 'The whole request'],
        ...paths.map((path) => /** @type {Choice} */ ([path, capitalizedPlace(path)]))];
}

/**
 * A place at the beginning of a sentence; a setting keeps its name.
 *
 * @param {string} path
 */
export function capitalizedPlace(path) {
    const place = commentPlace(path);
    return place.startsWith('the ') ? capitalized(place) : place;
}

/**
 * A comment of a vote, which has no place of its own.
 *
 * @param {string} text
 * @param {string} path
 */
export function placedComment(text, path) {
    return text && path ? `${capitalizedPlace(path)}: ${text}` : text;
}
