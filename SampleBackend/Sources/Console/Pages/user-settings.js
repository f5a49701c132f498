/**
 * Settings that a preview answers for a user: their rows, reasons, and difference from the default.
 */

import {entries, isEqual} from './json.js';
import {jsonText, parseJSON} from './json-text.js';
import {settingAt} from './template.js';

/** Reason for a setting's value: override, condition or default. */
export function reasonText({source, condition, falseConditions = []}) {
    const others = falseConditions.length
        ? `, since ${falseConditions.map((name) => `“${name}”`).join(', ')} `
            + `${falseConditions.length === 1 ? 'is' : 'are'} false` : '';
    switch (source) {
    case 'OVERRIDE': return 'Pinned for this user';
    case 'CONDITION': return `Condition “${condition}” is true${others}`;
    default: return `Default value${others}`;
    }
}

/** Default value of a setting as JSON; undefined when it has none, or is no value of its type. */
export function defaultOf(template, section, key) {
    const {defaultValue, valueType = 'STRING'} = settingAt(template, section, key)?.parameter ?? {};
    const text = defaultValue?.value;
    if (typeof text !== 'string') return undefined;
    try {
        return valueType === 'STRING' ? text
            : parseJSON(valueType === 'BOOLEAN' ? text.toLowerCase() : text);
    } catch {
        return undefined;
    }
}

/** True unless a setting's value is the default of the template. */
export function isDifferent(template, section, key, reason) {
    if (!reason || reason.source === 'DEFAULT') return false;
    const value = defaultOf(template, section, key);
    return value === undefined || reason.value === undefined || !isEqual(value, reason.value);
}

/** Settings of one or two answers as `{section, key, now, draft}`. */
export function rowsOf(now, draft) {
    const rows = new Map();
    for (const [side, answer] of [['now', now], ['draft', draft]]) {
        for (const [section, reasons] of entries(answer?.settings ?? {})) {
            for (const [key, reason] of entries(reasons)) {
                const name = `${section}.${key}`;
                if (!rows.has(name)) rows.set(name, {section, key});
                rows.get(name)[side] = reason;
            }
        }
    }
    return [...rows.values()];
}

/** Words that a search finds in a row. */
export function rowText({section, key, now, draft}) {
    return [`${section}.${key}`, ...[now, draft].filter(Boolean)
        .flatMap((reason) => [jsonText(reason.value ?? null), reasonText(reason)])]
        .join('\n').toLowerCase();
}
