/**
 * The users that a draft's changed values reach, and rules that probably match no user.
 */

import {message} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {folded, unfolding} from '../controls/folded.js';
import {call, projectPath} from '../server/api.js';
import {count, numberText} from '../text/formats.js';
import {isReachKnown, isUnreached, sentence, valueName} from './reach.js';

/**
 * Estimate from the sample of recent requests; null when the server keeps no sample.
 *
 * @param {Preview['estimate']} estimate
 */
export function estimateView(estimate) {
    if (!estimate || Number(estimate.evaluated) === 0) return null;
    const share = 100 * Number(estimate.changed) / Number(estimate.evaluated);
    const text = share > 0 && share < 1 ? 'Less than 1' : `About ${Math.round(share)}`;
    return h('p', {}, h('strong', {}, `${text}% of recent users change`), h('span', {
        class: 'muted'}, ` (${numberText(estimate.changed)} of a sample of `
        + `${numberText(estimate.evaluated)} users of the last day).`));
}

/**
 * Whom an older template reaches when it is published again: the connected apps, and the recent
 * users; null if the server knows neither.
 *
 * @param {string} project
 * @param {Template} template
 * @param {AbortSignal} signal
 */
export async function rollbackReach(project, template, signal) {
    const {version, ...content} = template;
    // The server takes no template without any of its members, as that before the first version.
    const {body} = await call('POST', projectPath(project, 'remoteConfig:preview'), {
        signal, body: {template: {parameters: {}, ...content}, users: []}});
    const {connected, estimate} = /** @type {Preview} */ (body);
    if (!isReachKnown(body)) return null;
    return h('div', {class: 'stack tight'}, connected && h('p', {}, connectedText(connected)),
        estimateView(estimate));
}

/**
 * Sentence about the connected apps that change.
 *
 * @param {ConnectedPreview} connected
 */
export function connectedText({evaluated, changed}) {
    return evaluated === 0 ? 'No app is connected now.'
        : `Of ${count(evaluated, 'connected app')} ${numberText(changed)} `
            + `${changed === 1 ? 'changes' : 'change'}.`;
}

/**
 * List of the number of users that each changed value reaches; values that reach no user come
 * first.
 *
 * @param {Preview['reach']} reach
 */
export function reachView(reach) {
    if (!reach?.values.length) return null;
    const {users, values, isComplete} = reach;
    const unreached = values.filter((value) => isUnreached(value, users));
    const others = values.filter((value) => !isUnreached(value, users));
    if (Number(users) === 0 && !unreached.length) {
        return h('p', {class: 'hint'}, 'No user is connected and there are no recent requests, so '
            + 'the number of users that each value reaches is unknown.');
    }
    /** @param {ReachValue[]} items */
    const rows = (items) => h('ul', {class: 'plain reach'}, items.map((value) => h('li', {},
        h('strong', {}, valueName(value)), ` ${sentence(value, users)}`)));
    return h('div', {class: 'stack tight'},
        unreached.length > 0 && message('warning', h('p', {},
            `${count(unreached.length, 'changed value')} ${unreached.length === 1
                ? 'reaches' : 'reach'} nobody:`), folded(unreached, rows)),
        Number(users) > 0 && others.length > 0 && unfolding(
            `Users reached by ${count(others.length, 'changed value')}`,
            () => folded(others, rows)),
        !isComplete && h('p', {class: 'hint'}, 'Not all users and values could be counted.'));
}

/**
 * Warnings about rules that probably match no user, with the probable intent.
 *
 * @param {Preview['doubts']} [doubts]
 */
export function doubtsView(doubts = []) {
    if (!doubts.length) return null;
    return message('warning',
        h('p', {}, `${count(doubts.length, 'rule')} ${doubts.length === 1
            ? 'is' : 'are'} probably true for no user:`),
        folded(doubts, (some) => h('ul', {}, some.map((doubt) => h('li', {},
            h('strong', {}, doubt.condition), ': ', h('code', {}, doubt.rule), '. ',
            doubt.message)))));
}
