/**
 * Fields, comparisons and values of the condition builder.
 */

import {percentProblem} from '../template/percent.js';

/** @type {Choice[]} */
const is = [['in', 'is one of'], ['==', 'is'], ['!=', 'is not']];
/** @type {Choice[]} */
const texts = [
    ['exactlyMatches', 'is one of'], ['contains', 'contains one of'],
    ['notContains', 'contains none of'], ['matches', 'matches a pattern of'],
];
/** @type {Choice[]} */
const versions = [
    ['>=', 'is this version or later'], ['<', 'is before'], ['<=', 'is this version or earlier'],
    ['>', 'is after'], ['==', 'is'], ['!=', 'is not'],
];
/** @type {Choice[]} */
const ofSignal = [
    ...texts,
    ['==', 'is the number'], ['!=', 'is not the number'], ['>=', 'is at least the number'],
    ['<=', 'is at most the number'], ['>', 'is more than'], ['<', 'is less than'],
    ...versions.map(([comparison, label]) => /** @type {Choice} */ (
        [`version ${comparison}`, `as a version ${label}`])),
];

/**
 * Fields as `{element, label, noun, comparisons, initial, example}`: `noun` names a value of it, a
 * comparison is a pair of operator and words, `initial` has the key and values of a new rule, and
 * `example` is shown in an empty field.
 * Operators of the form `version …` belong to the element `version`.
 *
 * @type {{element: string, label: string, noun: string, nouns?: string, comparisons: Choice[],
 *     initial: {key?: string, values: string[]}, example?: string}[]}
 */
export const fields = [
    {element: 'percent', label: 'Share of users', noun: 'percentage', initial: {values: ['10']},
        comparisons: [
        ['<=', 'up to, in percent'], ['>', 'above, in percent'],
        ['between', 'between, in percent']]},
    {element: 'device.country', label: 'Country', noun: 'country', nouns: 'countries',
        initial: {values: []}, comparisons: [['in', 'is one of']]},
    {element: 'device.language', label: 'Language', noun: 'language', initial: {values: []},
        comparisons: [['in', 'is one of'], ['exactlyMatches', 'is exactly one of'],
            ...texts.slice(1)]},
    {element: 'device.os', label: 'System', noun: 'system', initial: {values: []}, comparisons: is},
    {element: 'app.version', label: 'App version', noun: 'version', initial: {values: ['']},
        example: '2.0',
        comparisons: [...versions, ...texts]},
    {element: 'app.build', label: 'App build', noun: 'build', initial: {values: ['']},
        example: '120', comparisons: [...versions, ...texts]},
    {element: 'app.id', label: 'App ID', noun: 'app ID', initial: {values: []}, comparisons: is},
    {element: 'user.id', label: 'User ID', noun: 'user ID', initial: {values: []}, comparisons: is},
    {element: 'app.customSignal', label: 'Custom signal', noun: 'value',
        initial: {key: '', values: []}, comparisons: ofSignal},
    {element: 'dateTime', label: 'Time', noun: 'time', initial: {values: []}, comparisons: [
        ['>=', 'from'], ['<', 'before'], ['>', 'after'], ['<=', 'until']]},
    {element: 'constant', label: 'Everybody or nobody', noun: 'value', initial: {values: ['true']},
        comparisons: [['is', 'is']]},
];

/**
 * Field of a rule; undefined for a rule that the builder shows as text.
 *
 * @param {{element: string}} rule
 */
export function fieldOf({element}) {
    return fields.find((field) => field.element === (
        element === 'version' ? 'app.customSignal' : element));
}

/**
 * Operator of a rule among the comparisons of its field.
 *
 * @param {{element: string, comparison: string}} rule
 */
export function operatorOf({element, comparison}) {
    return element === 'version' ? `version ${comparison}` : comparison;
}

/**
 * True if an operator takes a list of texts; other operators take one or two values.
 *
 * @param {string} element
 * @param {string} operator
 */
export function takesList(element, operator) {
    return operator === 'in' || texts.some(([method]) => method === operator);
}

/**
 * Sentence that names the missing value of a rule, its missing name of a signal, or a percentage
 * that is not a number; null for a complete rule.
 *
 * @param {RuleView} rule
 */
export function missingValue(rule) {
    const field = fieldOf(rule);
    if (!field) return null;
    if (isValueMissing(rule)) {
        return takesList(rule.element, operatorOf(rule)) ? `Choose at least one ${field.noun}.`
            : `Enter the ${field.noun}.`;
    }
    if (rule.element === 'percent') {
        return rule.values.map(percentProblem).find((problem) => problem) ?? null;
    }
    return rule.key === '' ? 'Enter the name of the signal.' : null;
}

/**
 * Seed of a new rollout: the name of its condition in the characters of a seed, so that two
 * rollouts begin with different users; null for a name without any.
 *
 * @param {string} name
 */
export function seedOf(name) {
    return name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
        .replace(/[^a-z0-9_.]+/g, '-').slice(0, 32).replace(/^-|-$/g, '') || null;
}

/** @param {RuleView} rule */
function isValueMissing(rule) {
    const {element, values, isEmptyMeant} = rule;
    if (isEmptyMeant) return false;
    if (takesList(element, operatorOf(rule))) return !values.length;
    // The second value of a time is its zone, which is optional.
    return (element === 'percent' ? values : [values[0] ?? '']).includes('');
}

/**
 * Sets the field of a rule to the field's first comparison and initial values.
 *
 * @param {RuleView} rule
 * @param {string} element
 * @param {?string} seed Seed of a percentage.
 */
export function setField(rule, element, seed = null) {
    const field = fields.find((candidate) => candidate.element === element);
    if (!field) return;
    const {key = element === 'percent' ? seed : null, values} = field.initial;
    Object.assign(rule, {element, key, comparison: field.comparisons[0][0], values: [...values],
        isEmptyMeant: false, typed: '', lacksSeed: element === 'percent' && key === null});
}

/**
 * Sets the operator of a rule, and keeps the values that the operator can take.
 *
 * @param {RuleView} rule
 * @param {string} operator
 */
export function setOperator(rule, operator) {
    const field = fieldOf(rule);
    if (!field) return;
    const {element} = field;
    const isVersion = operator.startsWith('version ');
    rule.element = isVersion ? 'version' : element;
    rule.comparison = isVersion ? operator.slice('version '.length) : operator;
    rule.isEmptyMeant = false;
    if (operator === 'between') rule.values = [rule.values[0] ?? '0', rule.values[1] ?? '100'];
    else if (takesList(element, operator)) {
        // A value that was never entered.
        if (rule.values.length === 1 && rule.values[0] === '') rule.values = [];
    } else if (element !== 'dateTime') rule.values = [rule.values[0] ?? ''];
}
