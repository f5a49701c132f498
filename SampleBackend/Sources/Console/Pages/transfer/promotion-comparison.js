/**
 * What differs between the project and another one, with the choice of what is copied. It survives
 * a publish of either: both are then compared again.
 */

import {guarded, message} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {showResult} from '../controls/focus.js';
import {failedReading} from '../controls/shown-answer.js';
import {differenceSummary} from '../differences/diff-view.js';
import {choiceTools, showChoices} from '../differences/difference-parts.js';
import {additionRefusal} from '../drafts/draft-additions.js';
import {ConflictChoices} from '../merge/conflict-choices.js';
import {newestRequest} from '../server/newest-request.js';
import {differenceCount} from '../server/server-draft.js';
import {refusal} from '../server/session.js';
import {changeKey} from '../template/chosen-changes.js';
import {count} from '../text/formats.js';
import {comparisonNews, hasMoved} from './comparison-news.js';
import {askToMark, intendedView, markedPlace, markView, unmarkDifference}
    from './intended-differences.js';
import {compareWith, concerned} from './promotion.js';
import {PromotionChoice} from './promotion-choice.js';
import {deletionsBox, offeredView} from './promotion-offer.js';
import {previewPromotion, reviewLink} from './promotion-preview.js';

/** @typedef {import('./promotion-offer.js').Marks} Marks */

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
    /** The same of what differs on purpose. */
    #intended = {isOpen: false, opened: new Set(), search: {text: ''}};
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
        const {with: from, withVersionNumber, versionNumber, intended} = this.#comparison;
        const affected = this.#affected;
        const refused = this.#refused;
        const drawList = () => fill(this.#list, offeredView(choice, this.#context.workspace,
            this.#kept, refused ? undefined : () => this.#changed(), this.#marks));
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
                + (intended && !differenceCount(this.#comparison)
                    ? 'this project differ only on purpose, or not at all.'
                    : `this project differ in: ${differenceSummary(this.#comparison)}.`)),
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
            intendedView(this.#comparison, {template: this.#context.workspace.published,
                shown: this.#intended,
                end: refused ? undefined : (kind, found) => this.#unmark(kind, found)}),
            isOffered && [h('div', {class: 'actions'}, guarded(refused, this.#button)),
                this.#preview]);
    }

    /**
     * What is shown of marks at a difference: the line of one that holds no longer, and the button
     * that marks it.
     *
     * @returns {Marks}
     */
    get #marks() {
        const {intended, parameters, with: other} = this.#comparison;
        const settings = new Set(parameters.map((found) => changeKey('setting', found)));
        /** @param {DifferenceKind} kind @param {Difference} found */
        const isMarkable = (kind, found) => (markedPlace(kind, found) !== null
            && (kind !== 'setting' || settings.has(changeKey('setting', found))));
        return {
            noteOf: (_, {mark}) => mark && markView(mark, other),
            act: !intended || this.#refused ? undefined : (kind, found) => (
                isMarkable(kind, found) ? {run: () => this.#mark(kind, found),
                    text: found.mark ? 'Mark again …' : 'Differs on purpose …'} : null)};
    }

    /**
     * Marks a difference after a question, and compares again.
     *
     * @param {DifferenceKind} kind
     * @param {Difference} found
     */
    async #mark(kind, found) {
        const done = await askToMark(this.#context.project, this.#comparison, kind, found);
        if (!done || this.#left.aborted) return;
        this.#noteSeen();
        await this.#compareAgain(done === 'marked' ? `Marked: ${
            kind === 'setting' ? `${found.section}.${found.key}` : found.name} differs on purpose.`
            : 'Nothing was marked.');
    }

    /**
     * Ends a mark, and compares again.
     *
     * @param {DifferenceKind} kind
     * @param {Difference} found
     */
    async #unmark(kind, found) {
        const place = markedPlace(kind, found);
        if (!place) return;
        try {
            await unmarkDifference(this.#context.project, this.#comparison.with, place);
        } catch (error) {
            fill(this.#notice, message('error', error.message));
            showResult(this.#notice);
            return;
        }
        if (this.#left.aborted) return;
        this.#noteSeen();
        await this.#compareAgain(`${kind === 'setting' ? `${found.section}.${found.key}`
            : found.name} no longer differs on purpose.`);
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

    /**
     * Compares again what has changed since, and keeps the choice.
     *
     * @param {string} [done] What the user has done; by default, the copy is previewed again.
     */
    async #compareAgain(done = '') {
        const {workspace, project} = this.#context;
        const signal = this.#nextPreview();
        this.#repetitions += 1;
        this.#seen ??= {comparison: this.#comparison, choice: this.#choice};
        const seen = this.#seen;
        fill(this.#preview);
        fill(this.#notice, h('p', {class: 'muted', role: 'status'}, done ? 'Comparing …'
            : 'One of the projects has changed: comparing again …'));
        try {
            const [comparison] = await Promise.all(
                [compareWith(project, this.#comparison.with, signal), workspace.load()]);
            signal.throwIfAborted();
            this.#comparison = comparison;
        } catch (error) {
            if (signal.aborted) return;
            fill(this.#notice, failedReading(error, signal, () => this.#compareAgain(done)));
            this.#update();
            return;
        }
        this.#choice = this.#choiceOf(this.#comparison);
        this.#choice.takeOver(seen.choice);
        this.#draw();
        const reopened = done || this.#choice.isEmpty ? 0 : await this.#showPreview();
        if (reopened === null || this.#left.aborted) return;
        const news = done && !hasMoved(seen.comparison, this.#comparison) ? ''
            : comparisonNews(seen.comparison, this.#comparison,
                this.#choice.newsSince(seen.choice), reopened, !done);
        fill(this.#notice, message('info', [done, news].filter(Boolean).join(' ')));
        showResult(this.#notice);
    }
}
