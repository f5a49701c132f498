/**
 * Expressions of conditions as trees, in the format of the server's `conditions:parse`. The server
 * parses expressions; this module only writes them.
 */

import {call} from '../server/api.js';

/** Maximum number of expressions that the server parses in one request. */
const expressionsAtATime = 100;

/** Elements that are compared by an operator after a space, or by a method. */
const plainElements = new Set(['app.id', 'device.os', 'user.id', 'device.country',
    'device.language']);

/** Comparisons of numbers, versions and dates. */
const comparisons = new Set(['<', '<=', '==', '!=', '>=', '>']);

/**
 * Parses expressions.
 *
 * @param {string[]} expressions The texts.
 * @param {AbortSignal} [signal] Aborts the requests.
 * @returns {Promise<{tree?: ConditionTree, problem?: Problem}[]>} One of both for each.
 */
export async function parseExpressions(expressions, signal) {
    /** @type {{tree?: ConditionTree, problem?: Problem}[]} */
    const results = [];
    for (let start = 0; start < expressions.length; start += expressionsAtATime) {
        const {body} = await call('POST', '/v1/conditions:parse', {
            signal, body: {expressions: expressions.slice(start, start + expressionsAtATime)}});
        results.push(...body.conditions);
    }
    return results;
}

/**
 * A text in single quotes.
 *
 * @param {string} text
 */
function literal(text) {
    return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}

/**
 * A list of texts: `['a', 'b']`.
 *
 * @param {string[]} values
 */
function list(values) {
    return `[${values.map(literal).join(', ')}]`;
}

/**
 * Writes a rule; a rule that forms do not show keeps its text.
 *
 * @param {ConditionRule} rule
 * @returns {string}
 */
function ruleText({element, key, comparison, values, text}) {
    if (plainElements.has(element)) {
        if (comparison !== 'in' && !comparisons.has(comparison)) {
            return `${element}.${comparison}(${list(values)})`;
        }
        const value = comparison === 'in' ? list(values) : literal(values[0]);
        return `${element} ${comparison} ${value}`;
    }
    switch (element) {
    case 'app.version':
    case 'app.build':
        return `${element}.${comparison}(${list(values)})`;
    case 'app.customSignal': {
        const subject = `app.customSignal[${literal(key ?? '')}]`;
        return comparisons.has(comparison) ? `${subject} ${comparison} ${values[0]}`
            : `${subject}.${comparison}(${list(values)})`;
    }
    case 'version':
        return `version(app.customSignal[${literal(key ?? '')}]) ${comparison} `
            + literal(values[0]);
    case 'percent': {
        const subject = key ? `percent(${literal(key)})` : 'percent';
        return comparison === 'between' ? `${subject} between ${values[0]} and ${values[1]}`
            : `${subject} ${comparison} ${values[0]}`;
    }
    case 'dateTime':
        return `dateTime ${comparison} dateTime(${values.map(literal).join(', ')})`;
    default:
        return text ?? '';
    }
}

/**
 * Writes an operand, with parentheses around `&&` and `||`.
 *
 * @param {ConditionTree} tree
 * @returns {string}
 */
function operandText(tree) {
    return ['all', 'any'].includes(tree.kind) ? `(${expressionText(tree)})` : expressionText(tree);
}

/**
 * Writes a tree as an expression, which the server parses to the same tree.
 *
 * @param {ConditionTree} tree
 * @returns {string}
 */
export function expressionText(tree) {
    switch (tree.kind) {
    case 'constant': return String(tree.value);
    case 'not': {
        const [operand] = tree.operands;
        return operand.kind === 'constant' ? `!${operand.value}` : `!(${expressionText(operand)})`;
    }
    case 'all': return tree.operands.map(operandText).join(' && ');
    case 'any': return tree.operands.map(operandText).join(' || ');
    default: return ruleText(tree);
    }
}

/**
 * Visits the rules of a tree in order.
 *
 * @param {ConditionTree} tree
 * @param {(rule: ConditionRule) => void} visit
 */
export function forEachRule(tree, visit) {
    if (tree.kind === 'rule') visit(tree);
    else if ('operands' in tree) tree.operands.forEach((operand) => forEachRule(operand, visit));
}
