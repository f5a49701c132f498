/**
 * Dialog for adding or editing a condition, validated by the server during typing.
 */

import {choice, conditionChip, field} from './controls.js';
import {ask, openDialog} from './dialog.js';
import {announce, fill, h, newID} from './dom.js';
import {copy, setMember} from './json.js';
import {jsonText} from './json-text.js';
import {conditionPath} from './paths.js';
import {percentSliders} from './percent-sliders.js';
import {problemList} from './problem-list.js';
import {conditions, settingCondition, tagColors} from './template.js';
import {LiveValidation, problemsWithin} from './validation.js';

/** Display name of a colour: `DEEP_ORANGE` becomes "Deep orange". */
function colorName(color) {
    const text = color.replaceAll('_', ' ').toLowerCase();
    return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Highlights the character at a column, from 1. Counts grapheme clusters, while the server counts
 * Unicode scalars: after a cluster of several scalars, the highlight is too far right.
 */
function markedExpression(expression, column) {
    const characters = [...new Intl.Segmenter().segment(expression)].map(({segment}) => segment);
    const index = Math.min(column - 1, characters.length);
    return h('code', {class: 'marked'}, characters.slice(0, index).join(''),
        h('mark', {}, characters[index] ?? '\u00a0'), characters.slice(index + 1).join(''));
}

/** State and controls of the form. */
class ConditionForm {
    /** `index` is the condition's index in the template; null adds a condition. */
    constructor({workspace}, index) {
        this.workspace = workspace;
        const all = conditions(workspace.template);
        this.isNew = index === null;
        this.index = index ?? all.length;
        this.original = this.isNew ? {name: '', expression: ''} : copy(all[index]);
        this.isDirty = false;
        const changed = () => this.#changed();
        this.name = h('input', {type: 'text', value: this.original.name, autocomplete: 'off',
            'data-autofocus': this.isNew, oninput: changed});
        this.color = choice([['', 'No colour'],
            ...tagColors.map((color) => [color, colorName(color)])],
        this.original.tagColor ?? '', {onchange: () => {
            this.#drawChip();
            changed();
        }});
        this.expression = h('textarea', {class: 'code', rows: '2', spellcheck: 'false',
            autocapitalize: 'off', value: this.original.expression ?? '', oninput: () => {
                this.sliders.update();
                changed();
            }});
        this.sliders = percentSliders(this.expression, changed);
        this.chip = h('span', {});
        this.mark = h('div', {});
        this.nameProblems = problemList();
        this.expressionProblems = problemList();
        this.colorProblems = problemList();
        this.state = h('p', {class: 'check-state', role: 'status'});
        this.form = newID('form');
        this.save = h('button', {type: 'submit', form: this.form, class: 'primary'},
            'Keep in the draft');
        this.validation = new LiveValidation(workspace.project, (report) => this.#report(report));
        this.#drawChip();
    }

    /** False for a condition in the JSON form of Firebase's server templates, kept unchanged. */
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

    /** Copy of the draft's template with the form's condition. */
    get template() {
        return settingCondition(this.workspace.template, this.index, this.condition);
    }

    /** A missing or duplicate name, reported here since the server's message is less clear. */
    get ownProblem() {
        const name = this.name.value.trim();
        if (!name) return 'Give the condition a name.';
        const isTaken = conditions(this.workspace.template)
            .some((other, index) => other.name === name && index !== this.index);
        return isTaken ? 'There is a condition with this name. Choose another one.' : null;
    }

    #drawChip() {
        fill(this.chip, conditionChip(
            this.color.value ? colorName(this.color.value) : 'No colour', this.color.value));
    }

    /** Validates the form after an edit; asks the server only when the name is usable. */
    #changed() {
        this.isDirty = true;
        const own = this.ownProblem;
        this.validation.stop();
        this.nameProblems.show(own ? [{message: own}] : [], this.name);
        if (own) {
            this.save.disabled = true;
            this.state.textContent = '';
        } else {
            this.validation.check(this.template);
        }
    }

    /** Shows a validation report, each problem at its field; other problems at the name. */
    #report({state, problems, message}) {
        const path = conditionPath(this.index);
        const own = problemsWithin(problems, path);
        this.save.disabled = state === 'checking' || own.length > 0;
        if (state === 'checking') {
            this.state.textContent = 'Checking …';
            return;
        }
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
            unknown: `It could not be checked: ${message} You may keep it; it is checked again `
                + 'before it is published.',
            done: own.length ? 'Mend this before it can be kept.' : 'The server accepts this.',
        };
        this.state.textContent = sentences[state];
    }
}

function examples() {
    const list = [
        ["app.version.>=(['2.0'])", 'from a version on'],
        ["device.country in ['DE', 'FR']", 'in some countries'],
        ["percent('name') <= 10", 'a tenth of the users; the name mixes them anew'],
        ["app.customSignal['plan'].exactlyMatches(['gold'])", 'by what the app says'],
        ["user.id == '42' && device.os == 'ios'", 'both have to be true'],
    ];
    return h('details', {}, h('summary', {}, 'Examples of rules'),
        h('dl', {class: 'examples'}, list.map(([code, text]) => h('div', {},
            h('dt', {}, h('code', {}, code)), h('dd', {class: 'muted'}, text)))));
}

/**
 * Opens the dialog, and puts the condition into the draft when the form is submitted.
 *
 * @param {object} context Page context.
 * @param {?number} index Index of the condition; null adds one.
 */
export async function openConditionDialog(context, index) {
    const {workspace} = context;
    const form = new ConditionForm(context, index);
    const title = form.isNew ? 'Add a condition' : `Edit ${form.original.name}`;
    await openDialog(title, (close) => ({
        body: h('form', {id: form.form, class: 'form', novalidate: true, onsubmit: (event) => {
            event.preventDefault();
            if (form.ownProblem) {
                form.nameProblems.show([{message: form.ownProblem}], form.name);
                form.name.focus();
            }
            if (form.save.disabled || form.ownProblem) return;
            workspace.edit(form.template);
            announce(`The condition ${form.condition.name} is in the draft.`);
            close(true);
        }},
        h('div', {class: 'pair'},
            field('Name', form.name, {problems: form.nameProblems.node}),
            h('div', {class: 'field'}, field('Colour', form.color,
                {problems: form.colorProblems.node}), form.chip)),
        form.isExpression
            ? [field('Expression', form.expression, {problems: form.expressionProblems.node}),
                form.mark, form.sliders.node, examples()]
            : [h('p', {class: 'field-name'}, 'Condition'), h('code', {class: 'value'},
                jsonText(form.original.condition, '  ')),
            h('p', {class: 'hint'}, 'This condition has the form of a server template; it is kept '
                + 'as it is.'), form.expressionProblems.node],
        form.state),
        actions: [h('button', {type: 'button', onclick: () => close()}, 'Cancel'), form.save],
    }), {isWide: true, mayClose: async () => !form.isDirty || ask({
        title: 'Leave without keeping it?', text: 'What you changed in this form is lost.',
        action: 'Leave', cancel: 'Go on editing', isDangerous: true})});
    form.validation.stop();
}
