/**
 * Types of values and their display names.
 */

/**
 * `[valueType, display name]` pairs, the options of a select.
 *
 * @type {Choice[]}
 */
export const valueTypes = [
    ['BOOLEAN', 'Boolean'], ['NUMBER', 'Number'], ['STRING', 'Text'], ['JSON', 'JSON'],
];

/** Display name of a type; a parameter without `valueType` is a STRING. */
export function typeName(valueType = 'STRING') {
    return valueTypes.find(([type]) => type === valueType)?.[1] ?? valueType;
}
