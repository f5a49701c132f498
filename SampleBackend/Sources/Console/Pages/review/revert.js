/**
 * Reverts single changes of a draft.
 */

import {member, withMember} from '../json/json.js';
import {movedConditions, restoringConditions} from '../template/chosen-changes.js';
import {conditions, removingCondition, settingAt} from '../template/template.js';

/**
 * The template with a setting restored from the base.
 *
 * @param {Template} template
 * @param {Template} baseTemplate
 * @param {Pick<Difference, 'section' | 'key'>} difference
 */
export function revertingSetting(template, baseTemplate, {section, key}) {
    const found = settingAt(template, section, key) ?? settingAt(baseTemplate, section, key);
    if (!found) return template;
    const {group} = found;
    if (group === null) {
        return withMember(template, 'parameters', withMember(
            template.parameters, key, member(baseTemplate.parameters, key)));
    }
    const old = member(baseTemplate.parameterGroups, group);
    const now = member(template.parameterGroups, group) ?? {...old, parameters: {}};
    const parameters = withMember(now.parameters, key, member(old?.parameters, key));
    return withMember(template, 'parameterGroups', withMember(
        template.parameterGroups, group, withMember(now, 'parameters', parameters)));
}

/**
 * The template with a condition restored from the base, including its position among the remaining
 * ones. A condition that the base lacks is removed with all values for it.
 *
 * @param {Template} template
 * @param {Template} baseTemplate
 * @param {Pick<Difference, 'name'>} difference
 * @param {Pick<Differences, 'conditions'>} differences Those of the template and the base.
 */
export function revertingCondition(template, baseTemplate, {name}, differences) {
    const before = conditions(baseTemplate);
    if (!before.some((condition) => condition.name === name)) {
        return removingCondition(template, name);
    }
    return {...template, conditions: restoringConditions(
        conditions(template), before, (other) => other === name,
        movedConditions(differences.conditions))};
}

/**
 * The template with a section's description, or the section, restored from the base.
 *
 * @param {Template} template
 * @param {Template} baseTemplate
 * @param {Pick<Difference, 'name'>} difference
 */
export function revertingGroup(template, baseTemplate, {name}) {
    const old = member(baseTemplate.parameterGroups, name);
    const now = member(template.parameterGroups, name);
    return withMember(template, 'parameterGroups', withMember(template.parameterGroups, name,
        now && old ? withMember(old, 'parameters', now.parameters) : old));
}
