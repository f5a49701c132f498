/**
 * The types of values, and what people call them.
 */

/** The types as pairs of the template's word and the people's. */
export const valueTypes = [
    ['BOOLEAN', 'Boolean'], ['NUMBER', 'Number'], ['STRING', 'Text'], ['JSON', 'JSON'],
];

/** The name of a type; a parameter without one is a text. */
export function typeName(valueType = 'STRING') {
    return valueTypes.find(([type]) => type === valueType)?.[1] ?? valueType;
}
