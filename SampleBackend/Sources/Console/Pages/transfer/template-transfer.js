/**
 * Templates from files: converted by the server's importers, and added to the draft.
 */

import {jsonText} from '../json/json-text.js';
import {copy, entries, isObject, member, names, setMember} from '../json/json.js';
import {call, projectPath} from '../server/api.js';
import {hasFirebaseValue} from '../template/firebase-values.js';
import {conditionName} from '../template/paths.js';
import {conditions, sections, settingAt, settingCondition} from '../template/template.js';

/**
 * Formats of files that can be imported, as `[format, name]` pairs.
 *
 * @type {Choice[]}
 */
export const formats = [
    ['ACTIVECONFIG', 'ActiveConfig'], ['FIREBASE', 'Firebase Remote Config'],
    ['LAUNCHDARKLY', 'LaunchDarkly'], ['PARSE', 'Parse Config'],
];

/**
 * True for flags of LaunchDarkly: an answer of its REST API, or the data of an SDK.
 *
 * @param {any} file
 */
function isOfLaunchDarkly(file) {
    const items = member(file, 'items');
    return Array.isArray(items) ? items.every((item) => isObject(member(item, 'environments')))
        : isObject(member(file, 'flags')) || isObject(member(file, 'flagValues'));
}

/**
 * Format that a file states; null if it is ambiguous. Firebase identifies its users by their
 * addresses, ActiveConfig by the names of their tokens.
 *
 * @param {any} file
 */
export function formatOf(file) {
    const isParse = isObject(member(file, 'params'))
        && names(file).every((name) => ['params', 'masterKeyOnly'].includes(name));
    if (isParse) return 'PARSE';
    if (isOfLaunchDarkly(file)) return 'LAUNCHDARKLY';
    // A configuration document, which the server converts to a template.
    if (isObject(member(file, 'config_sections'))) return 'ACTIVECONFIG';
    const version = member(file, 'version');
    const user = member(version, 'updateUser');
    if (member(user, 'email') || member(version, 'isLegacy') !== undefined
        || /^etag-/.test(String(member(file, 'etag')))) return 'FIREBASE';
    if (member(user, 'name')) return 'ACTIVECONFIG';
    return sections(file).some(({settings}) => settings.some(({parameter}) => (
        hasFirebaseValue(parameter))))
        ? 'FIREBASE' : null;
}

/**
 * True if a file looks like a template, of ActiveConfig or Firebase.
 *
 * @param {any} file
 */
export function isTemplate(file) {
    return ['parameters', 'parameterGroups', 'conditions']
        .some((name) => member(file, name) !== undefined);
}

/**
 * Converts a file; the server stores nothing.
 *
 * @param {string} project
 * @param {{format: string, file: unknown, section: string}} source
 * @param {AbortSignal} [signal]
 * @returns {Promise<{template: Template, report: Problem[]}>} The template, and what cannot be
 *     converted, as `{path, message}`.
 * @throws ServerError with the problems of the file as its details.
 */
export async function convert(project, {format, file, section}, signal) {
    const {body} = await call('POST', projectPath(project, 'remoteConfig:import'), {
        signal, body: {format, file, section: section || null}});
    return body;
}

/**
 * Doubts about values of conditions, in the form of a report, except about conditions of which the
 * server's report says that they are probably never true.
 *
 * @param {{condition: string, doubts: string[]}[]} doubts
 * @param {{template: Template, report: Problem[]}} result
 * @returns {Problem[]}
 */
export function ownDoubts(doubts, {template, report}) {
    const known = new Set(report.filter(({message}) => / is probably never true: /.test(message))
        .map(({path}) => conditionName(path ?? '', template)));
    return doubts.filter(({condition}) => !known.has(condition)).map((each) => (
        {path: '', message: `the condition ${each.condition}: ${each.doubts.join(' ')}`}));
}

/**
 * Text of a file with a draft, which names who exports it, and the project and the version with
 * which it began.
 *
 * @param {Draft} draft
 * @param {{name: string}} session
 * @param {string} project
 */
export function draftFile({template, base}, {name}, project) {
    const {version, ...content} = template;
    return `${jsonText({...content,
        version: {...version, project, versionNumber: base, updateUser: {name}}}, '  ')}\n`;
}

/**
 * Conditions that both templates have, with different expressions.
 *
 * @param {Template} template The template to which the other one is added.
 * @param {Template} added The other one.
 * @returns {Contradiction[]} `own` is the expression
 *     of `template`, `given` that of `added`; `users` are the settings, as `Section.key`, that only
 *     `added` has and that have a value for the condition.
 */
export function contradictions(template, added) {
    const own = new Map(conditions(template).map(({name, expression}) => [name, expression]));
    const fresh = sections(added).flatMap(({name: section, settings}) => settings
        .filter(({key}) => settingAt(template, section, key) === undefined)
        .map((setting) => ({section, ...setting})));
    return conditions(added)
        .filter(({name, expression}) => own.has(name) && own.get(name) !== expression)
        .map(({name, expression}) => ({
            name, own: own.get(name), given: expression,
            users: fresh.filter(({parameter}) => (
                member(parameter.conditionalValues, name) !== undefined))
                .map(({section, key}) => `${section}.${key}`),
        }));
}

/**
 * First unused condition name of the form `Germany 2`.
 *
 * @param {string} name
 * @param {...Template} templates
 */
export function freeName(name, ...templates) {
    const taken = new Set(templates.flatMap(conditions).map((condition) => condition.name));
    let number = 2;
    while (taken.has(`${name} ${number}`)) number += 1;
    return `${name} ${number}`;
}

/**
 * Adds the members of `added` that `parameters` lacks.
 *
 * @param {Record<string, Parameter>} parameters
 * @param {Record<string, Parameter> | undefined} added
 */
function addMissing(parameters, added) {
    for (const [key, value] of entries(added ?? {})) {
        if (member(parameters, key) === undefined) setMember(parameters, key, value);
    }
}

/**
 * Renames the conditions of `added` whose choice is `rename`, including in its settings.
 *
 * @param {Template} template
 * @param {Template} added
 * @param {Map<string, string>} choices
 */
function renaming(template, added, choices) {
    return conditions(added).reduce((result, condition, index) => (
        choices.get(condition.name) !== 'rename' ? result : settingCondition(result, index, {
            ...condition, name: freeName(condition.name, template, result)})), added);
}

/**
 * Adds what a template has and another lacks.
 *
 * @param {Template} template The template to keep, apart from `choices`.
 * @param {Template} added The other one.
 * @param {Map<string, string>} choices What to do with the conditions of `contradictions`, by name:
 *     `keep` that of `template`, `replace` its expression by that of `added`, or `rename` that of
 *     `added`, so that both stay. The default is `keep`.
 * @returns {Template} The sum; items of both stay as they are in `template`.
 */
export function adding(template, added, choices = new Map()) {
    const result = copy(template);
    const known = new Map(conditions(result).map((condition) => [condition.name, condition]));
    const renamed = renaming(template, added, choices);
    for (const condition of conditions(renamed)) {
        const {name, expression} = condition;
        const own = known.get(name);
        if (!own) (result.conditions ??= []).push(copy(condition));
        else if (choices.get(name) === 'replace') own.expression = expression;
    }
    if (renamed.parameters) {
        addMissing(result.parameters ??= {}, copy(renamed.parameters));
    }
    for (const [name, group] of entries(renamed.parameterGroups ?? {})) {
        const groups = (result.parameterGroups ??= {});
        const own = member(groups, name);
        if (own === undefined) setMember(groups, name, copy(group));
        else addMissing(own.parameters ??= {}, copy(group.parameters));
    }
    return result;
}
