/**
 * The part of the token form that limits a token to projects.
 */

import {choice, field} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {failedReading} from '../controls/shown-answer.js';
import {member, withMember} from '../json/json.js';
import {projectText} from '../projects/project-details.js';
import {call} from '../server/api.js';
import {capitalized} from '../text/formats.js';

/** @type {Choice[]} */
const scopes = [['all', 'All projects'], ['some', 'Only some projects']];

/** @type {Choice[]} */
const access = [
    ['', 'No access'], ['evaluator', 'Evaluator'], ['viewer', 'Viewer'], ['editor', 'Editor'],
    ['publisher', 'Publisher']];

/**
 * Text for the role of a token: the role, or those by project.
 *
 * @param {Pick<Token, 'role' | 'projects'>} token
 */
export function roleText({role, projects}) {
    if (!projects) return capitalized(role);
    return Object.entries(projects).map(([name, own]) => `${capitalized(own)} in ${name}`)
        .join(', ');
}

/**
 * Roles by project with a role in one of them; "" gives no access.
 *
 * @param {Record<string, string>} roles
 * @param {string} project
 * @param {string} role
 */
export function withRole(roles, project, role) {
    return withMember(roles, project, role || undefined);
}

/**
 * Role in a project; "" for no access.
 *
 * @param {Record<string, string>} roles
 * @param {string} project
 */
export function roleIn(roles, project) {
    return member(roles, project) ?? '';
}

/**
 * Fields for the projects of a new token.
 *
 * @param {HTMLElement} roleField Field of the role in all projects, hidden while the token is
 *     limited.
 * @param {?Record<string, string>} kept Roles by project of an unfinished form; null means all.
 */
export function tokenProjects(roleField, kept) {
    const scope = choice(scopes, kept ? 'some' : 'all');
    const list = h('div', {class: 'stack', role: 'group', 'aria-label': 'Role in each project'});
    let roles = kept ?? {};
    const draw = async () => {
        const isLimited = scope.value === 'some';
        roleField.hidden = isLimited;
        list.hidden = !isLimited;
        if (!isLimited || list.querySelector('select')) return;
        try {
            /** @type {Project[]} */
            const projects = (await call('GET', '/v1/projects')).body.projects;
            fill(list, projects.map((project) => {
                const control = choice(access, roleIn(roles, project.name), {onchange: () => {
                    roles = withRole(roles, project.name, control.value);
                }});
                return field(projectText(project), control);
            }));
        } catch (error) {
            fill(list, failedReading(error, new AbortController().signal, draw));
        }
    };
    scope.addEventListener('change', draw);
    draw();
    return {
        nodes: [field('Access to', scope), roleField, list],
        /** Roles by project; null for all projects. */
        get value() {
            return scope.value === 'some' ? roles : null;
        },
    };
}
