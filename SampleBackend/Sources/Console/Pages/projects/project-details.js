/**
 * The details that distinguish projects: display name, environment, colour, and archived.
 *
 * A project has the form of `GET /v1/projects`: `{name, displayName, environment, color, …}`.
 */

import {badge, message} from '../controls/controls.js';
import {h} from '../controls/dom.js';

/**
 * Environments as `[value, word]` pairs.
 *
 * @type {Choice[]}
 */
export const environments = [
    ['PRODUCTION', 'Production'], ['STAGING', 'Staging'], ['DEVELOPMENT', 'Development']];

/**
 * Colours as `[value, word]` pairs; `projects.css` has their shades.
 *
 * @type {Choice[]}
 */
export const colors = [
    ['RED', 'Red'], ['ORANGE', 'Orange'], ['GREEN', 'Green'], ['TEAL', 'Teal'], ['BLUE', 'Blue'],
    ['PURPLE', 'Purple'], ['PINK', 'Pink'], ['GRAY', 'Gray']];

/**
 * @param {Choice[]} pairs
 * @param {?string} [value]
 */
const wordOf = (pairs, value) => pairs.find(([known]) => known === value)?.[1];

/**
 * The displayed name.
 *
 * @param {Project} project
 */
export function shownName({name, displayName}) {
    return displayName ?? name;
}

/**
 * Displayed name, the project's own name if it differs, the environment, and "archived".
 *
 * @param {Project} project
 */
export function projectText(project) {
    const {name, displayName, environment, archived} = project;
    const word = wordOf(environments, environment);
    return (displayName && displayName !== name ? `${displayName} (${name})` : name)
        + (word ? `, ${word}` : '') + (archived ? ', archived' : '');
}

/**
 * Colour of a project; production without a colour is red. Undefined means none.
 *
 * @param {Pick<Project, 'color' | 'environment'>} project
 */
export function colorOf({color, environment}) {
    return color ?? (environment === 'PRODUCTION' ? 'RED' : undefined);
}

/** @param {Pick<Project, 'environment'>} project */
export function isProduction({environment}) {
    return environment === 'PRODUCTION';
}

/**
 * True if two states of a project look the same to users.
 *
 * @param {Project} left
 * @param {Project} right
 */
export function hasSameMarks(left, right) {
    return left.name === right.name && left.displayName === right.displayName
        && left.environment === right.environment && left.color === right.color
        && Boolean(left.archived) === Boolean(right.archived)
        && Boolean(left.unpublished) === Boolean(right.unpublished);
}

/**
 * True if an open project must be opened anew: it was deleted, also if another one has its name
 * since, or archiving changed what its page allows.
 *
 * @param {?Project} before As it was listed before; null if it did not exist.
 * @param {Project | undefined} now
 */
export function mustOpenAnew(before, now) {
    if (!before) return false;
    if (!now || Boolean(before.archived) !== Boolean(now.archived)) return true;
    // Version numbers are never used again.
    return Boolean(now.unpublished) && Number(now.versionNumber) > Number(before.versionNumber);
}

/**
 * Badge with the environment, in the project's colour; null without one.
 *
 * @param {Project} project
 */
export function environmentBadge(project) {
    const word = wordOf(environments, project.environment);
    if (!word) return null;
    const element = badge(word, 'environment');
    element.dataset.color = colorOf(project) ?? 'GRAY';
    return element;
}

/**
 * Swatch of the project's colour, purely visual.
 *
 * @param {Project} project
 */
export function swatch(project) {
    const color = colorOf(project);
    return color && h('span', {class: 'swatch', 'data-color': color, 'aria-hidden': 'true'});
}

/**
 * Message before an action that reaches the users of a production project; null for other projects.
 *
 * @param {Project} project The project.
 * @param {string} text What happens, as the start of a sentence: "This publishes to".
 * @param {string} reach Who gets it, as the end of the sentence.
 */
export function productionNotice(project, text, reach = 'its users get it immediately') {
    if (!isProduction(project)) return null;
    const notice = message('warning', h('p', {}, `${text} `, h('strong', {}, shownName(project)),
        `, which is production: ${reach}.`));
    notice.classList.add('production');
    return notice;
}
