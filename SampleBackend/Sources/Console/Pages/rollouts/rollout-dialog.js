/**
 * Dialogs that plan a rollout: its fields, then the plan that the server makes of them.
 */

import {message} from '../controls/controls.js';
import {dialogForm} from '../controls/dialog-form.js';
import {openDialog} from '../controls/dialog.js';
import {h} from '../controls/dom.js';
import {productionNotice} from '../projects/project-details.js';
import {approvalProblem} from '../server/protection.js';
import {planRollout} from '../server/rollouts.js';
import {RolloutFields} from './rollout-fields.js';
import {firstRollout} from './rollout-input.js';
import {stepsTable} from './rollout-steps.js';
import {boundText, planText} from './rollout-texts.js';

/** @typedef {import('./rollout-input.js').EnteredRollout} EnteredRollout */
/** @typedef {import('./rollout-input.js').RolloutCondition} RolloutCondition */

/**
 * What is rolled out, and how.
 *
 * @typedef {object} RolloutTask
 * @property {string} project
 * @property {Project} details
 * @property {RolloutCondition[]} conditions The condition, or those of the request.
 * @property {?ChangeRequest} request The request that is rolled out; null for what is live.
 * @property {unknown} [lead] What the first dialog says before the fields.
 * @property {?EnteredRollout} kept What was entered before.
 * @property {(entered: EnteredRollout) => void} keep Keeps what is entered.
 * @property {(rollout: SentRollout) => Promise<unknown>} [start] Starts it from the second dialog,
 *     which then shows why that failed.
 * @property {unknown} [doubtful] Where the second dialog says that the outcome is unclear.
 * @property {() => boolean} [mayLeave] As that of `dialogForm`.
 */

/**
 * Asks for a rollout until the server has a plan for it; undefined when it was cancelled.
 *
 * @param {RolloutTask} task
 * @returns {Promise<{rollout: SentRollout, plan: ChangeRequest} | undefined>}
 */
function askForPlan({project, details, conditions, request, lead, kept, keep}) {
    const isInRequest = request !== null;
    const known = conditions.some(({name}) => name === kept?.condition) ? kept : null;
    const fields = new RolloutFields(known ?? firstRollout(conditions[0], isInRequest),
        {conditions, isInRequest}, keep);
    const [{name}] = conditions;
    return openDialog(isInRequest ? 'Roll out this request' : `Roll out ${name}`,
        (close) => dialogForm({
            fields: [
                productionNotice(details, 'This publishes to', 'its users get it step by step'),
                lead, fields.node],
            action: 'Show the plan',
            submit: async () => {
                const rollout = fields.rollout();
                return {rollout, plan: await planRollout(project, rollout, request)};
            }}, close), {isForm: false});
}

/**
 * What a plan says.
 *
 * @param {ChangeRequest} plan
 * @param {Rollout} rollout
 * @param {SentRollout} sent
 */
function planViews(plan, rollout, {at, zone}) {
    const missing = approvalProblem(plan);
    return [
        h('p', {}, `${at ? 'Nothing is published before its time.' : 'It starts at once.'} ${
            planText(rollout)}`),
        h('p', {}, boundText(rollout)),
        missing && message('warning', h('p', {}, missing, at
            ? ' Without them at its time, nothing is published.'
            : ' It cannot start before: change it, and choose “At a time …” as the start.')),
        rollout.reportsBefore && h('p', {}, rollout.reportsBefore.text),
        stepsTable(rollout, plan.schedule?.zone ?? zone)];
}

/**
 * Asks whether to start a rollout with its plan: 'back' to change it, undefined when it was
 * cancelled.
 *
 * @param {RolloutTask} task
 * @param {{rollout: SentRollout, plan: ChangeRequest}} answer
 * @returns {Promise<unknown>}
 */
function confirmPlan({details, start, doubtful, mayLeave}, {rollout: sent, plan}) {
    const rollout = plan.schedule?.rollout;
    if (!rollout) throw new Error('This server has no rollouts.');
    return openDialog(sent.at ? 'Schedule this rollout?' : 'Start this rollout?', (close) => {
        const {actions, ...content} = dialogForm({
            fields: [
                productionNotice(details, 'This publishes to', 'its users get it step by step'),
                planViews(plan, rollout, sent), doubtful],
            action: sent.at ? 'Schedule' : 'Start rollout',
            submit: async () => await start?.(sent) ?? true,
            mayLeave,
        }, close);
        return {...content, actions: [
            h('button', {type: 'button', 'data-autofocus': true,
                onclick: () => content.isBusy?.() || close('back')}, 'Change it'), actions]};
    }, {isForm: false, isWide: true});
}

/**
 * Plans a rollout, shows the plan, and starts it unless the caller does.
 *
 * @param {RolloutTask} task
 * @returns {Promise<{rollout: SentRollout, result: unknown} | undefined>} `result` is that of
 *     `start`; undefined when it was cancelled.
 */
export async function planAndStart(task) {
    let {kept} = task;
    /** @param {EnteredRollout} entered */
    const keep = (entered) => {
        kept = entered;
        task.keep(entered);
    };
    for (;;) {
        const answer = await askForPlan({...task, kept, keep});
        if (!answer) return undefined;
        const result = await confirmPlan(task, answer);
        if (result === undefined) return undefined;
        if (result !== 'back') return {rollout: answer.rollout, result};
    }
}
