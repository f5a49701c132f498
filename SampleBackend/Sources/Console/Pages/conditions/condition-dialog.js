/**
 * Dialog for adding or editing a condition; the server validates it while the user types.
 */

import {CheckedKeep} from '../controls/checked-keep.js';
import {choice, conditionChip, field} from '../controls/controls.js';
import {openDialog} from '../controls/dialog.js';
import {announce, fill, h, newID} from '../controls/dom.js';
import {problemList} from '../controls/problem-list.js';
import {jsonText} from '../json/json-text.js';
import {copy, setMember} from '../json/json.js';
import {mergeTrees} from '../json/tree-merge.js';
import {acceptance, LiveValidation, problemsWithin} from '../server/validation.js';
import {conditionPath} from '../template/paths.js';
import {colorName, conditions, settingCondition, tagColors} from '../template/template.js';
import {ConditionBuilder} from './condition-builder.js';
import {knownSignals} from './known-signals.js';
import {percentSliders} from './percent-sliders.js';

/** Characters that are shown before and after a highlighted one: an expression can be pasted whole. */
const shownAround = 400;

/**
 * Highlights the character at a column, which counts Unicode scalars from 1, or the whole grapheme
 * cluster if the scalar is part of one.
 *
 * @param {string} expression
 * @param {number} column
 */
function markedExpression(expression, column) {
    // A scalar has at most two units.
    const offset = Array.from(expression.slice(0, 2 * column)).slice(0, column - 1).join('').length;
    const start = Math.max(0, offset - shownAround);
    const end = offset + shownAround;
    const text = expression.slice(start, end);
    const {index, segment} = new Intl.Segmenter().segment(text).containing(offset - start)
        ?? {index: text.length, segment: ''};
    return h('code', {class: 'marked'}, start > 0 && '…', text.slice(0, index),
        h('mark', {}, segment || '\u00a0'), text.slice(index + segment.length),
        end < expression.length && '…');
}

/** State and controls of the form. */
class ConditionForm {
    /** Aborts the requests of the form. */
    closed = new AbortController();

    /**
     * `index` is the condition's index in the template; null adds a condition. `content` is the
     * initial condition from an unfinished form, and `before` the condition with which that form
     * began.
     *
     * @param {{workspace: Workspace}} context
     * @param {number | null} index
     * @param {?Condition} content
     * @param {?Condition} before
     */
    constructor({workspace}, index, content, before) {
        this.workspace = workspace;
        const all = conditions(workspace.template);
        const edited = index === null ? undefined : all[index];
        this.isNew = edited === undefined;
        /** Name of the edited condition in the template; null for a new one. */
        this.oldName = edited?.name ?? null;
        /** The edited condition as it was when the form opened; undefined for a new one. */
        this.before = copy(edited);
        /**
         * Paths that changed both here and elsewhere since an unfinished form was stored.
         *
         * @type {TreePath[]}
         */
        this.conflicts = [];
        this.original = copy(content && this.before
            ? mergeTrees(before ?? this.before, content, this.before,
                ['conditions', this.oldName ?? ''], this.conflicts)
            : content ?? this.before ?? {name: '', expression: ''});
        this.isDirty = Boolean(content);
        const changed = () => this.#changed();
        this.name = h('input', {type: 'text', value: this.original.name, autocomplete: 'off',
            'data-autofocus': this.isNew, oninput: changed});
        this.color = choice([['', 'No colour'],
            ...tagColors.map((color) => /** @type {Choice} */ ([color, colorName(color)]))],
        this.original.tagColor ?? '', {onchange: () => {
            this.#drawChip();
            changed();
        }});
        this.expression = h('textarea', {class: 'code', rows: '2', spellcheck: 'false',
            autocapitalize: 'off', value: this.original.expression ?? '', oninput: () => {
                this.sliders.update();
                this.builder.follow();
                changed();
            }});
        this.expression.id = newID('field');
        this.sliders = percentSliders(this.expression, () => {
            this.builder.follow();
            changed();
        });
        this.builder = new ConditionBuilder(
            this.expression,
            knownSignals(workspace.template, this.closed.signal, workspace.project), () => {
                this.sliders.update();
                changed();
            });
        this.chip = h('span', {});
        this.mark = h('div', {});
        this.nameProblems = problemList();
        this.expressionProblems = problemList();
        this.colorProblems = problemList();
        this.state = h('p', {class: 'check-state', role: 'status'});
        this.form = newID('form');
        this.save = h('button', {type: 'submit', form: this.form, class: 'primary'},
            'Keep in the draft');
        this.validation = new LiveValidation(workspace, (report) => this.#report(report));
        this.keep = new CheckedKeep(this.validation, this.save, this.state);
        // A value that is typed but not added yet is added when the field loses the focus, at the
        // latest by the click.
        this.builder.node.addEventListener('input', ({target}) => {
            if (!this.builder.isIncomplete || !(target instanceof HTMLInputElement)) return;
            this.save.disabled = Boolean(this.ownProblem) || !target.value.trim();
        });
        this.#drawChip();
        if (content) this.#changed();
    }

    /**
     * Index of the condition in the template, which may have changed since the form opened; one
     * past the last for a new condition, or one that was deleted meanwhile.
     */
    get index() {
        const all = conditions(this.workspace.template);
        const index = all.findIndex(({name}) => this.oldName !== null && name === this.oldName);
        return index < 0 ? all.length : index;
    }

    /**
     * False for a condition in the JSON form of Firebase's server templates, which stays unchanged.
     */
    get isExpression() {
        return this.original.condition === undefined;
    }

    /** Condition with the form's values; members keep their order. */
    get condition() {
        const result = copy(this.original);
        setMember(result, 'name', this.name.value.trim());
        if (this.isExpression) setMember(result, 'expression', this.expression.value.trim());
        setMember(result, 'tagColor', this.color.value || undefined);
        return result;
    }

    /**
     * The draft's template with the form's changes to the condition, as `{template, conflicts}`;
     * `conflicts` are the paths of values that changed elsewhere meanwhile and that the form
     * replaces.
     */
    get result() {
        const {template} = this.workspace;
        const now = conditions(template)[this.index];
        const conflicts = [...this.conflicts];
        const merged = now === undefined ? this.condition : mergeTrees(
            this.before, this.condition, now, ['conditions', this.oldName ?? ''], conflicts);
        return {template: settingCondition(template, this.index, merged), conflicts};
    }

    /** A missing or duplicate name, reported here since the server's message is less clear. */
    get ownProblem() {
        const name = this.name.value.trim();
        if (!name) return 'Give the condition a name.';
        const isTaken = conditions(this.workspace.template)
            .some((other, index) => other.name === name && index !== this.index);
        return isTaken ? 'A condition with this name exists. Choose another name.' : null;
    }

    #drawChip() {
        fill(this.chip, conditionChip(
            this.color.value ? colorName(this.color.value) : 'No colour', this.color.value));
    }

    /** Validates the form after an edit; asks the server once there are a name and all values. */
    #changed() {
        this.isDirty = true;
        const own = this.ownProblem;
        this.validation.stop();
        this.nameProblems.show(own ? [{message: own}] : [], this.name);
        const {isIncomplete} = this.builder;
        const isInvalid = this.sliders.isInvalid();
        if (isIncomplete) {
            // The hint of the rule explains what to enter.
            this.expressionProblems.show([], this.expression);
            fill(this.mark);
        }
        if (own || isIncomplete || isInvalid) {
            this.save.disabled = true;
            this.state.textContent = isIncomplete ? 'A rule is incomplete.'
                : isInvalid ? 'A percentage is not a number from 0 to 100.' : '';
        } else {
            this.checkedIndex = this.index;
            this.validation.check(this.result.template);
        }
    }

    /**
     * Shows a validation report: each problem at its field, other problems at the name.
     *
     * @param {ValidationReport} validationReport
     */
    #report({state, problems, message}) {
        const path = conditionPath(this.checkedIndex ?? this.index);
        const own = problemsWithin(problems, path);
        this.save.disabled = own.length > 0;
        if (state === 'checking') {
            this.state.textContent = 'Checking …';
            return;
        }
        /** @param {string} name */
        const within = (name) => problemsWithin(own, `${path}.${name}`);
        const ofExpression = [...within('expression'), ...within('condition')];
        const rest = own.filter((problem) => !ofExpression.includes(problem)
            && !within('tagColor').includes(problem));
        this.nameProblems.show(rest, this.name);
        this.expressionProblems.show(ofExpression, this.expression);
        this.colorProblems.show(within('tagColor'), this.color);
        const column = ofExpression.find((problem) => problem.column)?.column;
        fill(this.mark, column && markedExpression(this.expression.value.trim(), column));
        const sentences = {
            unknown: `It could not be checked: ${message} You can keep it; the server checks it `
                + 'again before publishing.',
            done: own.length ? 'Fix this before you keep it.' : acceptance(problems),
        };
        this.state.textContent = sentences[state];
    }
}

function examples() {
    const list = [
        ["app.version.>=(['2.0'])", 'from a version on'],
        ["device.country in ['DE', 'FR']", 'in some countries'],
        ["percent('seed') <= 10", 'a tenth of the users; another seed selects others'],
        ["app.customSignal['plan'].exactlyMatches(['gold'])", 'by a signal of the app'],
        ["user.id == '42' && device.os == 'ios'", 'both must be true'],
    ];
    return h('details', {}, h('summary', {}, 'Examples of rules'),
        h('dl', {class: 'examples'}, list.map(([code, text]) => h('div', {},
            h('dt', {}, h('code', {}, code)), h('dd', {class: 'muted'}, text)))));
}

/**
 * Opens the dialog, and adds the condition to the draft when the form is submitted.
 *
 * @param {{workspace: Workspace}} context Page context.
 * @param {?number} index Index of the condition; null adds one.
 * @param {?Condition} content Initial condition from an unfinished form.
 * @param {?Condition} before Condition with which that form began.
 * @returns {Promise<string | undefined>} Name of the condition; undefined when cancelled.
 */
export async function openConditionDialog(context, index, content = null, before = null) {
    const {workspace} = context;
    const form = new ConditionForm(context, index, content, before);
    const title = form.isNew ? 'Add a condition' : `Edit ${form.oldName}`;
    const name = await openDialog(title, (close) => ({
        body: h('form', {id: form.form, class: 'form', novalidate: true, onsubmit: async (event) => {
            event.preventDefault();
            if (form.ownProblem) {
                form.nameProblems.show([{message: form.ownProblem}], form.name);
                form.name.focus();
            }
            if (form.ownProblem || !await form.keep.isReady()) return;
            const {template, conflicts} = form.result;
            workspace.edit(template, conflicts);
            announce(`Condition ${form.condition.name} added to the draft.`);
            close(form.condition.name);
        }},
        h('div', {class: 'pair'},
            field('Name', form.name, {problems: form.nameProblems.node}),
            h('div', {class: 'field'}, field('Colour', form.color,
                {problems: form.colorProblems.node}), form.chip)),
        form.isExpression
            ? [h('p', {class: 'field-name'}, 'Who'), form.builder.node,
                field('Expression', form.expression, {problems: form.expressionProblems.node}),
                form.mark, form.sliders.node, examples()]
            : [h('p', {class: 'field-name'}, 'Condition'), h('code', {class: 'value'},
                jsonText(form.original.condition, '  ')),
            h('p', {class: 'hint'}, 'This condition has the form of a server template; it stays '
                + 'unchanged.'), form.expressionProblems.node],
        form.state),
        actions: [h('button', {type: 'button', onclick: () => close()}, 'Cancel'), form.save],
    }), {isWide: true, isDirty: () => form.isDirty, form: {
        user: workspace.user, project: workspace.project, kind: 'condition',
        content: () => form.condition,
        arguments: [form.oldName, form.before ?? null]}});
    form.validation.stop();
    form.builder.stop();
    form.closed.abort();
    return name;
}
