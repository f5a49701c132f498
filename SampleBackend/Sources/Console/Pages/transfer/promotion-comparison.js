/**
 * What differs between the project and another one, with the choice of what is copied. It survives
 * a publish of either: both are then compared again.
 */

import {guarded, message} from '../controls/controls.js';
import {fill, h, newID} from '../controls/dom.js';
import {showResult} from '../controls/focus.js';
import {failedReading} from '../controls/shown-answer.js';
import {differenceSummary, diffView} from '../differences/diff-view.js';
import {choiceTools, showChoices} from '../differences/difference-parts.js';
import {additionRefusal} from '../drafts/draft-additions.js';
import {ConflictChoices} from '../merge/conflict-choices.js';
import {newestRequest} from '../server/newest-request.js';
import {differenceCount} from '../server/server-draft.js';
import {refusal} from '../server/session.js';
import {count} from '../text/formats.js';
import {comparisonNews} from './comparison-news.js';
import {compareWith, concerned} from './promotion.js';
import {PromotionChoice} from './promotion-choice.js';
import {previewPromotion, reviewLink} from './promotion-preview.js';

/** Comparisons in a row that nobody asked for; each is ended by another publish. */
const maximumRepetitions = 3;

/** The differences, with boxes that choose settings and sections to copy. */
export class PromotionComparison {
    node = h('div', {class: 'stack'});
    #context;
    #comparison;
    /** @type {PromotionChoice} */
    #choice;
    #left;
    #nextPreview;
    /** Why the user may not copy; null otherwise. */
    #refused;
    /** @type {Difference[]} */
    #affected = [];
    #decisions = new ConflictChoices();
    /** What is unfolded and searched. */
    #kept = {opened: new Set(), search: {text: ''}};
    /**
     * What the user has seen last, if it was compared again since.
     *
     * @type {?{comparison: Comparison, choice: PromotionChoice}}
     */
    #seen = null;
    #repetitions = 0;
    #notice = h('div', {});
    #list = h('div', {class: 'stack'});
    #status = h('p', {role: 'status'});
    #preview = h('div', {class: 'stack', 'aria-live': 'polite'});
    #button = h('button', {type: 'button', class: 'primary', onclick: async () => {
        this.#noteSeen();
        fill(this.#notice);
        if (await this.#showPreview() !== null) showResult(this.#preview);
    }}, 'Continue');

    /**
     * @param {Pick<PageContext, 'session' | 'workspace' | 'project'>} context
     * @param {Comparison} comparison
     * @param {AbortSignal} left
     */
    constructor(context, comparison, left) {
        this.#context = context;
        this.#comparison = comparison;
        this.#left = left;
        this.#nextPreview = newestRequest(left);
        this.#refused = refusal(context.session, 'editor');
        this.#choice = this.#choiceOf(comparison);
        this.#draw();
    }

    /** @param {Comparison} comparison */
    #choiceOf(comparison) {
        this.#affected = concerned(comparison, this.#context.workspace.published);
        const choice = new PromotionChoice(comparison, this.#affected);
        // Whoever may not copy sees all that differs.
        if (this.#refused) choice.deletions = true;
        return choice;
    }

    /** The user has done something with what is shown. */
    #noteSeen() {
        this.#seen = null;
        this.#repetitions = 0;
    }

    /** Shows the number of what is chosen. */
    #update() {
        if (this.#refused) return;
        this.#button.disabled = this.#choice.isEmpty;
        this.#button.textContent = `Continue with ${this.#choice.text}`;
        const {status} = this.#choice;
        this.#status.textContent = status && `Chosen: ${status}.`;
    }

    /** Shows another choice, and removes the preview of the earlier one. */
    #changed() {
        this.#noteSeen();
        showChoices();
        this.#nextPreview();
        fill(this.#preview);
        this.#update();
    }

    #draw() {
        const choice = this.#choice;
        const {with: from, withVersionNumber, versionNumber} = this.#comparison;
        const affected = this.#affected;
        const refused = this.#refused;
        const drawList = () => fill(this.#list, offeredView(choice, this.#context.workspace,
            this.#kept, refused ? undefined : () => this.#changed()));
        drawList();
        this.#update();
        const tools = choiceTools(this.#status, (isChosen) => {
            choice.chooseAll(isChosen);
            this.#changed();
        });
        const isOffered = differenceCount(choice.offered) > 0 || choice.canDelete;
        const removable = choice.removableCount;
        fill(this.node, this.#notice,
            h('p', {}, `Version ${withVersionNumber} of ${from} and version ${versionNumber} of `
                + `this project differ in: ${differenceSummary(this.#comparison)}.`),
            removable > 0 && h('p', {class: 'muted'},
                `Of ${count(removable, 'setting')}, only this project has what differs${
                    refused ? '' : ': it stays unless you choose to remove it'}.`),
            affected.length > 0 && h('p', {class: 'muted'},
                `${count(affected.length, 'setting')} with the same values ${
                    affected.length === 1 ? 'depends' : 'depend'} on a condition that differs: `
                    + 'choose it to copy the condition.'),
            !refused && choice.canDelete && deletionsBox(choice, from, () => {
                drawList();
                this.#changed();
            }),
            isOffered && !refused && tools, this.#list,
            isOffered && [h('div', {class: 'actions'}, guarded(refused, this.#button)),
                this.#preview]);
    }

    /**
     * Shows what is copied.
     *
     * @returns {Promise<?number>} Number of decisions that are open again; null if something else
     *     is shown since.
     */
    async #showPreview() {
        const {workspace} = this.#context;
        const signal = this.#nextPreview();
        const outdated = additionRefusal(workspace.draft, this.#comparison.versionNumber);
        if (outdated) {
            fill(this.#preview, message('warning', h('p', {}, outdated), reviewLink()));
            return 0;
        }
        this.#button.disabled = true;
        let reopened = 0;
        try {
            reopened = await previewPromotion(this.#context, this.#comparison,
                this.#choice.request, {choices: this.#decisions, place: this.#preview,
                    left: signal, moved: () => {
                        this.#noteSeen();
                        this.#compareAgain();
                    }});
        } catch (error) {
            if (signal.aborted) return null;
            if (error.status === 412 && this.#repetitions < maximumRepetitions) {
                await this.#compareAgain();
                return null;
            }
            fill(this.#preview, message('error', error.message));
        }
        if (signal.aborted) return null;
        this.#update();
        return reopened;
    }

    /** Compares again what has changed since, and keeps the choice. */
    async #compareAgain() {
        const {workspace, project} = this.#context;
        const signal = this.#nextPreview();
        this.#repetitions += 1;
        this.#seen ??= {comparison: this.#comparison, choice: this.#choice};
        const seen = this.#seen;
        fill(this.#preview);
        fill(this.#notice, h('p', {class: 'muted', role: 'status'},
            'One of the projects has changed: comparing again …'));
        try {
            const [comparison] = await Promise.all(
                [compareWith(project, this.#comparison.with, signal), workspace.load()]);
            signal.throwIfAborted();
            this.#comparison = comparison;
        } catch (error) {
            if (signal.aborted) return;
            fill(this.#notice, failedReading(error, signal, () => this.#compareAgain()));
            this.#update();
            return;
        }
        this.#choice = this.#choiceOf(this.#comparison);
        this.#choice.takeOver(seen.choice);
        this.#draw();
        const reopened = this.#choice.isEmpty ? 0 : await this.#showPreview();
        if (reopened === null || this.#left.aborted) return;
        fill(this.#notice, message('info', comparisonNews(seen.comparison, this.#comparison,
            this.#choice.newsSince(seen.choice), reopened)));
        showResult(this.#notice);
    }
}

/**
 * Box that offers to remove what the other project does not have.
 *
 * @param {PromotionChoice} choice
 * @param {string} from
 * @param {() => void} changed
 */
function deletionsBox(choice, from, changed) {
    const hint = newID('deletions');
    const box = h('input', {type: 'checkbox', 'aria-describedby': hint,
        checked: choice.deletions, onchange: () => {
        choice.deletions = box.checked;
        changed();
    }});
    return h('div', {},
        h('label', {class: 'check'}, box, ' Also remove what only this project has'),
        h('p', {class: 'hint', id: hint}, 'Chosen settings lose what '
            + `${from} does not have: values, descriptions, owners, tags, and the restriction to `
            + 'the master key. '
            + 'Settings that only this project has can be chosen for removal. Conditions stay.'));
}

/**
 * What can be chosen, and what else differs.
 *
 * @param {PromotionChoice} choice
 * @param {Workspace} workspace
 * @param {{opened: Set<string>, search: {text: string}}} kept What is unfolded and searched.
 * @param {() => void} [changed] Called after each choice; undefined for users who may not choose.
 */
function offeredView(choice, workspace, kept, changed) {
    const {offered, others} = choice;
    const choose = changed && {
        /** @param {DifferenceKind} kind @param {Difference} found */
        verbOf: (kind, {change}) => (change === 'REMOVED' ? 'Remove' : 'Copy')
            + (kind === 'group' ? ' the section' : ''),
        /** @param {DifferenceKind} kind @param {Difference} found */
        isChosen: (kind, found) => choice.isChosen(kind, found),
        /** @param {DifferenceKind} kind @param {Difference} found @param {boolean} isChosen */
        set: (kind, found, isChosen) => {
            choice.choose(kind, found, isChosen);
            changed();
        },
        /** @param {string} title */
        ofSection: (title) => ({state: () => choice.stateOf(title),
            /** @param {boolean} isChosen */
            set: (isChosen) => {
                choice.chooseSection(title, isChosen);
                changed();
            }})};
    return [
        differenceCount(offered) > 0 && diffView(offered,
            {template: workspace.published, choose, ...kept}),
        offered.groups.length > 0 && h('p', {class: 'hint'},
            'A section is copied, or removed, with all of its settings.'),
        differenceCount(others) > 0 && h('details', {},
            h('summary', {}, `What else differs: ${differenceSummary(others)}`), diffView(others))];
}
