/**
 * Reading and editing of templates. No exported function changes its argument: an edit returns a
 * changed deep copy, a read returns parts of the template itself.
 *
 * A section is identified by its parameter group; `null` is the section of the parameters outside
 * of groups.
 */

import {copy, entries, member, objectOf, setMember} from './json.js';

/** Display name of the section of the parameters outside of groups. */
export const defaultSection = 'Default';

/** Colours that the server accepts for a condition. */
export const tagColors = [
    'BLUE', 'BROWN', 'CYAN', 'DEEP_ORANGE', 'GREEN', 'INDIGO', 'LIME', 'ORANGE', 'PINK', 'PURPLE',
    'TEAL',
];

/**
 * Sections as `{group, name, description, settings: [{key, parameter}]}`. The parameters outside of
 * groups come first, if there are any.
 */
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

/** Conditions, highest priority first. */
export function conditions(template) {
    return template.conditions ?? [];
}

/** Parameter of a section; undefined when it does not exist. */
export function parameter(template, group, key) {
    return member(parametersOf(template, group), key);
}

/** Parameters of a section by key; undefined when it has none. */
function parametersOf(template, group) {
    return group === null
        ? template.parameters : member(template.parameterGroups, group)?.parameters;
}

/** Applies a change to a copy of a template. */
function edited(template, change) {
    const result = copy(template);
    change(result);
    return result;
}

/** Parameters of a section, created if missing. Changes `template`: pass a copy. */
function writableParameters(template, group) {
    if (group === null) return (template.parameters ??= {});
    template.parameterGroups ??= {};
    const content = member(template.parameterGroups, group) ?? {};
    content.parameters ??= {};
    setMember(template.parameterGroups, group, content);
    return content.parameters;
}

/** Parameters of every section. */
function allParameters(template) {
    return [template.parameters, ...Object.values(template.parameterGroups ?? {})
        .map((content) => content.parameters)].filter(Boolean);
}

/** Sets a parameter. If `oldKey` differs, it replaces that parameter at the same position. */
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

export function removingParameter(template, group, key) {
    return edited(template, (result) => {
        delete writableParameters(result, group)[key];
    });
}

/**
 * Sets the name and description of the group `oldName`, which keeps its position; without
 * `oldName`, adds a group. Removes an empty description.
 */
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

/** Removes a group and its parameters. */
export function removingGroup(template, name) {
    return edited(template, (result) => {
        delete result.parameterGroups?.[name];
    });
}

/**
 * Replaces the condition at an index, or adds it at the index after the last. A new name is applied
 * to the conditional values as well.
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

/** Removes a condition, and all conditional values for it. */
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

/** Moves a condition; `to` is its index afterwards. */
export function movingCondition(template, from, to) {
    return edited(template, (result) => {
        const [condition] = result.conditions.splice(from, 1);
        result.conditions.splice(to, 0, condition);
    });
}

/** Settings with a value for a condition, as `Section.key`. */
export function usesOfCondition(template, name) {
    return sections(template).flatMap((section) => section.settings
        .filter(({parameter}) => member(parameter.conditionalValues, name) !== undefined)
        .map(({key}) => `${section.name}.${key}`));
}

/** Shallow copy without `version`, which is metadata and no content. */
export function withoutVersion(template) {
    const {version, ...content} = template;
    return content;
}
