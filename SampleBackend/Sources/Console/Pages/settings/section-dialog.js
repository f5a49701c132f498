/**
 * Dialog for adding a section, or editing its name and description.
 */

import {CheckedKeep} from '../controls/checked-keep.js';
import {field} from '../controls/controls.js';
import {openDialog} from '../controls/dialog.js';
import {announce, h, newID} from '../controls/dom.js';
import {problemList} from '../controls/problem-list.js';
import {member} from '../json/json.js';
import {LiveValidation, problemsWithin} from '../server/validation.js';
import {memberPath} from '../template/paths.js';
import {settingGroup} from '../template/template.js';

/**
 * Opens the dialog, and adds the section to the draft when the form is submitted.
 *
 * @param {PageContext} context Page context.
 * @param {?string} group Parameter group of the section; null adds one.
 * @param {?{name: string, description: string, before?: string}} kept Fields of an unfinished form,
 *     and the description with which it began.
 */
export async function openSectionDialog({workspace}, group, kept = null) {
    const form = newID('form');
    const content = member(workspace.template.parameterGroups, group ?? '') ?? {};
    const name = h('input', {type: 'text', value: kept?.name ?? group ?? '', autocomplete: 'off',
        spellcheck: 'false', 'data-autofocus': true, oninput: () => check()});
    const description = h('input', {type: 'text',
        value: kept?.description ?? content.description ?? '',
        autocomplete: 'off', oninput: () => check()});
    const nameProblems = problemList();
    const otherProblems = problemList();
    const save = h('button', {type: 'submit', form, class: 'primary'}, 'Keep in the draft');

    const before = kept?.before ?? content.description ?? '';
    /** Copy of the draft's template with the form's section; an unchanged description follows it. */
    const result = () => {
        const text = description.value.trim();
        const now = member(workspace.template.parameterGroups, group ?? '')?.description ?? '';
        return settingGroup(workspace.template, name.value.trim(), text === before ? now : text,
            group);
    };
    const validation = new LiveValidation(workspace, ({problems}) => {
        const path = memberPath('parameterGroups', name.value.trim());
        const own = problemsWithin(problems, path)
            .filter((problem) => !problem.path?.startsWith(`${path}.parameters`));
        const ofDescription = own.filter(({path: place}) => place === `${path}.description`);
        nameProblems.show(own.filter((problem) => !ofDescription.includes(problem)), name);
        otherProblems.show(ofDescription, description);
        save.disabled = own.length > 0;
    });
    const keep = new CheckedKeep(validation, save);
    /** Shows whether the name is missing or taken; true if it is usable. */
    const isUsable = () => {
        const text = name.value.trim();
        const isTaken = text !== group && member(workspace.template.parameterGroups, text);
        const own = !text ? 'Give the section a name.'
            : isTaken && 'A section with this name exists. Choose another name.';
        if (own) nameProblems.show([{message: own}], name);
        return !own;
    };
    /** Validates the form; asks the server only when the name is usable. */
    const check = () => {
        validation.stop();
        nameProblems.show([], name);
        save.disabled = !isUsable();
        if (!save.disabled) validation.check(result());
    };
    /** @param {(value: unknown) => void} close */
    const keepSection = (close) => {
        workspace.edit(result());
        announce(`Section ${name.value.trim()} added to the draft.`);
        close(true);
    };

    await openDialog(group === null ? 'Add a section' : `Edit the section ${group}`, (close) => ({
        body: h('form', {id: form, class: 'form', novalidate: true, onsubmit: async (event) => {
            event.preventDefault();
            if (!isUsable()) name.focus();
            else if (await keep.isReady()) keepSection(close);
        }},
        field('Name', name, {problems: nameProblems.node,
            hint: 'Apps read the settings of a section by this name.'}),
        field('Description', description, {problems: otherProblems.node})),
        actions: [h('button', {type: 'button', onclick: () => close()}, 'Cancel'), save],
    }), {isDirty: () => Boolean(kept), form: {
        user: workspace.user, project: workspace.project, kind: 'section', arguments: [group],
        content: () => ({name: name.value, description: description.value, before})}});
    validation.stop();
}
