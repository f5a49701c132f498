/**
 * Reading and editing of templates. Templates are immutable: an edit returns a template that shares
 * all unchanged parts, so that identical parts need no comparison.
 *
 * A section is identified by its parameter group; `null` means the section of the parameters
 * outside groups.
 */

import {entries, member, objectOf, withMember, withRenamed} from '../json/json.js';
import {capitalized} from '../text/formats.js';

/** Display name of the section of the parameters outside of groups. */
export const defaultSection = 'Default';

/** Colours that the server accepts for a condition. */
export const tagColors = [
    'BLUE', 'BROWN', 'CYAN', 'DEEP_ORANGE', 'GREEN', 'INDIGO', 'LIME', 'ORANGE', 'PINK', 'PURPLE',
    'TEAL',
];

/**
 * Display name of a colour: `DEEP_ORANGE` becomes "Deep orange".
 *
 * @param {string} color
 */
export function colorName(color) {
    return capitalized(color.replaceAll('_', ' ').toLowerCase());
}

/**
 * Sections as `{group, name, description, settings: [{key, parameter}]}`. The parameters outside of
 * groups come first, if there are any.
 *
 * @param {Template} template
 * @returns {Section[]}
 */
export function sections(template) {
    /** @param {Record<string, Parameter> | undefined} parameters */
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

/**
 * Conditions, highest priority first.
 *
 * @param {Template} template
 * @returns {Condition[]}
 */
export function conditions(template) {
    return template.conditions ?? [];
}

/**
 * Parameter of a section; undefined when it does not exist.
 *
 * @param {Template} template
 * @param {string | null} group
 * @param {string} key
 */
export function parameter(template, group, key) {
    return member(parametersOf(template, group), key);
}

/**
 * Setting of the section with a name, as `{group, parameter}`; undefined when it does not exist. To
 * apps, the parameters outside groups and a group with the name of their section are one section;
 * the server accepts a key in only one of the two.
 *
 * @param {Template} template
 * @param {string} sectionName
 * @param {string} key
 */
export function settingAt(template, sectionName, key) {
    const groups = sectionName === defaultSection ? [null, sectionName] : [sectionName];
    for (const group of groups) {
        const found = parameter(template, group, key);
        if (found !== undefined) return {group, parameter: found};
    }
    return undefined;
}

/**
 * Parameters of a section by key; undefined when it has none.
 *
 * @param {Template} template
 * @param {string | null} group
 */
function parametersOf(template, group) {
    return group === null
        ? template.parameters : member(template.parameterGroups, group)?.parameters;
}

/**
 * Copy of a template in which `edit` replaces the parameters of a section.
 *
 * @param {Template} template
 * @param {string | null} group
 * @param {(parameters: Record<string, Parameter>) => Record<string, Parameter>} edit
 */
function editingParameters(template, group, edit) {
    const parameters = edit(parametersOf(template, group) ?? {});
    if (group === null) return withMember(template, 'parameters', parameters);
    const content = withMember(member(template.parameterGroups, group), 'parameters', parameters);
    return withMember(
        template, 'parameterGroups', withMember(template.parameterGroups, group, content));
}

/**
 * Copy of a template in which `edit` is applied to each parameter; shares unchanged ones.
 *
 * @param {Template} template
 * @param {(parameter: Parameter) => Parameter} edit
 */
function editingAllParameters(template, edit) {
    return sections(template).reduce((result, {group, settings}) => {
        const isEdited = settings.some(({parameter}) => edit(parameter) !== parameter);
        return isEdited ? editingParameters(result, group, (parameters) => objectOf(
            entries(parameters).map(([key, content]) => [key, edit(content)]))) : result;
    }, template);
}

/**
 * Sets a parameter. If `oldKey` differs, replaces that parameter in place.
 *
 * @param {Template} template
 * @param {string | null} group
 * @param {string} key
 * @param {Parameter} value
 * @param {string} [oldKey]
 */
export function settingParameter(template, group, key, value, oldKey = key) {
    return editingParameters(template, group, (parameters) => (
        oldKey !== key && Object.hasOwn(parameters, oldKey)
            ? withRenamed(parameters, oldKey, key, value) : withMember(parameters, key, value)));
}

/**
 * Applies `edit` to each parameter at `places`, which are `{group, key}`; undefined removes it.
 *
 * @param {Template} template
 * @param {SettingPlace[]} places
 * @param {(parameter: Parameter) => Parameter | undefined} edit
 */
export function editingParametersAt(template, places, edit) {
    /** @type {Map<string | null, Set<string>>} */
    const byGroup = new Map();
    for (const {group, key} of places) {
        byGroup.set(group, (byGroup.get(group) ?? new Set()).add(key));
    }
    return [...byGroup].reduce((result, [group, keys]) => editingParameters(
        result, group, (parameters) => objectOf(entries(parameters).flatMap(([key, content]) => {
            const edited = keys.has(key) ? edit(content) : content;
            return edited === undefined ? [] : [/** @type {[string, Parameter]} */ ([key, edited])];
        }))), template);
}

/**
 * @param {Template} template
 * @param {SettingPlace[]} places
 */
export function removingParameters(template, places) {
    return editingParametersAt(template, places, () => undefined);
}

/**
 * Moves parameters to the end of the section `to`, which must not have any of their keys.
 *
 * @param {Template} template
 * @param {SettingPlace[]} places
 * @param {string | null} to
 */
export function movingParameters(template, places, to) {
    const moved = places.filter(({group}) => group !== to);
    const contents = moved.flatMap(({group, key}) => {
        const content = parameter(template, group, key);
        return content === undefined ? [] : [/** @type {[string, Parameter]} */ ([key, content])];
    });
    return editingParameters(removingParameters(template, moved), to, (parameters) => (
        objectOf([...entries(parameters), ...contents])));
}

/**
 * Sets the value of a parameter for a condition; undefined removes it. The values keep the order
 * of the conditions.
 *
 * @param {Template} template
 * @param {Parameter} content
 * @param {string} condition
 * @param {ParameterValue | undefined} value
 */
export function withConditionalValue(template, content, condition, value) {
    const values = withMember(content.conditionalValues, condition, value);
    const order = new Map(conditions(template).map(({name}, index) => [name, index]));
    const sorted = entries(values)
        .sort(([left], [right]) => (order.get(left) ?? 0) - (order.get(right) ?? 0));
    return withMember(content, 'conditionalValues', sorted.length ? objectOf(sorted) : undefined);
}

/**
 * Sets the name and description of the group `oldName`, which keeps its position; adds a group
 * without `oldName`. Removes an empty description.
 *
 * @param {Template} template
 * @param {string} name
 * @param {string} description
 * @param {?string} [oldName]
 */
export function settingGroup(template, name, description, oldName = null) {
    const groups = template.parameterGroups ?? {};
    const old = (oldName !== null && member(groups, oldName)) || {parameters: {}};
    const content = withMember(old, 'description', description || undefined);
    return withMember(template, 'parameterGroups', oldName === null || oldName === name
        ? withMember(groups, name, content) : withRenamed(groups, oldName, name, content));
}

/**
 * Removes a group and its parameters.
 *
 * @param {Template} template
 * @param {string} name
 */
export function removingGroup(template, name) {
    return withMember(
        template, 'parameterGroups', withMember(template.parameterGroups, name, undefined));
}

/**
 * Replaces the condition at an index, or adds it at the index after the last. Also applies a new
 * name to the conditional values.
 *
 * @param {Template} template
 * @param {number} index
 * @param {Condition} condition
 */
export function settingCondition(template, index, condition) {
    const list = [...conditions(template)];
    const oldName = list[index]?.name;
    list[index] = condition;
    const result = withMember(template, 'conditions', list);
    if (oldName === undefined || oldName === condition.name) return result;
    return editingAllParameters(result, (content) => {
        const value = member(content.conditionalValues, oldName);
        return value === undefined ? content : withMember(content, 'conditionalValues',
            withRenamed(content.conditionalValues ?? {}, oldName, condition.name, value));
    });
}

/**
 * Removes a condition, and all conditional values for it.
 *
 * @param {Template} template
 * @param {string} name
 */
export function removingCondition(template, name) {
    const result = withMember(template, 'conditions',
        conditions(template).filter((condition) => condition.name !== name));
    return editingAllParameters(result, (content) => (
        member(content.conditionalValues, name) === undefined ? content
            : withMember(content, 'conditionalValues',
                withMember(content.conditionalValues, name, undefined))));
}

/**
 * Moves a condition; `to` is its index afterwards.
 *
 * @param {Template} template
 * @param {number} from
 * @param {number} to
 */
export function movingCondition(template, from, to) {
    const list = [...conditions(template)];
    const [condition] = list.splice(from, 1);
    list.splice(to, 0, condition);
    return withMember(template, 'conditions', list);
}

/**
 * Shallow copy without `version`, which is metadata, not content.
 *
 * @param {Template} template
 * @returns {Template}
 */
export function withoutVersion(template) {
    const {version, ...content} = template;
    return content;
}
