/**
 * The project chooser in the header, and the marks of the open project.
 */

import {badge, choice} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {colorOf, environmentBadge, projectText} from './project-details.js';

/**
 * Content of the header's project area.
 *
 * @param {Project[]} projects Projects that can be chosen.
 * @param {?Project} current The open project, which is listed even if it is not published; null for
 *     none.
 * @param {function(string): void} choose Called with the name of the chosen one.
 */
export function projectChooser(projects, current, choose) {
    /** @type {Choice[]} */
    const options = projects.map((project) => [project.name, projectText(project)]);
    if (current && !projects.some(({name}) => name === current.name)) {
        options.push([current.name, `${projectText(current)}, not created yet`]);
    }
    const select = choice(current ? options : [['', 'Choose'], ...options], current?.name ?? '', {
        'aria-label': 'Project', 'data-focus': 'project',
        onchange: () => select.value && choose(select.value)});
    return [h('span', {class: 'muted', 'aria-hidden': 'true'}, 'Project'), select,
        current && environmentBadge(current), current?.archived && badge('Archived')];
}

/**
 * Marks the header with the colour of the open project; null means none.
 *
 * @param {HTMLElement} header
 * @param {?Project} current
 */
export function markHeader(header, current) {
    const color = current ? colorOf(current) : undefined;
    if (color) header.dataset.color = color;
    else delete header.dataset.color;
}
