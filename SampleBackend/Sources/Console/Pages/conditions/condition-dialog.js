/**
 * Dialog for adding or editing a condition; the server validates it while the user types.
 */

import {CheckedForm} from '../controls/checked-form.js';
import {choice, conditionChip, field} from '../controls/controls.js';
import {fill, focusOn, h, newID} from '../controls/dom.js';
import {problemList} from '../controls/problem-list.js';
import {showRemarks} from '../controls/remarks.js';
import {RequiredField} from '../controls/required-field.js';
import {jsonText} from '../json/json-text.js';
import {copy, setMember} from '../json/json.js';
import {mergeTrees} from '../json/tree-merge.js';
import {problemsWithin} from '../server/validation.js';
import {expressionRemarks} from '../template/number-digits.js';
import {conditionPath} from '../template/paths.js';
import {colorName, conditions, settingCondition, tagColors} from '../template/template.js';
import {lookAlikeProblem} from '../text/hidden-characters.js';
import {ConditionBuilder} from './condition-builder.js';
import {seedOf} from './condition-fields.js';
import {knownSignals} from './known-signals.js';
import {percentSliders} from './percent-sliders.js';
import {markedExpression} from './problem-place.js';

/** State and controls of the form. */
class ConditionForm {
    /** Aborts the requests of the form. */
    closed = new AbortController();
    /**
     * `index` is the condition's index in the template; null adds a condition. `kept` is the
     * initial condition from an unfinished form, with its rules, and `before` the condition with
     * which that form began.
     *
     * @param {{workspace: Workspace}} context
     * @param {number | null} index
     * @param {?KeptCondition} kept
     * @param {?Condition} before
     */
    constructor({workspace}, index, kept, before) {
        const {rules = null, ...content} = kept ?? {};
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
        this.original = copy(kept && this.before
            ? mergeTrees(before ?? this.before, content, this.before,
                ['conditions', this.oldName ?? ''], this.conflicts)
            : kept ? content : this.before ?? {name: '', expression: ''});
        const changed = () => this.#changed();
        this.name = h('input', {type: 'text', value: this.original.name, autocomplete: 'off',
            'data-autofocus': this.isNew, oninput: () => {
                if (this.isNew) this.builder.setSeed(seedOf(this.name.value));
                changed();
            }});
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
            }, rules);
        this.builder.seed = seedOf(this.original.name);
        this.chip = h('span', {});
        this.mark = h('div', {});
        this.remarks = h('div', {'aria-live': 'polite'});
        this.nameProblems = problemList();
        this.requiredName = new RequiredField(this.name, () => this.#showOwnProblem());
        this.expressionProblems = problemList();
        this.colorProblems = problemList();
        this.checked = new CheckedForm(workspace,
            (problems) => problemsWithin(problems, this.#path), (own) => this.#show(own));
        this.checked.isDoubtful = () => this.builder.isDoubtful;
        // A value that is typed but not added yet is added when the field loses the focus, at the
        // latest by the click.
        this.builder.node.addEventListener('input', () => {
            if (!this.builder.isIncomplete) return;
            this.checked.button.disabled = Boolean(this.#ownProblem) || !this.builder.hasTyped;
        });
        this.#drawChip();
        showRemarks(this.remarks, expressionRemarks(this.expression.value));
        if (kept) this.#changed();
        if (this.builder.isIncomplete && this.builder.hasTyped) {
            this.checked.button.disabled = Boolean(this.#ownProblem);
        }
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

    /** The path of the condition in the template that is checked. */
    get #path() {
        return conditionPath(this.checkedIndex ?? this.index);
    }

    /**
     * A missing name, or one that another condition has or seems to have, reported here since the
     * server's message is less clear.
     */
    get #ownProblem() {
        const name = this.name.value.trim();
        if (!name) return 'Give the condition a name.';
        const others = conditions(this.workspace.template)
            .filter((_, index) => index !== this.index).map((other) => other.name);
        return others.includes(name) ? 'A condition with this name exists. Choose another name.'
            : name === this.oldName ? null : lookAlikeProblem(name, others, 'condition');
    }

    get #isEmpty() {
        return this.isExpression && !this.expression.value.trim();
    }

    /** Sentence about a missing rule, or one without a value; null for complete rules. */
    get #incomplete() {
        if (this.#isEmpty) return 'Add a rule, or write an expression.';
        return this.builder.isIncomplete ? 'A rule is incomplete.' : null;
    }

    #drawChip() {
        fill(this.chip, conditionChip(
            this.color.value ? colorName(this.color.value) : 'No colour', this.color.value));
    }

    /** Shows the problem of the name, unless it is one that may still be filled. */
    #showOwnProblem() {
        const own = this.requiredName.isPending ? null : this.#ownProblem;
        this.nameProblems.show(own ? [{message: own}] : [], this.name);
    }

    /** Validates the form after an edit; asks the server once there are a name and all values. */
    #changed() {
        const own = this.#ownProblem;
        showRemarks(this.remarks, expressionRemarks(this.expression.value));
        const {isPending} = this.requiredName;
        this.#showOwnProblem();
        const incomplete = this.#incomplete;
        if (incomplete) {
            // The hint of the rule, or the state, explains what to enter.
            this.builder.showProblem(null);
            this.expressionProblems.show([], this.expression);
            fill(this.mark);
        }
        if (own || incomplete || this.sliders.isInvalid()) {
            this.checked.refuse(incomplete ?? (this.sliders.isInvalid()
                ? 'A percentage is not a number from 0 to 100.'
                : isPending ? own ?? '' : ''));
        } else {
            this.checkedIndex = this.index;
            this.checked.check(this.result.template);
        }
    }

    /**
     * Shows each problem at its field, other problems at the name.
     *
     * @param {Problem[]} own
     */
    #show(own) {
        /** @param {string} name */
        const within = (name) => problemsWithin(own, `${this.#path}.${name}`);
        const ofExpression = [...within('expression'), ...within('condition')];
        const rest = own.filter((problem) => !ofExpression.includes(problem)
            && !within('tagColor').includes(problem));
        this.nameProblems.show(rest, this.name);
        this.expressionProblems.show(ofExpression, this.expression);
        this.colorProblems.show(within('tagColor'), this.color);
        const problem = ofExpression.find(({column}) => column) ?? null;
        this.builder.showProblem(problem);
        fill(this.mark, problem?.column
            && markedExpression(this.expression.value.trim(), problem.column));
    }

    /**
     * Adds what is typed; false without a usable name or a rule, one of which then has the focus,
     * or with an incomplete rule.
     */
    isComplete() {
        const problem = this.#ownProblem;
        this.requiredName.send();
        this.#showOwnProblem();
        if (problem) this.name.focus();
        this.builder.addTyped();
        if (this.#isEmpty && !problem) focusOn('rules add', this.builder.node);
        return !problem && this.#incomplete === null;
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
 * @param {?KeptCondition} content Initial condition from an unfinished form.
 * @param {?Condition} before Condition with which that form began.
 * @returns {Promise<string | undefined>} Name of the condition; undefined when cancelled.
 */
export async function openConditionDialog(context, index, content = null, before = null) {
    const form = new ConditionForm(context, index, content, before);
    const title = form.isNew ? 'Add a condition' : `Edit ${form.oldName}`;
    const isKept = await form.checked.open(title, {
        fields: [
            h('div', {class: 'pair'},
                field('Name', form.name, {problems: form.nameProblems.node}),
                h('div', {class: 'field'}, field('Colour', form.color,
                    {problems: form.colorProblems.node}), form.chip)),
            form.isExpression
                ? [h('p', {class: 'field-name'}, 'Who'), form.builder.node,
                    field('Expression', form.expression, {problems: form.expressionProblems.node}),
                    form.mark, form.remarks, form.sliders.node, examples()]
                : [h('p', {class: 'field-name'}, 'Condition'), h('code', {class: 'value'},
                    jsonText(form.original.condition, '  ')),
                h('p', {class: 'hint'}, 'This condition has the form of a server template; it '
                    + 'stays unchanged.'), form.expressionProblems.node],
            form.checked.state],
        isComplete: () => form.isComplete(),
        name: () => `Condition ${form.condition.name}`, result: () => form.result,
        kind: 'condition', arguments: [form.oldName, form.before ?? null],
        content: () => ({...form.condition, rules: form.builder.rules})});
    form.builder.stop();
    form.closed.abort();
    return isKept && form.condition.name;
}
