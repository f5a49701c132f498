/**
 * Settings in a user's preview: their rows, reasons, and difference from the default.
 */

import {jsonText, parseJSON} from '../json/json-text.js';
import {entries, ExactNumber, isEqual, isObject, names} from '../json/json.js';
import {firebaseKind} from '../template/firebase-values.js';
import {settingAt} from '../template/template.js';
import {quoted} from '../text/formats.js';

/**
 * Reason for a setting's value: pin, condition or default.
 *
 * @param {Reason} reason
 * @param {Parameter} [parameter] The setting in the template; names a default value that is not
 *     evaluated.
 */
export function reasonText(
    {source, condition, falseConditions = [], unevaluatedConditions = []}, parameter) {
    const kind = firebaseKind(parameter?.defaultValue);
    const others = (falseConditions.length ? `, since ${quoted(falseConditions)} `
        + `${falseConditions.length === 1 ? 'is' : 'are'} false` : '')
        + (unevaluatedConditions.length ? `; ${quoted(unevaluatedConditions)} would apply, but a `
            + 'value of its kind is not evaluated' : '');
    switch (source) {
    case 'ARCHIVED': return 'Archived: nobody gets it';
    case 'OVERRIDE': return 'Pinned for this user';
    case 'CONDITION': return `Condition “${condition}” is true${others}`;
    default: return `Default value${kind ? `, a Firebase ${kind} that is not evaluated` : ''}`
        + others;
    }
}

/** Placeholder for the user's ID in a text. */
const userIDPlaceholder = '${user.id}';

/**
 * Number in a text that the server accepts but that need not be JSON, such as `.5` and `007`.
 *
 * @param {string} text
 */
function numberOf(text) {
    return String(Number(text)) === text ? Number(text) : new ExactNumber(text);
}

/**
 * Default value of a setting as JSON, for a user; undefined when it has none, or an invalid one.
 *
 * @param {Template} template
 * @param {string} section
 * @param {string} key
 * @param {?string} userID
 * @returns {unknown}
 */
export function defaultOf(template, section, key, userID = null) {
    const {defaultValue, valueType = 'STRING'} = settingAt(template, section, key)?.parameter ?? {};
    const text = defaultValue?.value;
    if (typeof text !== 'string') return undefined;
    if (valueType === 'STRING') return text.replaceAll(userIDPlaceholder, () => userID ?? '');
    if (valueType === 'NUMBER') return numberOf(text);
    try {
        return parseJSON(valueType === 'BOOLEAN' ? text.toLowerCase() : text);
    } catch {
        return undefined;
    }
}

/**
 * True for texts of equal numbers: a document has 1.1 for 1.10, and integers of any size.
 *
 * @param {string} left
 * @param {string} right
 */
function isSameNumber(left, right) {
    return [left, right].every((text) => /^-?\d+$/.test(text)) ? BigInt(left) === BigInt(right)
        : Number(left) === Number(right);
}

/**
 * True if two values are equal in a document, which has its own number format.
 *
 * @param {unknown} left
 * @param {unknown} right
 * @returns {boolean}
 */
export function isSameValue(left, right) {
    /** @param {unknown} tree */
    const isNumber = (tree) => typeof tree === 'number' || tree instanceof ExactNumber;
    if (isNumber(left) && isNumber(right)) return isSameNumber(String(left), String(right));
    if (Array.isArray(left) && Array.isArray(right)) {
        return left.length === right.length
            && left.every((item, index) => isSameValue(item, right[index]));
    }
    if (!isObject(left) || !isObject(right)) return isEqual(left, right);
    return names(left).length === names(right).length && names(left).every((name) => (
        Object.hasOwn(right, name) && isSameValue(left[name], right[name])));
}

/**
 * True unless a setting's value is the template's default for the user.
 *
 * @param {Template} template
 * @param {string} section
 * @param {string} key
 * @param {Reason | undefined} reason
 * @param {?string} [userID]
 */
export function isDifferent(template, section, key, reason, userID = null) {
    if (!reason || ['DEFAULT', 'ARCHIVED'].includes(reason.source)) return false;
    const value = defaultOf(template, section, key, userID);
    return value === undefined || reason.value === undefined || !isSameValue(value, reason.value);
}

/**
 * Settings of one or two responses as `{section, key, now, draft}`.
 *
 * @param {PreviewedUser | undefined} now
 * @param {PreviewedUser | undefined} draft
 * @returns {SettingComparison[]}
 */
export function rowsOf(now, draft) {
    /** @type {Map<string, SettingComparison>} */
    const rows = new Map();
    const add = (/** @type {'now' | 'draft'} */ side, /** @type {PreviewedUser=} */ answer) => {
        for (const [section, reasons] of entries(answer?.settings ?? {})) {
            for (const [key, reason] of entries(reasons)) {
                const name = `${section}.${key}`;
                const row = rows.get(name) ?? {section, key};
                row[side] = reason;
                rows.set(name, row);
            }
        }
    };
    add('now', now);
    add('draft', draft);
    return [...rows.values()];
}

/**
 * Searchable text of a row.
 *
 * @param {SettingComparison} settingComparison
 */
export function rowText({section, key, now, draft}) {
    return [`${section}.${key}`, ...[now, draft].flatMap((reason) => (
        reason ? [jsonText(reason.value ?? null), reasonText(reason)] : []))]
        .join('\n').toLowerCase();
}
