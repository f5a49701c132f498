/**
 * Signals and values that a project's conditions name and its clients send, for suggestions.
 */

import {entries} from '../json/json.js';
import {call, projectPath} from '../server/api.js';
import {unknownValue} from '../template/defined-values.js';
import {conditions} from '../template/template.js';
import {forEachRule, parseExpressions} from './condition-expression.js';

/** Maximum number of conditions that are read, and of suggestions for one field. */
const maximumConditions = 500;
const maximumValues = 100;

/** Elements whose values are not suggested. */
const ignored = new Set(['percent', 'dateTime', 'constant']);

/** Names of signals, and the values of each field. */
class SignalCollection {
    /**
     * Names of custom signals.
     *
     * @type {Set<string>}
     */
    keys = new Set();
    /** @type {Map<string, Set<string>>} */
    #values = new Map();

    /**
     * Adds the rules of a tree.
     *
     * @param {ConditionTree} tree
     */
    add(tree) {
        forEachRule(tree, ({element, key, comparison, values}) => {
            if (ignored.has(element)) return;
            const isSignal = ['app.customSignal', 'version'].includes(element);
            if (isSignal) this.keys.add(key ?? '');
            // A pattern is not a value.
            if (comparison === 'matches') return;
            // A value that no app is known to send stays doubtful in each condition.
            this.#add(isSignal ? `signal ${key}` : element, values.filter((value) => (
                !unknownValue({element, key: key ?? null}, value))));
        });
    }

    /**
     * Adds values that clients have sent, by the name of the signal in a query.
     * Adds values that clients have sent, by the signal's query name.
     * @param {Record<string, string[]>} signals
     */
    addSent(signals) {
        for (const [name, values] of entries(signals)) {
            const isCustom = name.startsWith('signal.');
            const key = name.slice('signal.'.length);
            if (isCustom) this.keys.add(key);
            this.#add(isCustom ? `signal ${key}` : name, values);
        }
    }

    /**
     * @param {string} place
     * @param {string[]} values
     */
    #add(place, values) {
        const known = this.#values.get(place) ?? new Set();
        for (const value of values) if (known.size < maximumValues) known.add(value);
        this.#values.set(place, known);
    }

    /**
     * Values of an element, or of a custom signal with a name.
     *
     * @param {string} element
     * @param {?string} [key]
     */
    values(element, key) {
        return [...this.#values.get(key === undefined ? element : `signal ${key}`) ?? []];
    }
}

/**
 * Trees of expressions by list of conditions; templates share the list until an edit changes it.
 */
const trees = new WeakMap();

/**
 * The trees of the expressions of a list of conditions.
 *
 * @param {Condition[]} list
 * @param {AbortSignal} [signal]
 */
async function treesOf(list, signal) {
    if (!trees.has(list)) {
        const expressions = list.flatMap(({expression}) => (
            typeof expression === 'string' ? [expression] : [])).slice(0, maximumConditions);
        trees.set(list, (await parseExpressions(expressions, signal)).map(({tree}) => tree));
    }
    return trees.get(list);
}

/**
 * Adds the signals that the clients of a project send.
 *
 * @param {SignalCollection} known
 * @param {string} project
 * @param {AbortSignal} [signal]
 */
async function addSent(known, project, signal) {
    try {
        const {body} = await call('GET', projectPath(project, 'connections', {signals: true}),
            {signal});
        known.addSent(body.signals);
    } catch {
        // Nothing to add: an unpublished project has no clients.
    }
}

/**
 * Collects signals from the conditions of a template and, with a project, from its clients.
 * Requests that fail add nothing.
 *
 * @param {Template} template
 * @param {AbortSignal} [signal]
 * @param {?string} [project]
 */
export async function knownSignals(template, signal, project = null) {
    const known = new SignalCollection();
    const sent = project === null ? null : addSent(known, project, signal);
    try {
        for (const tree of await treesOf(conditions(template), signal)) if (tree) known.add(tree);
    } catch {
        // Suggestions are optional: the form works without them.
    }
    await sent;
    return known;
}
