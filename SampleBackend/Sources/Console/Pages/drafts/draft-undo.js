/**
 * Undo and redo of the steps of a draft in this tab, one after the other.
 */

import {etagOf} from '../server/versions.js';
import {draftOver, shownBy, withoutEmpty} from './draft-state.js';
import {templateAfter} from './draft-step.js';

/** Takes the steps of one workspace back, and repeats them. */
export class DraftUndo {
    #sync;
    #mayStep;
    /**
     * The step that is being taken, after those before it.
     *
     * @type {Promise<?TakenStep>}
     */
    #stepping = Promise.resolve(null);

    /**
     * @param {import('./synced-draft.js').SyncedDraft} sync
     * @param {() => boolean} mayStep False while the draft cannot be changed.
     */
    constructor(sync, mayStep) {
        this.#sync = sync;
        this.#mayStep = mayStep;
    }

    /**
     * Name of the step that would be taken; null without one.
     *
     * @param {boolean} isUndo
     */
    nameOf(isUndo) {
        return this.#next(isUndo)?.name ?? null;
    }

    /**
     * Takes the last step back, or repeats the last one that was taken back; what others changed
     * since, stays.
     *
     * @param {boolean} isUndo
     * @param {StepQuestion} [mayTake] Asked before the step is taken.
     * @returns {Promise<?TakenStep>} The name of the step, and places of it that others changed
     *     since; null if there was no step, or it was refused.
     * @throws ServerError or NoAnswerError when reading the version fails on which the draft was
     *     based; nothing is changed then.
     */
    take(isUndo, mayTake = async () => true) {
        const step = () => this.#take(isUndo, mayTake);
        this.#stepping = this.#stepping.then(step, step);
        return this.#stepping;
    }

    /** @param {boolean} isUndo */
    #next(isUndo) {
        const {steps, state} = this.#sync;
        return this.#mayStep() ? steps.next(isUndo, shownBy(state)) : null;
    }

    /**
     * @param {boolean} isUndo
     * @param {StepQuestion} mayTake
     * @returns {Promise<?TakenStep>}
     */
    async #take(isUndo, mayTake) {
        const sync = this.#sync;
        const next = this.#next(isUndo);
        if (!next) return null;
        const {template: shown} = shownBy(sync.state);
        const isOther = () => shownBy(sync.state).template !== shown;
        const base = next.isOtherBase ? next.base : null;
        const baseTemplate = base === null ? null : await sync.templateOf(base);
        // The draft was changed meanwhile.
        if (isOther()) return this.#take(isUndo, mayTake);
        const {draft: current} = sync.state;
        // Over the shown version if the other one is gone.
        const over = baseTemplate && base !== null
            ? {base, baseTemplate, etag: etagOf(sync.project, base)}
            : current ?? draftOver(sync.state, shown);
        const {template, kept} = templateAfter(
            next.from, next.to, current ? shown : over.baseTemplate);
        if (!await mayTake(next.name, shown, template)) return null;
        if (isOther()) return this.#take(isUndo, mayTake);
        const draft = withoutEmpty({...over, template, changes: null});
        sync.steps.took(next, draft?.base ?? null);
        sync.send({type: 'edit', draft, left: kept});
        return {name: next.name, kept};
    }
}
