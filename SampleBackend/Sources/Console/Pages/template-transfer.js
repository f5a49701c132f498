/**
 * Templates of files: read by the server's importers, and put into the draft.
 */

import {call, projectPath} from './api.js';
import {copy, entries, member, setMember} from './json.js';
import {conditions, sections} from './template.js';

/** Formats of files that can be imported, as `[format, name]` pairs. */
export const formats = [
    ['ACTIVECONFIG', 'ActiveConfig'], ['FIREBASE', 'Firebase Remote Config'],
    ['PARSE', 'Parse Config'],
];

/** Format that a file most likely has. */
export function likelyFormat(file) {
    if (member(file, 'params') !== undefined) return 'PARSE';
    const version = member(file, 'version');
    return member(version, 'updateUser')?.email ? 'FIREBASE' : 'ACTIVECONFIG';
}

/**
 * Converts a file; nothing is stored.
 *
 * @returns {Promise<{template: object, report: object[]}>} The template, and what does not carry
 *     over, as `{path, message}`.
 * @throws ServerError with the problems of the file as its details.
 */
export async function convert(project, {format, file, section}, signal) {
    const {body} = await call('POST', projectPath(project, 'remoteConfig:import'), {
        signal, body: {format, file, section: section || null}});
    return body;
}

/** Number of settings in a template. */
export function settingCount(template) {
    return sections(template).reduce((sum, {settings}) => sum + settings.length, 0);
}

/** Adds the members of `added` that `parameters` lacks; returns the names of those it has. */
function addMissing(parameters, added, prefix) {
    const kept = [];
    for (const [key, value] of entries(added ?? {})) {
        if (member(parameters, key) === undefined) setMember(parameters, key, value);
        else kept.push(`${prefix}.${key}`);
    }
    return kept;
}

/**
 * Adds what a template has and another lacks.
 *
 * @param {object} template The template that is kept as it is.
 * @param {object} added The other one.
 * @returns {{template: object, kept: string[]}} The sum; and what both have, of which that of
 *     `template` stays.
 */
export function adding(template, added) {
    const result = copy(template);
    const kept = [];
    const known = new Set(conditions(result).map(({name}) => name));
    for (const condition of conditions(added)) {
        if (known.has(condition.name)) kept.push(`the condition ${condition.name}`);
        else (result.conditions ??= []).push(copy(condition));
    }
    if (added.parameters) {
        kept.push(...addMissing(result.parameters ??= {}, copy(added.parameters), 'Default'));
    }
    for (const [name, group] of entries(added.parameterGroups ?? {})) {
        const groups = (result.parameterGroups ??= {});
        const own = member(groups, name);
        if (own === undefined) setMember(groups, name, copy(group));
        else kept.push(...addMissing(own.parameters ??= {}, copy(group.parameters), name));
    }
    return {template: result, kept};
}
