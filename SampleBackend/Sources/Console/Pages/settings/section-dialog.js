/**
 * Dialog for adding a section, or editing its name and description.
 */

import {CheckedForm} from '../controls/checked-form.js';
import {field} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {problemList} from '../controls/problem-list.js';
import {RequiredField} from '../controls/required-field.js';
import {member} from '../json/json.js';
import {problemsWithin} from '../server/validation.js';
import {memberPath} from '../template/paths.js';
import {sections, settingGroup} from '../template/template.js';
import {lookAlikeProblem} from '../text/hidden-characters.js';

/**
 * Opens the dialog, and adds the section to the draft when the form is submitted.
 *
 * @param {PageContext} context Page context.
 * @param {?string} group Parameter group of the section; null adds one.
 * @param {?{name: string, description: string, before?: string}} kept Fields of an unfinished form,
 *     and the description with which it began.
 */
export async function openSectionDialog({workspace}, group, kept = null) {
    const content = member(workspace.template.parameterGroups, group ?? '') ?? {};
    const name = h('input', {type: 'text', value: kept?.name ?? group ?? '', autocomplete: 'off',
        spellcheck: 'false', 'data-autofocus': true, oninput: () => check()});
    const description = h('input', {type: 'text',
        value: kept?.description ?? content.description ?? '',
        autocomplete: 'off', oninput: () => check()});
    const nameProblems = problemList();
    const descriptionProblems = problemList();

    const before = kept?.before ?? content.description ?? '';
    /** The draft's template with the form's section; an unchanged description follows it. */
    const result = () => {
        const text = description.value.trim();
        const now = member(workspace.template.parameterGroups, group ?? '')?.description ?? '';
        return {template: settingGroup(
            workspace.template, name.value.trim(), text === before ? now : text, group)};
    };
    const path = () => memberPath('parameterGroups', name.value.trim());
    const form = new CheckedForm(workspace, (problems) => problemsWithin(problems, path())
        .filter((problem) => !problem.path?.startsWith(`${path()}.parameters`)), (own) => {
        const ofDescription = own.filter((problem) => problem.path === `${path()}.description`);
        nameProblems.show(own.filter((problem) => !ofDescription.includes(problem)), name);
        descriptionProblems.show(ofDescription, description);
    });
    const required = new RequiredField(name, () => isUsable());
    /** Why the name cannot be used; null if it can. */
    const nameProblem = () => {
        const text = name.value.trim();
        // Also the section of the settings outside of groups.
        const others = sections(workspace.template).filter((other) => other.group !== group)
            .map((other) => other.name);
        return !text ? 'Give the section a name.'
            : text === group ? null
                : others.includes(text) ? 'A section with this name exists. Choose another name.'
                    : lookAlikeProblem(text, others, 'section');
    };
    /** Shows whether the name is missing or taken; true if it is usable. */
    const isUsable = () => {
        const own = nameProblem();
        nameProblems.show(own && !required.isPending ? [{message: own}] : [], name);
        return !own;
    };
    /** Validates the form; asks the server only when the name is usable. */
    const check = () => {
        if (isUsable()) form.check(result().template);
        else form.refuse(required.isPending ? nameProblem() ?? '' : '');
    };

    if (kept) check();
    await form.open(group === null ? 'Add a section' : `Edit the section ${group}`, {
        fields: [
            field('Name', name, {problems: nameProblems.node,
                hint: 'Apps read the settings of a section by this name.'}),
            field('Description', description, {problems: descriptionProblems.node}), form.state],
        isComplete: () => {
            required.send();
            if (isUsable()) return true;
            name.focus();
            return false;
        },
        name: () => `Section ${name.value.trim()}`, result, isWide: false,
        kind: 'section', arguments: [group],
        content: () => ({name: name.value, description: description.value, before})});
}
