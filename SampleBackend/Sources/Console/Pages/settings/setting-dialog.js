/**
 * Dialog for adding or editing a setting; the server validates it while the user types.
 */

import {CheckedKeep} from '../controls/checked-keep.js';
import {choice, field, message} from '../controls/controls.js';
import {openDialog} from '../controls/dialog.js';
import {announce, h, newID} from '../controls/dom.js';
import {problemList} from '../controls/problem-list.js';
import {copy, names, objectOf, setMember} from '../json/json.js';
import {mergeTrees} from '../json/tree-merge.js';
import {acceptance, LiveValidation, problemsWithin} from '../server/validation.js';
import {memberPath, parameterPath} from '../template/paths.js';
import {conditions, parameter, settingParameter} from '../template/template.js';
import {valueTypes} from '../template/value-types.js';
import {ConditionalValues} from './conditional-values.js';
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
     * @param {?{key: string, parameter: Parameter, before?: Parameter}} content
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
        this.isDirty = Boolean(content);
        const changed = () => this.#changed();
        this.key = h('input', {type: 'text', value: content?.key ?? key ?? '', class: 'code',
            autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', oninput: changed});
        this.type = choice(valueTypes, this.original.valueType ?? 'STRING', {onchange: () => {
            for (const row of this.#fields()) row.setType(this.type.value);
            changed();
        }});
        this.description = h('input', {type: 'text', autocomplete: 'off',
            value: this.original.description ?? '', oninput: changed});
        this.defaultValue = valueField({
            label: 'Default value', valueType: this.type.value, isDefault: true, changed,
            value: this.original.defaultValue});
        this.conditional = new ConditionalValues({workspace, parameter: this.original,
            type: () => this.type.value, like: () => this.defaultValue.value(), changed});
        this.keyProblems = problemList();
        this.descriptionProblems = problemList();
        this.otherProblems = problemList();
        this.state = h('p', {class: 'check-state', role: 'status'});
        this.form = newID('form');
        this.save = h('button', {type: 'submit', form: this.form, class: 'primary'},
            'Keep in the draft');
        this.validation = new LiveValidation(workspace, (report) => this.#report(report));
        this.keep = new CheckedKeep(this.validation, this.save, this.state);
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
        this.isDirty = true;
        const own = this.#ownProblem();
        this.validation.stop();
        this.keyProblems.show(own ? [{message: own}] : [], this.key);
        if (own) {
            this.save.disabled = true;
            this.state.textContent = '';
        } else {
            this.validation.check(this.result.template);
        }
    }

    /**
     * A missing or duplicate key. The server cannot detect a duplicate: the setting would replace
     * the other one in the template.
     */
    #ownProblem() {
        if (!this.newKey) return 'Give the setting a key.';
        const isTaken = this.newKey !== this.oldKey
            && parameter(this.workspace.template, this.group, this.newKey) !== undefined;
        return isTaken ? 'The section has a setting with this key. Choose another key.' : null;
    }

    /**
     * Shows a validation report, each problem at its field: problems of the whole setting at the
     * key, and those without a field below the values.
     *
     * @param {ValidationReport} validationReport
     */
    #report({state, problems, message: text}) {
        const path = parameterPath(this.group, this.newKey);
        const own = problemsWithin(problems, path);
        const left = new Set(own);
        /** @param {string} place */
        const take = (place) => {
            const found = problemsWithin([...left], place);
            found.forEach((problem) => left.delete(problem));
            return found;
        };
        this.save.disabled = own.length > 0;
        if (state === 'checking') {
            this.state.textContent = 'Checking …';
            return;
        }
        this.defaultValue.showProblems(take(`${path}.defaultValue`));
        for (const [name, row] of this.conditional.fields) {
            row.showProblems(take(memberPath(`${path}.conditionalValues`, name)));
        }
        this.descriptionProblems.show(take(`${path}.description`), this.description);
        this.keyProblems.show(left.size && state === 'done'
            ? [...left].filter((problem) => problem.path === path) : [], this.key);
        this.otherProblems.show([...left].filter((problem) => problem.path !== path));
        const sentences = {
            unknown: `It could not be checked: ${text} You can keep it; it is checked again before `
                + 'publishing.',
            done: own.length ? `${own.length === 1 ? 'One problem' : `${own.length} problems`} to `
                + 'fix before you can keep it.' : acceptance(problems),
        };
        this.state.textContent = sentences[state];
    }
}

/**
 * Opens the dialog, and adds the setting to the draft when the form is submitted.
 *
 * @param {PageContext} context Page context.
 * @param {?string} group Parameter group of the section; null means the section outside groups.
 * @param {?string} key Key of the setting; null adds one.
 * @param {?{key: string, parameter: object, before?: object}} content Initial setting: one to
 *     copy, or the content of an unfinished form; `before` is the setting with which that form
 *     began.
 */
export async function openSettingDialog(context, group, key, content = null) {
    const {workspace} = context;
    const form = new SettingForm(context, group, key, content);
    form.key.toggleAttribute('data-autofocus', key === null);
    const update = () => form.conditional.update();
    workspace.addEventListener('change', update);
    const section = group ?? 'Default';
    const title = key === null ? `Add a setting to ${section}` : `Edit ${section}.${key}`;
    await openDialog(title, (close) => ({
        body: h('form', {id: form.form, class: 'form', novalidate: true, onsubmit: async (event) => {
            event.preventDefault();
            if (!form.newKey) {
                form.key.focus();
                form.keyProblems.show([{message: 'Give the setting a key.'}], form.key);
            }
            if (!form.newKey || !form.conditional.settle() || !await form.keep.isReady()) return;
            const {template, conflicts} = form.result;
            workspace.edit(template, conflicts);
            announce(`${section}.${form.newKey} added to the draft.`);
            close(true);
        }},
        h('div', {class: 'pair'},
            field('Key', form.key, {problems: form.keyProblems.node,
                hint: key === null ? undefined
                    : 'Apps read the setting by this key: another key means another setting.'}),
            field('Type', form.type)),
        field('Description', form.description, {problems: form.descriptionProblems.node}),
        form.defaultValue.node,
        h('fieldset', {}, h('legend', {}, 'Conditional values'), form.conditional.node),
        form.otherProblems.node, form.state,
        workspace.isOutdated && message('info', 'Another version was published meanwhile. '
            + 'Your changes are merged with it when you publish.')),
        actions: [h('button', {type: 'button', onclick: () => close()}, 'Cancel'), form.save],
    }), {isWide: true, isDirty: () => form.isDirty, form: {
        user: workspace.user, project: workspace.project, kind: 'setting',
        arguments: [group, key, form.before ?? null],
        content: () => ({key: form.newKey, parameter: form.parameter})}});
    workspace.removeEventListener('change', update);
    form.validation.stop();
}
