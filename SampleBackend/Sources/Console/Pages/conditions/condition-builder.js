/**
 * Form for an expression: its rules with fields, comparisons and values to choose from. It writes
 * the expression, and follows it while the user types.
 */

import {choice} from '../controls/controls.js';
import {announce, fill, focusOn, h, redraw} from '../controls/dom.js';
import {unknownValue} from '../template/defined-values.js';
import {expressionText, parseExpressions} from './condition-expression.js';
import {fields, missingValue} from './condition-fields.js';
import {conditionRule, negation} from './condition-rule.js';
import {groupView, ruleCount, rulesOf, treeOf, viewOf} from './condition-view.js';
import {ruleAt} from './problem-place.js';
import {Suggestions} from './suggestions.js';

/** Milliseconds after the last keystroke before the expression is parsed. */
const pause = 300;

/** Maximum number of rules, and depth of groups, that the form can show. */
const maximumRules = 40;
const maximumDepth = 4;

/**
 * Depth of groups in a view.
 *
 * @param {{operands?: ConditionView[]}} view
 * @returns {number}
 */
function depth({operands = []}) {
    return operands.length ? 1 + Math.max(...operands.map(depth)) : 0;
}

/**
 * Expression of the rules; empty without any.
 *
 * @param {?GroupView} root
 */
function textOf(root) {
    const tree = root && treeOf(root);
    return tree ? expressionText(tree) : '';
}

/** The form of one expression. */
export class ConditionBuilder {
    /** @type {?GroupView} */
    #root = null;
    #timer = 0;
    /**
     * Functions that update the hints of the rules.
     *
     * @type {(() => void)[]}
     */
    #hints = [];
    /**
     * Functions that add the values that are typed and not added yet.
     *
     * @type {(() => void)[]}
     */
    #additions = [];
    /** True while the expression is newer than the rules. */
    #isTyped = false;
    #reading = new AbortController();
    /** Seed of the percentages that are added; null for none. */
    seed = /** @type {?string} */ (null);

    /**
     * @param {HTMLTextAreaElement} expression Control with the expression.
     * @param {Promise<KnownSignals>} known The signals that are suggested.
     * @param {function(): void} changed Called after the form has written the expression.
     * @param {?GroupView} [kept] Rules of an unfinished form.
     */
    constructor(expression, known, changed, kept = null) {
        this.expression = expression;
        this.changed = changed;
        this.suggestions = new Suggestions(known);
        this.count = 0;
        /**
         * A problem of the expression, and its rule.
         *
         * @type {?{rule?: RuleView, isKey?: boolean, problem: Problem}}
         */
        this.problem = null;
        this.place = h('div', {class: 'builder-place'});
        this.node = h('div', {class: 'builder', role: 'group', 'aria-label': 'Rules'},
            this.place, this.suggestions.node);
        known.then(() => this.#hints.forEach((update) => update()));
        if (kept && textOf(kept) === expression.value.trim()) this.#show(kept);
        else this.#read();
    }

    /** The rules with what is typed in them; null while they are not shown. */
    get rules() {
        return this.#isTyped ? null : this.#root;
    }

    /** True if a value is typed and not added yet. */
    get hasTyped() {
        return this.rules !== null && rulesOf(this.rules).some(({typed}) => typed?.trim());
    }

    /**
     * Shows a problem of the expression at its rule, too.
     *
     * @param {?Problem} problem
     */
    showProblem(problem) {
        const {rules} = this;
        this.problem = problem?.column && rules
            ? {...ruleAt(rules, this.expression.value.trimStart(), problem.column), problem} : null;
        this.#hints.forEach((update) => update());
    }

    /** Adds the values that are typed and not added yet. */
    addTyped() {
        this.#additions.forEach((add) => add());
    }

    /** Follows the expression after the user or another control changed it. */
    follow() {
        this.stop();
        this.#isTyped = true;
        this.#timer = setTimeout(() => this.#read(), pause);
    }

    /** Cancels reading. */
    stop() {
        clearTimeout(this.#timer);
        this.#reading.abort();
        this.#reading = new AbortController();
    }

    /** True if a rule of the form lacks a value, so that the expression is incomplete. */
    get isIncomplete() {
        return !this.#isTyped && this.#root !== null && rulesOf(this.#root).some(missingValue);
    }

    /** True if a rule has a value that no app is known to send. */
    get isDoubtful() {
        const {known} = this.suggestions;
        return this.rules !== null && rulesOf(this.rules).some((rule) => (
            rule.values.some((value) => unknownValue(rule, value, known))));
    }

    async #read() {
        const {signal} = this.#reading;
        const text = this.expression.value.trim();
        if (!text) {
            this.#show({kind: 'all', operands: []});
            return;
        }
        try {
            const [{tree}] = await parseExpressions([text], signal);
            if (signal.aborted) return;
            if (!tree) {
                this.#hint('The rules appear here when the expression is valid.');
                return;
            }
            const view = groupView(viewOf(tree));
            if (ruleCount(view) > maximumRules || depth(view) > maximumDepth) {
                this.#hint('This expression has too many rules to show one by one. Edit it '
                    + 'as text.');
            } else {
                this.#show(view);
            }
        } catch {
            if (!signal.aborted) this.#hint('The rules cannot be shown now. Edit the text.');
        }
    }

    /** @param {string} text */
    #hint(text) {
        this.#isTyped = false;
        this.#root = null;
        fill(this.place, h('p', {class: 'hint'}, text));
    }

    /** @param {GroupView} view */
    #show(view) {
        this.#isTyped = false;
        this.#root = view;
        this.draw();
    }

    /** Writes the expression. */
    write() {
        this.stop();
        this.#isTyped = false;
        this.problem = null;
        this.expression.value = textOf(this.#root);
        this.#hints.forEach((update) => update());
        this.changed();
    }

    /**
     * Writes the expression after rules were added or removed, and focuses a control.
     *
     * @param {string} [focus]
     */
    restructure(focus) {
        this.write();
        this.draw();
        if (focus) focusOn(focus, this.place);
    }

    /**
     * Sets the seed of the percentages that are added, also of those that have the one before, but
     * not of typed ones without a seed.
     *
     * @param {?string} seed
     */
    setSeed(seed) {
        const before = this.seed;
        this.seed = seed;
        const rules = rulesOf(this.rules ?? {kind: 'all', operands: []}).filter((rule) =>
            rule.element === 'percent' && rule.key === before && (before ?? rule.lacksSeed));
        if (before === seed || !rules.length) return;
        for (const rule of rules) Object.assign(rule, {key: seed, lacksSeed: seed === null});
        this.write();
        this.draw();
    }

    draw() {
        this.count = 0;
        this.suggestions.clear();
        this.#hints = [];
        this.#additions = [];
        if (this.#root) redraw(this.place, this.#group(this.#root, null, 'rules'));
    }

    /**
     * A group with its rules; `parent` is null for the outermost group, and `path` identifies the
     * group.
     *
     * @param {GroupView} view
     * @param {?{remove: () => void}} parent
     * @param {string} path
     * @returns {HTMLElement}
     */
    #group(view, parent, path) {
        const kind = choice([['all', 'All of these are true'], ['any', 'One of these is true']],
            view.kind, {'aria-label': 'How the rules are combined', 'data-focus': `${path} kind`,
                onchange: () => {
                    view.kind = kind.value === 'any' ? 'any' : 'all';
                    this.write();
                }});
        /** @param {ConditionView} operand */
        const add = (operand) => {
            view.operands.push(operand);
            const place = `${path}.${view.operands.length - 1}`;
            this.restructure(operand.kind === 'rule' ? `${place} field` : `${place} kind`);
            announce('Rule added.');
        };
        /** @returns {RuleView} */
        const newRule = () => ({kind: 'rule', element: fields[0].element, key: this.seed,
            lacksSeed: this.seed === null, comparison: fields[0].comparisons[0][0],
            values: [...fields[0].initial.values]});
        const rows = view.operands.map((operand, index) => {
            const place = `${path}.${index}`;
            const remove = () => {
                view.operands.splice(index, 1);
                this.restructure(`${path} add`);
                announce('Rule removed.');
            };
            return operand.operands ? this.#group(operand, {remove}, place)
                : conditionRule(this, operand, place, remove);
        });
        return h('div', {class: 'rule-group'},
            (view.operands.length > 1 || parent || view.isNegated) && h('div', {class: 'rule-line'},
                negation(this, view, path), kind,
                parent && h('button', {type: 'button', class: 'quiet small',
                    onclick: parent.remove}, 'Remove group')),
            rows,
            h('div', {class: 'rule-line'},
                h('button', {type: 'button', class: 'small', 'data-focus': `${path} add`,
                    onclick: () => add(newRule())}, 'Add rule'),
                view.operands.length > 0 && path.split('.').length < maximumDepth
                    && h('button', {type: 'button', class: 'quiet small',
                        onclick: () => add({kind: view.kind === 'all' ? 'any' : 'all',
                            operands: [newRule()]})}, 'Add group')));
    }

    /**
     * Calls a function when the values are added that are typed in a field.
     *
     * @param {() => void} add
     */
    adds(add) {
        this.#additions.push(add);
    }

    /**
     * Updates a hint now, and each time the form writes the expression.
     *
     * @param {() => void} update
     */
    hint(update) {
        update();
        this.#hints.push(update);
    }
}
