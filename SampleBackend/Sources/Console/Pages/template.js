/**
 * Templates as values: every function answers with a new template and leaves the old one as it is.
 *
 * A section is named by its group; `null` is the section of the parameters outside of groups.
 */

import {copy, entries, member, objectOf, setMember} from './json.js';

/** What the section of the parameters outside of groups is called. */
export const defaultSection = 'Default';

/** The colours a condition may have. */
export const tagColors = [
    'BLUE', 'BROWN', 'CYAN', 'DEEP_ORANGE', 'GREEN', 'INDIGO', 'LIME', 'ORANGE', 'PINK', 'PURPLE',
    'TEAL',
];

/** The sections, as `{group, name, description, settings: [{key, parameter}]}`. */
export function sections(template) {
    const settings = (parameters) => entries(parameters ?? {})
        .map(([key, parameter]) => ({key, parameter}));
    const groups = entries(template.parameterGroups ?? {}).map(([group, content]) => ({
        group, name: group, description: content.description ?? '',
        settings: settings(content.parameters),
    }));
    const outside = settings(template.parameters);
    if (!outside.length) return groups;
    return [{group: null, name: defaultSection, description: '', settings: outside}, ...groups];
}

/** The conditions, the one with the highest priority first. */
export function conditions(template) {
    return template.conditions ?? [];
}

/** The parameter of a section; undefined when there is none. */
export function parameter(template, group, key) {
    return member(parametersOf(template, group), key);
}

/** The parameters of a section, by key. */
function parametersOf(template, group) {
    return group === null
        ? template.parameters : member(template.parameterGroups, group)?.parameters;
}

/** Changes a copy of a template. */
function edited(template, change) {
    const result = copy(template);
    change(result);
    return result;
}

/** The parameters of a section of a copy, made when they are missing. */
function writableParameters(template, group) {
    if (group === null) return (template.parameters ??= {});
    template.parameterGroups ??= {};
    const content = member(template.parameterGroups, group) ?? {};
    content.parameters ??= {};
    setMember(template.parameterGroups, group, content);
    return content.parameters;
}

/** Every object of parameters of a copy. */
function allParameters(template) {
    return [template.parameters, ...Object.values(template.parameterGroups ?? {})
        .map((content) => content.parameters)].filter(Boolean);
}

/** Sets a parameter; with `oldKey`, in the place of that one. */
export function settingParameter(template, group, key, value, oldKey = key) {
    return edited(template, (result) => {
        const parameters = writableParameters(result, group);
        if (oldKey !== key && Object.hasOwn(parameters, oldKey)) {
            const renamed = entries(parameters)
                .map(([name, content]) => (name === oldKey ? [key, value] : [name, content]));
            for (const name of Object.keys(parameters)) delete parameters[name];
            for (const [name, content] of renamed) setMember(parameters, name, content);
        } else {
            setMember(parameters, key, value);
        }
    });
}

/** Removes a parameter. */
export function removingParameter(template, group, key) {
    return edited(template, (result) => {
        delete writableParameters(result, group)[key];
    });
}

/** Sets the name and description of a group; without `oldName` it is a new one. */
export function settingGroup(template, name, description, oldName = null) {
    return edited(template, (result) => {
        const groups = (result.parameterGroups ??= {});
        const content = (oldName !== null && member(groups, oldName)) || {parameters: {}};
        setMember(content, 'description', description || undefined);
        if (oldName === null || oldName === name) {
            setMember(groups, name, content);
        } else {
            result.parameterGroups = objectOf(entries(groups)
                .map(([group, value]) => (group === oldName ? [name, content] : [group, value])));
        }
    });
}

/** Removes a group with its parameters. */
export function removingGroup(template, name) {
    return edited(template, (result) => {
        delete result.parameterGroups?.[name];
    });
}

/**
 * Sets the condition at a place; a new name is set at every value under the old one as well.
 */
export function settingCondition(template, index, condition) {
    return edited(template, (result) => {
        result.conditions ??= [];
        const oldName = result.conditions[index]?.name;
        result.conditions[index] = condition;
        if (oldName === undefined || oldName === condition.name) return;
        for (const parameters of allParameters(result)) {
            for (const content of Object.values(parameters)) {
                if (member(content.conditionalValues, oldName) === undefined) continue;
                content.conditionalValues = objectOf(entries(content.conditionalValues)
                    .map(([name, value]) => [name === oldName ? condition.name : name, value]));
            }
        }
    });
}

/** Removes a condition and every value under it. */
export function removingCondition(template, name) {
    return edited(template, (result) => {
        result.conditions = conditions(result).filter((condition) => condition.name !== name);
        for (const parameters of allParameters(result)) {
            for (const content of Object.values(parameters)) {
                if (content.conditionalValues) delete content.conditionalValues[name];
            }
        }
    });
}

/** Moves a condition from one place to another. */
export function movingCondition(template, from, to) {
    return edited(template, (result) => {
        const [condition] = result.conditions.splice(from, 1);
        result.conditions.splice(to, 0, condition);
    });
}

/** The settings that have a value under a condition, as `Section.key`. */
export function usesOfCondition(template, name) {
    return sections(template).flatMap((section) => section.settings
        .filter(({parameter}) => member(parameter.conditionalValues, name) !== undefined)
        .map(({key}) => `${section.name}.${key}`));
}

/** A template without its version. */
export function withoutVersion(template) {
    const {version, ...content} = template;
    return content;
}
