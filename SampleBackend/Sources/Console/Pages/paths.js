/**
 * Places in a template, as the server writes them in the details of an error.
 */

/** The place of a member: `Home` follows a dot, `My group` stands in brackets as JSON. */
export function memberPath(path, name) {
    if (/^[A-Za-z0-9_]{1,256}$/.test(name)) return path ? `${path}.${name}` : name;
    const scalars = Array.from(name);
    const shown = scalars.length > 256 ? `${scalars.slice(0, 256).join('')}…` : name;
    return `${path}[${JSON.stringify(shown)}]`;
}

/** The place of a section's parameters. */
export function parametersPath(group) {
    return group === null
        ? 'parameters' : memberPath(memberPath('parameterGroups', group), 'parameters');
}

/** The place of a parameter. */
export function parameterPath(group, key) {
    return memberPath(parametersPath(group), key);
}

/** The place of a condition. */
export function conditionPath(index) {
    return `conditions[${index}]`;
}

/** Whether a place is another one or in it. */
export function isWithin(path, outer) {
    return path === outer
        || (path.startsWith(outer) && ['.', '['].includes(path.charAt(outer.length)));
}
