/**
 * What the command palette offers: pages, actions, projects, settings and conditions.
 */

import {shownName} from '../projects/project-details.js';
import {currentRoute, projectAddress} from '../routing/router.js';
import {settingsOf} from '../settings/setting-index.js';
import {conditions} from '../template/template.js';
import {projectActions} from './palette-actions.js';
import {openItem, visit} from './palette-visit.js';

/**
 * @param {PageContext} context
 * @param {Pick<Page, 'path' | 'title'>[]} pages
 * @returns {PaletteEntry[]}
 */
function pageEntries(context, pages) {
    return pages.map(({path, title}) => ({id: `page ${path}`, kind: 'Page', title,
        words: 'go to open', run: () => visit(context, path)}));
}

/**
 * @param {PageContext} context
 * @returns {PaletteEntry[]}
 */
function settingEntries(context) {
    return settingsOf(context.workspace.template).map(({name, path, parameter}) => ({
        id: `setting ${path}`, kind: 'Setting', title: name, detail: parameter.description,
        run: () => openItem(context, 'settings', path, `edit ${name}`)}));
}

/**
 * @param {PageContext} context
 * @returns {PaletteEntry[]}
 */
function conditionEntries(context) {
    return conditions(context.workspace.template).map(({name, expression}) => ({
        id: `condition ${name}`, kind: 'Condition', title: name, detail: expression,
        run: () => openItem(context, 'conditions', name, `open ${name}`)}));
}

/**
 * @param {Project[]} projects
 * @param {?string} open Name of the open project.
 * @returns {PaletteEntry[]}
 */
function projectEntries(projects, open) {
    return projects.filter(({name}) => name !== open).map((project) => ({
        id: `project ${project.name}`, kind: 'Project', title: shownName(project),
        detail: 'Switch to this project', words: `open change ${project.name}`,
        run: () => {
            location.hash = projectAddress(project.name, open === null ? 'settings'
                : currentRoute().path);
        }}));
}

/**
 * All entries.
 *
 * @param {?PageContext} context Null while no project is open.
 * @param {Pick<Page, 'path' | 'title'>[]} pages Pages to offer in an open project.
 * @param {Project[]} projects Projects that can be chosen.
 * @param {() => Promise<void>} signOut
 * @returns {PaletteEntry[]}
 */
export function paletteEntries(context, pages, projects, signOut) {
    return [
        ...(context ? [...pageEntries(context, pages), ...projectActions(context)] : []),
        {id: 'action sign-out', kind: 'Action', title: 'Sign out', words: 'log out end session',
            run: signOut},
        ...projectEntries(projects, context?.project ?? null),
        ...(context ? [...settingEntries(context), ...conditionEntries(context)] : []),
    ];
}
