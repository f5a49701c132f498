/**
 * What apps receive, and conditions compare, of a number with more digits than their numbers hold.
 *
 * Documents contain integers with all digits, and all other numbers as the nearest 64-bit
 * floating-point number. Apps read integers beyond 64 bits as floating-point numbers, too.
 */

import {parseJSON} from '../json/json-text.js';
import {entries, ExactNumber, isEqual, isObject, member} from '../json/json.js';
import {conditions, sections, settingAt} from './template.js';

const largestInteger = 2n ** 63n - 1n;
const smallestInteger = -(2n ** 63n);

/** Number from which apps write floating-point numbers with an exponent. */
const exponentFrom = 1e16;

/**
 * Text of a floating-point number as apps print it.
 *
 * @param {number} number
 */
function floatText(number) {
    return Math.abs(number) >= exponentFrom ? number.toExponential() : String(number);
}

/**
 * Significant digits and exponent of a decimal number, equal for equal numbers.
 *
 * @param {string} text
 */
function decimal(text) {
    const [, sign, whole = '', fraction = '', exponent = '0']
        = /^(-?)(\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
    const digits = (whole + fraction).replace(/^0+/, '');
    const significant = digits.replace(/0+$/, '');
    if (!significant) return '0';
    const scale = BigInt(exponent) - BigInt(fraction.length)
        + BigInt(digits.length - significant.length);
    return `${sign}${significant}e${scale}`;
}

/**
 * Sentence that says what apps receive of a number that loses digits, or that is no 64-bit integer;
 * null for a number that they receive as it is, and for any other text.
 *
 * @param {string} text
 */
export function digitsRemark(text) {
    const written = text.trim();
    const number = Number(written);
    if (!/^-?(\d+|\d*\.\d+)([eE][+-]?\d+)?$/.test(written) || !Number.isFinite(number)) return null;
    const isExact = decimal(String(number)) === decimal(written);
    if (!/^-?\d+$/.test(written)) {
        return isExact ? null : `Apps get ${floatText(number)}: a floating-point number has about `
            + '16 digits. Use the type Text to keep all of them.';
    }
    const integer = BigInt(written);
    if (integer > largestInteger || integer < smallestInteger) {
        return `Apps get ${floatText(number)}: it is beyond 64-bit integers, `
            + `which end at ${integer < 0n ? smallestInteger : largestInteger}. An app that reads `
            + 'an integer gets its own default. Use the type Text to keep all digits.';
    }
    return isExact ? null : `Apps that read an integer get all digits; those that read a `
        + `floating-point number, and JavaScript, get ${floatText(number)}.`;
}

/**
 * Remarks on the numbers in a JSON tree, each preceded by the number.
 *
 * @param {unknown} tree
 * @returns {string[]}
 */
function treeRemarks(tree) {
    if (typeof tree === 'number' || tree instanceof ExactNumber) {
        const remark = digitsRemark(String(tree));
        return remark ? [`${tree}: ${remark}`] : [];
    }
    if (Array.isArray(tree)) return tree.flatMap(treeRemarks);
    return isObject(tree) ? entries(tree).flatMap(([, value]) => treeRemarks(value)) : [];
}

/**
 * Remarks on the numbers of an entered value, without duplicates; none for a text that is not of
 * the type.
 *
 * @param {string} text
 * @param {string} valueType
 * @returns {string[]}
 */
export function valueRemarks(text, valueType) {
    if (valueType === 'NUMBER') {
        const remark = digitsRemark(text);
        return remark ? [remark] : [];
    }
    if (valueType !== 'JSON') return [];
    try {
        return [...new Set(treeRemarks(parseJSON(text)))];
    } catch {
        return [];
    }
}

/**
 * The number as which a condition compares one that loses digits; null for a number that is
 * compared as it is, and for any other text.
 *
 * @param {string} text
 */
function comparedNumber(text) {
    const written = text.trim().replace(/^\+/, '').replace(/\.$/, '');
    const number = Number(written);
    return !/^-?(\d+|\d*\.\d+)$/.test(written) || decimal(String(number)) === decimal(written)
        ? null : floatText(number);
}

/**
 * Sentence that says as what a condition compares a number that loses digits; null if it loses
 * none.
 *
 * @param {string} text
 */
export function comparisonRemark(text) {
    const number = comparedNumber(text);
    return number && `It is compared as ${number}: a floating-point number has about 16 digits. `
        + 'Compare it as text, by “is one of”, to keep all of them.';
}

/**
 * The same about a signal of a user, which conditions can compare as a number and as text.
 *
 * @param {string} text
 */
export function signalRemark(text) {
    const number = comparedNumber(text);
    return number && `Rules that compare numbers take it as ${number}: a floating-point number has `
        + 'about 16 digits. Rules that compare text, by “is one of”, use all of them.';
}

/**
 * Remarks on the numbers with which an expression compares, each preceded by the number.
 *
 * @param {string} expression
 * @returns {string[]}
 */
export function expressionRemarks(expression) {
    const plain = expression.replaceAll(/'(\\.|[^'\\])*('|$)/g, '\'\'');
    const remarks = [...plain.matchAll(/(?<![\w.])[-+]?(\d+\.?\d*|\.\d+)/g)].flatMap(([text]) => {
        const remark = comparisonRemark(text);
        return remark ? [`${text}: ${remark}`] : [];
    });
    return [...new Set(remarks)];
}

/**
 * Values of a parameter as `[place, value]` pairs; the place is '' for the default value.
 *
 * @param {Parameter} parameter
 * @returns {[string, ParameterValue | undefined][]}
 */
function valuesOf({defaultValue, conditionalValues}) {
    return [['', defaultValue], ...entries(conditionalValues ?? {})];
}

/**
 * @typedef {{setting: string, condition: string, remark: string}} DraftRemark `setting` is '' for a
 *     number of the condition itself, and `condition` is '' for a default value.
 */

/**
 * Remarks on the numbers of the values and the conditions that a draft adds or changes.
 *
 * @param {Template} template
 * @param {Template} base Template with which the draft began.
 * @returns {DraftRemark[]}
 */
export function draftRemarks(template, base) {
    return [...remarksOfValues(template, base), ...remarksOfConditions(template, base)];
}

/**
 * @param {Template} template
 * @param {Template} base
 * @returns {DraftRemark[]}
 */
function remarksOfConditions(template, base) {
    const before = new Map(conditions(base).map(({name, expression}) => [name, expression]));
    return conditions(template).flatMap(({name, expression = ''}) => (
        expression === before.get(name) ? []
            : expressionRemarks(expression)
                .map((remark) => ({setting: '', condition: name, remark}))));
}

/**
 * @param {Template} template
 * @param {Template} base
 * @returns {DraftRemark[]}
 */
function remarksOfValues(template, base) {
    return sections(template).flatMap(({name, settings}) => settings.flatMap(({key, parameter}) => {
        const before = settingAt(base, name, key)?.parameter;
        if (before === parameter) return [];
        const valueType = parameter.valueType ?? 'STRING';
        const isRetyped = valueType !== (before?.valueType ?? 'STRING');
        return valuesOf(parameter).flatMap(([condition, value]) => {
            const old = condition ? member(before?.conditionalValues, condition)
                : before?.defaultValue;
            if (typeof value?.value !== 'string' || (!isRetyped && isEqual(value, old))) return [];
            return valueRemarks(value.value, valueType)
                .map((remark) => ({setting: `${name}.${key}`, condition, remark}));
        });
    }));
}
