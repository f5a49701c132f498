/**
 * Paths in a template, in the syntax of the server's error details.
 */

import {member} from '../json/json.js';
import {defaultSection} from './template.js';

/**
 * Path of a member: `path.Home`, or `path["My group"]` for names with characters other than ASCII
 * letters, digits and `_`. Shortens names to 256 Unicode scalars, as the server does.
 *
 * @param {string} path
 * @param {string} name
 */
export function memberPath(path, name) {
    if (/^[A-Za-z0-9_]{1,256}$/.test(name)) return path ? `${path}.${name}` : name;
    const scalars = Array.from(name);
    const shown = scalars.length > 256 ? `${scalars.slice(0, 256).join('')}…` : name;
    return `${path}[${nameText(shown)}]`;
}

/**
 * A name as a JSON string with the server's escapes: only those of \n, \r and \t are short.
 *
 * @param {string} name
 */
function nameText(name) {
    /** @type {Record<string, string>} */
    const long = {b: '\\u0008', f: '\\u000c'};
    return JSON.stringify(name).replace(
        /\\(.)/g, (escape, /** @type {string} */ letter) => long[letter] ?? escape);
}

/**
 * Path of a section's parameters; null is the section outside of groups.
 *
 * @param {string | null} group
 */
function parametersPath(group) {
    return group === null
        ? 'parameters' : memberPath(memberPath('parameterGroups', group), 'parameters');
}

/**
 * @param {string | null} group
 * @param {string} key
 */
export function parameterPath(group, key) {
    return memberPath(parametersPath(group), key);
}

/** @param {number} index */
export function conditionPath(index) {
    return `conditions[${index}]`;
}

/** Names of members within a sentence. */
const memberNames = {
    defaultValue: 'default value', valueType: 'type', tagColor: 'colour',
};

/**
 * Name of a member of a setting, condition or section.
 *
 * @param {string} name
 */
function memberName(name) {
    return member(memberNames, name) ?? name;
}

/**
 * Names a setting, or a part of it, in a sentence.
 *
 * @param {string} section
 * @param {string} key
 * @param {TreePath} treePath
 */
function settingPlace(section, key, [name, condition]) {
    const setting = `${section}.${key}`;
    if (name === undefined) return setting;
    if (name !== 'conditionalValues') return `${setting}, ${memberName(name)}`;
    return condition === undefined ? `${setting}, conditional values`
        : `${setting}, value for “${condition}”`;
}

/**
 * Names a place in a template in a sentence: `Home.title, value for “Germany”`.
 *
 * @param {string[]} path Names on the way to the place; a condition is a member by its name.
 */
export function placeName([part, name, ...rest]) {
    if (name !== undefined) {
        const [inner, key, ...within] = rest;
        switch (part) {
        case 'parameters': return settingPlace(defaultSection, name, rest);
        case 'parameterGroups':
            if (inner === 'parameters' && key !== undefined) return settingPlace(name, key, within);
            return `the section ${name}${inner ? `, ${memberName(inner)}` : ''}`;
        case 'conditions':
            return `the condition ${name}${inner ? `, ${memberName(inner)}` : ''}`;
        default: break;
        }
    }
    if (part === 'conditions') return 'the order of the conditions';
    return part === 'version' ? 'the description of the version' : `the ${part}`;
}

/**
 * Name of the condition of a path; null for other paths, and for a condition without a name.
 *
 * @param {string} path
 * @param {any} template
 */
export function conditionName(path, template) {
    const [, index] = /^conditions\[(\d+)\]/.exec(path) ?? [];
    const list = member(template, 'conditions');
    const name = Array.isArray(list) && index !== undefined && member(list[Number(index)], 'name');
    return typeof name === 'string' && name ? name : null;
}

/**
 * Names the condition of a path as `conditions[4].expression` in a sentence; null for other paths,
 * and for a condition without a name.
 *
 * @param {string} path
 * @param {any} template
 */
export function conditionPlace(path, template) {
    const [, inner] = /^conditions\[\d+\](?:\.(\w+))?/.exec(path) ?? [];
    const name = conditionName(path, template);
    return name && placeName(['conditions', name, inner]);
}

const step = /(?:^|\.)(\w+)|\[("(?:[^"\\]|\\.)*"|\d+)\]/gy;

/**
 * Names on the way to a path's place, with the numbers of elements; null for another syntax.
 *
 * @param {string} path
 * @returns {?string[]}
 */
function pathNames(path) {
    const steps = [...path.matchAll(step)];
    if (steps.reduce((length, [text]) => length + text.length, 0) !== path.length) return null;
    try {
        return steps.map(([, name, inner]) => name ?? String(JSON.parse(inner)));
    } catch {
        // An escape that is not one of JSON.
        return null;
    }
}

/**
 * Names the place of a problem in a sentence; null for one outside of settings, sections and
 * conditions. A condition without a name, or without `template`, is named by its number.
 *
 * @param {string} path
 * @param {any} [template]
 */
export function placeText(path, template) {
    const names = pathNames(path);
    const [part, name, inner] = names ?? [];
    if (!names || !['conditions', 'parameters', 'parameterGroups'].includes(part)) return null;
    if (part !== 'conditions') return name === undefined ? null : placeName(names);
    if (name === undefined) return placeName(names);
    return conditionPlace(path, template)
        ?? `condition ${Number(name) + 1}${inner ? `, ${memberName(inner)}` : ''}`;
}

/**
 * True if a path equals `outer` or lies below it.
 *
 * @param {string} path
 * @param {string} outer
 */
export function isWithin(path, outer) {
    return path === outer
        || (path.startsWith(outer) && ['.', '['].includes(path.charAt(outer.length)));
}
