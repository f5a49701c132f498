/**
 * Card that compares the project with another one, and copies settings from it into the draft.
 */

import {choice as select, field} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {showResult} from '../controls/focus.js';
import {failedReading, shownAnswer} from '../controls/shown-answer.js';
import {projectText} from '../projects/project-details.js';
import {readProjects} from '../projects/projects.js';
import {newestRequest} from '../server/newest-request.js';
import {compareWith} from './promotion.js';
import {PromotionComparison} from './promotion-comparison.js';

/**
 * @param {Pick<PageContext, 'session' | 'workspace' | 'project'>} context
 * @param {AbortSignal} left
 */
export function promotionCard({session, workspace, project}, left) {
    const outcome = h('div', {class: 'outcome', 'aria-live': 'polite'});
    const nextComparison = newestRequest(left);
    /** Removes the comparison with another choice; returns the signal for the next one. */
    const clear = () => {
        fill(outcome);
        return nextComparison();
    };
    const other = select([], null, {onchange: clear});
    const form = h('form', {class: 'form', hidden: true, onsubmit: async (
        /** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const ended = nextComparison();
        await shownAnswer(outcome, ended, async (signal) => {
            const comparison = await compareWith(project, other.value, signal);
            return new PromotionComparison({session, workspace, project}, comparison, signal)
                .node;
        })();
        if (!ended.aborted) showResult(outcome);
    }}, field('Other project', other), h('div', {class: 'actions'},
        h('button', {type: 'submit'}, 'Compare')));
    const state = h('p', {class: 'muted', role: 'status'}, 'Reading the projects …');
    const read = async () => {
        try {
            const others = (await readProjects()).filter(({name}) => name !== project);
            if (left.aborted) return;
            fill(other, others.map((found) => (
                h('option', {value: found.name}, projectText(found)))));
            form.hidden = !others.length;
            fill(state, others.length ? 'Shows what differs, and copies settings with the '
                + 'conditions that they need. What only this project has stays. A percentage with '
                + 'the same seed chooses the same users in both projects.'
                : 'There is no other project that you may open.');
        } catch (error) {
            if (!left.aborted) fill(state, failedReading(error, left, read));
        }
    };
    read();
    return h('section', {class: 'card', 'aria-labelledby': 'promotion'},
        h('div', {class: 'card-head'}, h('h2', {
            id: 'promotion', tabindex: '-1', 'data-focus': 'promotion'},
        'Copy from another project')),
        h('div', {class: 'card-body'}, state, form, outcome));
}
