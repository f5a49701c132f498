/**
 * Which project to open, and the page for one that does not exist.
 */

import {message} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {projectAddress} from '../routing/router.js';
import {call, projectPath} from '../server/api.js';
import {projectKey} from '../storage/stored-data.js';
import {projectText} from './project-details.js';

/** Project that can be edited without creating it; opened when there is no other. */
const defaultName = 'default';

/**
 * The projects that the session may open.
 *
 * @returns {Promise<Project[]>}
 */
export async function readProjects() {
    return (await call('GET', '/v1/projects')).body.projects;
}

/**
 * Stores the project for the next visit without a project in the address.
 *
 * @param {string} name
 */
export function rememberProject(name) {
    try {
        localStorage.setItem(projectKey, name);
    } catch {
        // The storage is full: the next visit starts with an earlier project, or the first.
    }
}

/**
 * Project to open: the wanted one, else the last used one, else `default` if it exists, else the
 * first one; `default` if there is none.
 *
 * @param {?string} wanted Project of the address.
 * @param {string[]} names Projects that exist.
 * @param {boolean} [isLimited] True if other projects do not exist for the token.
 * @returns {{name: string, isKnown: boolean}} `isKnown` is false for a project that does not exist.
 */
export function projectToOpen(wanted, names, isLimited = false) {
    const last = localStorage.getItem(projectKey);
    const first = names.includes(defaultName) ? defaultName : names[0] ?? defaultName;
    const name = wanted ?? (last !== null && names.includes(last) ? last : first);
    return {name, isKnown: names.includes(name) || (!isLimited && name === defaultName)};
}

/**
 * Paths that a page gets to open the project in the address: the projects, the template, the draft.
 *
 * @param {?string} wanted Project of the address.
 */
export function pathsToOpen(wanted) {
    const name = wanted ?? localStorage.getItem(projectKey) ?? defaultName;
    return ['/v1/projects', projectPath(name, 'remoteConfig'), projectPath(name, 'draft')];
}

/**
 * True for a name that the server accepts for a new project.
 *
 * @param {string} name
 */
export function isProjectName(name) {
    return /^[A-Za-z0-9._-]{1,100}$/.test(name) && name !== '.' && name !== '..';
}

/**
 * Content of the page for an unknown project.
 *
 * @param {Session} session The session.
 * @param {string} name Name in the address.
 * @param {Project[]} projects Projects that exist, as the server lists them.
 */
export function unknownProjectView(session, name, projects) {
    const all = session.projects || projects.some((project) => project.name === defaultName)
        ? projects : [...projects, {name: defaultName}];
    return [
        h('h1', {tabindex: '-1'}, `There is no project ${name}`),
        message('info', 'The server has no project of this name, or your token does not include '
            + 'it. Check the address, choose a project, or create one on the page Projects.'),
        h('section', {class: 'card', 'aria-labelledby': 'projects'},
            h('div', {class: 'card-head'}, h('h2', {id: 'projects'}, 'Projects')),
            h('ul', {class: 'plain link-list'}, all.map((project) => (
                h('li', {}, h('a', {href: projectAddress(project.name, 'settings')},
                    projectText(project))))))),
    ];
}
