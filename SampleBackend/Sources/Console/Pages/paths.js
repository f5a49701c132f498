/**
 * Paths in a template, in the syntax of the server's error details.
 */

/**
 * Path of a member: `path.Home`, or `path["My group"]` for names with characters other than ASCII
 * letters, digits and `_`. Shortens names to 256 Unicode scalars, as the server does.
 */
export function memberPath(path, name) {
    if (/^[A-Za-z0-9_]{1,256}$/.test(name)) return path ? `${path}.${name}` : name;
    const scalars = Array.from(name);
    const shown = scalars.length > 256 ? `${scalars.slice(0, 256).join('')}…` : name;
    return `${path}[${JSON.stringify(shown)}]`;
}

/** Path of a section's parameters; null is the section outside of groups. */
export function parametersPath(group) {
    return group === null
        ? 'parameters' : memberPath(memberPath('parameterGroups', group), 'parameters');
}

export function parameterPath(group, key) {
    return memberPath(parametersPath(group), key);
}

export function conditionPath(index) {
    return `conditions[${index}]`;
}

/** True if a path equals `outer` or lies below it. */
export function isWithin(path, outer) {
    return path === outer
        || (path.startsWith(outer) && ['.', '['].includes(path.charAt(outer.length)));
}
