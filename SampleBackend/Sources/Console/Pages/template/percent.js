/**
 * Finds and replaces the numbers of `percent` rules in an expression, for the sliders.
 */

// Not the beginning of `2,5` or `1e1`: a slider would change only that part.
const number = String.raw`(\d+(?:\.\d*)?)(?![\w.,])`;
const rule = new RegExp(
    String.raw`(?<![\w.])percent(?:\(\s*'(_*)'\s*\))?\s*`
    + String.raw`(?:(<=|>)\s*${number}|between\s+${number}\s+and\s+${number})`, 'dg');

/**
 * Sentence about a typed percentage that no rule can have; null for others. A comma is neither
 * dropped nor read as a point: `2,5` could become 25, and `1,000` could become 1.
 *
 * @param {string} text
 */
export function percentProblem(text) {
    const plain = text.trim();
    if (/^\d*,\d+$/.test(plain)) {
        return `Write the number with a point: ${plain.replace(',', '.')}.`;
    }
    return /^(?:\d+\.?\d*|\.\d+)$/.test(plain) && Number(plain) <= 100 ? null
        : 'Enter a number from 0 to 100.';
}

/**
 * Replaces quoted text by underscores of the same length, so that `rule` cannot match in it.
 *
 * @param {string} expression
 */
function masked(expression) {
    return expression.replace(/'((?:\\.|[^'\\])*)'/g,
        (_, /** @type {string} */ content) => `'${'_'.repeat(content.length)}'`);
}

/**
 * Finds the numbers of `percent` rules.
 *
 * @param {string} expression The expression.
 * @returns {{label: string, value: number, start: number, end: number}[]} The numbers, each with a
 *     label and its range in the text.
 */
export function percentNumbers(expression) {
    const numbers = [];
    for (const match of masked(expression).matchAll(rule)) {
        const [, , operator] = match;
        const ranges = match.indices ?? [];
        const of = ranges[1] ? ` of “${expression.slice(...ranges[1])}”` : '';
        /** @type {[group: number, label: string][]} */
        const labels = [
            [3, operator === '>' ? `Users above this percentage${of}`
                : `Users up to this percentage${of}`],
            [4, `Users above this percentage${of}`],
            [5, `Users up to this percentage${of}`],
        ];
        for (const [group, label] of labels) {
            if (match[group] === undefined) continue;
            const [start, end] = ranges[group];
            numbers.push({label, value: Number(match[group]), start, end});
        }
    }
    return numbers;
}

/**
 * Replaces the number in a range of the expression. Clamps the value to 0–100, and rounds it to six
 * decimals, the precision of percentiles.
 *
 * @param {string} expression
 * @param {{start: number, end: number}} range
 * @param {number} value
 */
export function withPercentNumber(expression, {start, end}, value) {
    const bounded = Math.min(100, Math.max(0, value));
    const text = String(Number(bounded.toFixed(6)));
    return expression.slice(0, start) + text + expression.slice(end);
}

/**
 * The percentage up to which an expression is true for users, which a rollout can raise; null
 * unless it has exactly one rule on `percent`, with such a bound. The server decides again.
 *
 * @param {string} expression
 */
export function rolloutBound(expression) {
    const rules = [...masked(expression).matchAll(rule)];
    const [, , operator, single, , upper] = rules[0] ?? [];
    return rules.length !== 1 || operator === '>' ? null : Number(upper ?? single);
}
