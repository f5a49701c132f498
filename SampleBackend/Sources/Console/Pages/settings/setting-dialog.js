/**
 * Dialog for adding or editing a setting; the server validates it while the user types.
 */

import {CheckedForm} from '../controls/checked-form.js';
import {choice, field, message} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {problemList} from '../controls/problem-list.js';
import {RequiredField} from '../controls/required-field.js';
import {copy, names, objectOf, setMember} from '../json/json.js';
import {mergeTrees} from '../json/tree-merge.js';
import {problemsWithin} from '../server/validation.js';
import {memberPath, parameterPath} from '../template/paths.js';
import {conditions, parameter, settingParameter} from '../template/template.js';
import {valueTypes} from '../template/value-types.js';
import {ConditionalValues} from './conditional-values.js';
import {NotesFields} from './notes-fields.js';
import {valueField} from './value-field.js';

/** State and controls of the form. */
class SettingForm {
    /**
     * `group` is null for the section outside groups; `key` is null for a new setting. `content` is
     * the initial setting: one to copy, or the content of an unfinished form, with `before`, the
     * setting as it was when that form opened.
     *
     * @param {{workspace: Workspace}} context
     * @param {string | null} group
     * @param {string | null} key
     * @param {?KeptSetting} content
     */
    constructor({workspace}, group, key, content) {
        this.workspace = workspace;
        this.group = group;
        this.oldKey = key;
        /** The edited setting as it was when the form opened; undefined for a new one. */
        this.before = key === null ? undefined : copy(parameter(workspace.template, group, key));
        /**
         * Paths that changed both here and elsewhere since an unfinished form was stored.
         *
         * @type {TreePath[]}
         */
        this.conflicts = [];
        this.original = copy(content && this.before
            ? mergeTrees(content.before ?? this.before, content.parameter, this.before, this.#path,
                this.conflicts)
            : content?.parameter ?? this.before
                ?? {defaultValue: {value: ''}, valueType: 'STRING'});
        const changed = () => this.#changed();
        this.key = h('input', {type: 'text', value: content?.key ?? key ?? '', class: 'code',
            autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', oninput: changed});
        this.type = choice(valueTypes, this.original.valueType ?? 'STRING', {onchange: () => {
            for (const row of this.#fields()) row.setType(this.type.value);
            changed();
        }});
        this.description = h('input', {type: 'text', autocomplete: 'off',
            value: this.original.description ?? '', oninput: changed});
        this.notes = new NotesFields({
            template: workspace.template, parameter: this.original, changed});
        this.defaultValue = valueField({
            label: 'Default value', valueType: this.type.value, isDefault: true, changed,
            value: this.original.defaultValue});
        this.conditional = new ConditionalValues({workspace, parameter: this.original,
            type: () => this.type.value, like: () => this.defaultValue.value(), changed,
            typed: content?.condition});
        this.keyProblems = problemList();
        this.requiredKey = new RequiredField(this.key, () => this.#showKey(this.#ownProblem()));
        this.descriptionProblems = problemList();
        this.otherProblems = problemList();
        this.checked = new CheckedForm(workspace,
            (problems) => problemsWithin(problems, parameterPath(this.group, this.newKey)),
            (own) => this.#show(own));
        if (content) this.#changed();
    }

    /** Fields of the default value and all conditional values. */
    #fields() {
        return [this.defaultValue, ...this.conditional.fields.values()];
    }

    get newKey() {
        return this.key.value.trim();
    }

    /** Parameter with the form's values; members keep their order. */
    get parameter() {
        const result = copy(this.original);
        const {fields} = this.conditional;
        const order = new Set([...names(this.original.conditionalValues ?? {}),
            ...conditions(this.workspace.template).map(({name}) => name), ...fields.keys()]);
        const values = [...order].filter((name) => fields.has(name))
            .map((name) => /** @type {[string, ParameterValue | undefined]} */ (
                [name, fields.get(name)?.value()]));
        setMember(result, 'valueType', this.type.value);
        setMember(result, 'defaultValue', this.defaultValue.value());
        setMember(result, 'conditionalValues', values.length ? objectOf(values) : undefined);
        setMember(result, 'description', this.description.value.trim() || undefined);
        this.notes.write(result);
        return result;
    }

    /** The path of the setting in the template. */
    get #path() {
        const parameters = this.group === null
            ? ['parameters'] : ['parameterGroups', this.group, 'parameters'];
        return [...parameters, this.oldKey ?? this.newKey];
    }

    /**
     * The draft's template with the form's changes to the setting, as `{template, conflicts}`;
     * `conflicts` are the paths of values that changed elsewhere meanwhile and that the form
     * replaces. A renamed setting keeps its position.
     */
    get result() {
        const {template} = this.workspace;
        const now = this.oldKey === null ? undefined : parameter(template, this.group, this.oldKey);
        const conflicts = [...this.conflicts];
        const merged = now === undefined ? this.parameter
            : mergeTrees(this.before, this.parameter, now, this.#path, conflicts);
        return {conflicts, template: settingParameter(
            template, this.group, this.newKey, merged, this.oldKey ?? this.newKey)};
    }

    /** Validates the form after an edit; asks the server only when the key is usable. */
    #changed() {
        this.conditional.remark();
        const own = this.#ownProblem();
        const isPending = this.requiredKey.isPending;
        this.#showKey(isPending ? null : own);
        if (own) this.checked.refuse(isPending ? own : '');
        else this.checked.check(this.result.template);
    }

    /** @param {?string} problem */
    #showKey(problem) {
        this.keyProblems.show(problem ? [{message: problem}] : [], this.key);
    }

    /**
     * A missing or duplicate key. The server cannot detect a duplicate: the setting would replace
     * the other one in the template.
     */
    #ownProblem() {
        if (!this.newKey) return 'Give the setting a key.';
        const isTaken = this.newKey !== this.oldKey
            && parameter(this.workspace.template, this.group, this.newKey) !== undefined;
        if (isTaken) return 'The section has a setting with this key. Choose another key.';
        return /^[A-Za-z_]\w*$/.test(this.newKey) ? null : 'A key starts with a letter or “_”, '
            + 'and continues with letters, digits and “_”, without spaces.';
    }

    /**
     * Shows each problem at its field: problems of the whole setting at the key, and those without
     * a field below the values. Returns those of values that wait until these are left.
     *
     * @param {Problem[]} own
     */
    #show(own) {
        const path = parameterPath(this.group, this.newKey);
        const left = new Set(own);
        /** @param {string} place */
        const take = (place) => {
            const found = problemsWithin([...left], place);
            found.forEach((problem) => left.delete(problem));
            return found;
        };
        const waiting = this.defaultValue.showProblems(take(`${path}.defaultValue`));
        for (const [name, row] of this.conditional.fields) {
            waiting.push(...row.showProblems(
                take(memberPath(`${path}.conditionalValues`, name))));
        }
        this.descriptionProblems.show(take(`${path}.description`), this.description);
        this.notes.showProblems((name) => take(`${path}.${name}`));
        this.keyProblems.show([...left].filter((problem) => problem.path === path), this.key);
        this.otherProblems.show([...left].filter((problem) => problem.path !== path));
        return waiting;
    }

    /** False without a key, or with a condition that cannot be added; focuses what is missing. */
    isComplete() {
        this.requiredKey.send();
        this.#fields().forEach((row) => row.send());
        if (this.newKey) return this.conditional.settle();
        this.key.focus();
        this.#showKey(this.#ownProblem());
        return false;
    }
}

/**
 * Opens the dialog, and adds the setting to the draft when the form is submitted.
 *
 * @param {PageContext} context Page context.
 * @param {?string} group Parameter group of the section; null means the section outside groups.
 * @param {?string} key Key of the setting; null adds one.
 * @param {?KeptSetting} content Initial setting: one to copy, or the content of an unfinished form.
 */
export async function openSettingDialog(context, group, key, content = null) {
    const {workspace} = context;
    const form = new SettingForm(context, group, key, content);
    form.key.toggleAttribute('data-autofocus', key === null);
    const update = () => form.conditional.update();
    workspace.addEventListener('change', update);
    const section = group ?? 'Default';
    const title = key === null ? `Add a setting to ${section}` : `Edit ${section}.${key}`;
    await form.checked.open(title, {
        fields: [
            h('div', {class: 'pair'},
                field('Key', form.key, {problems: form.keyProblems.node,
                    hint: key === null ? undefined
                        : 'Apps read the setting by this key: another key means another setting, '
                            + 'and values that are pinned for users stay under the old one.'}),
                field('Type', form.type)),
            field('Description', form.description, {problems: form.descriptionProblems.node}),
            form.defaultValue.node,
            h('fieldset', {}, h('legend', {}, 'Conditional values'), form.conditional.node),
            form.notes.node,
            form.otherProblems.node, form.checked.state,
            workspace.isOutdated && message('info', 'Another version was published meanwhile. '
                + 'Your changes are merged with it when you publish.')],
        isComplete: () => form.isComplete(),
        name: () => `${section}.${form.newKey}`, result: () => form.result,
        kind: 'setting', arguments: [group, key, form.before ?? null],
        content: () => ({key: form.newKey, parameter: form.parameter,
            condition: form.conditional.another.unchosen})});
    workspace.removeEventListener('change', update);
}
