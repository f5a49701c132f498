/**
 * Values in the expressions of conditions that no app is known to send, such as the country `us`
 * in place of `US`, and languages that are compared without a region.
 */

import {missingRegions, unknownValue} from '../template/defined-values.js';
import {forEachRule, parseExpressions} from './condition-expression.js';
import {knownSignals} from './known-signals.js';

/** Maximum number of conditions that are read. */
const maximumConditions = 500;

/**
 * Sentences about the values in a tree.
 *
 * @param {ConditionTree} tree
 * @param {?KnownSignals} [known]
 */
export function treeDoubts(tree, known = null) {
    /** @type {Set<string>} */
    const doubts = new Set();
    forEachRule(tree, ({element, key = null, comparison, values}) => {
        if (!['in', '==', '!=', 'exactlyMatches'].includes(comparison)) return;
        for (const value of values) {
            const doubt = unknownValue({element, key}, value, known);
            if (doubt) doubts.add(doubt);
        }
        const missing = element === 'device.language' && comparison === 'exactlyMatches'
            && missingRegions(values);
        if (missing) doubts.add(missing);
    });
    return [...doubts];
}

/**
 * Doubts about the values of conditions, by the name of the condition; none if the server does not
 * answer.
 *
 * @param {Condition[]} list
 * @param {Workspace} workspace Workspace whose conditions and apps name values.
 * @param {AbortSignal} [signal]
 * @returns {Promise<{condition: string, doubts: string[]}[]>}
 */
export async function conditionDoubts(list, workspace, signal) {
    const written = list.filter(({expression}) => typeof expression === 'string')
        .slice(0, maximumConditions);
    if (!written.length) return [];
    try {
        const [known, parsed] = await Promise.all([
            knownSignals(workspace.template, signal, workspace.project),
            parseExpressions(written.map(({expression}) => expression ?? ''), signal)]);
        return parsed.map(({tree}, index) => (
            {condition: written[index].name, doubts: tree ? treeDoubts(tree, known) : []}))
            .filter(({doubts}) => doubts.length);
    } catch {
        return [];
    }
}
