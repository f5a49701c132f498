/**
 * Projects page: all projects with their details, which publishers can change.
 */

import {call, projectPath} from './api.js';
import {choice, field, guarded, message, nothing, pageHead, table, timeText} from './controls.js';
import {dialogForm, openDialog} from './dialog.js';
import {announce, fill, focusOn, h} from './dom.js';
import {newestRequest} from './newest-request.js';
import {colors, environmentBadge, environments, shownName, swatch} from './project-details.js';
import {projectAddress} from './router.js';
import {refusal} from './session.js';

/**
 * Opens the form with a project's details; resolves true when they were changed.
 *
 * @param {Project} project
 */
async function edit({name}) {
    const {body, etag} = await call('GET', projectPath(name, 'details'));
    const displayName = h('input', {type: 'text', autocomplete: 'off',
        value: body.displayName ?? '', 'data-autofocus': true});
    const environment = choice([['', 'None'], ...environments], body.environment ?? '');
    const color = choice([['', 'None'], ...colors], body.color ?? '');
    const preview = h('p', {class: 'project-preview', 'aria-hidden': 'true'});
    /** Details of the form; empty fields are not set. */
    const entered = () => ({displayName: displayName.value.trim() || null,
        environment: environment.value || null, color: color.value || null});
    const draw = () => {
        const project = {...entered(), name};
        fill(preview, swatch(project), shownName(project), ' ', environmentBadge(project));
    };
    draw();
    displayName.addEventListener('input', draw);
    for (const control of [environment, color]) control.addEventListener('change', draw);
    return openDialog(`Details of ${name}`, (close) => dialogForm({
        fields: [
            field('Name to show', displayName, {
                hint: `At most 64 characters. Addresses and the command line still use ${name}.`}),
            field('Environment', environment, {
                hint: 'In production, publishing shows an additional notice.'}),
            field('Colour', color, {hint: 'A bar above every page. Production is red without one.'}),
            preview],
        action: 'Save the details',
        submit: async () => {
            try {
                await call('PUT', projectPath(name, 'details'), {body: entered(), ifMatch: etag});
            } catch (error) {
                if (error.status !== 412) throw error;
                throw new Error('Not saved: someone else changed them meanwhile. Open this form '
                    + 'again to see the new ones.');
            }
            return true;
        },
    }, close));
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const left = new AbortController();
    const refused = refusal(context.session, 'publisher');
    const place = h('div', {});
    const problem = h('div', {});
    /** @param {Project} project */
    const change = async (project) => {
        fill(problem);
        try {
            if (!await edit(project)) return;
            announce(`Details of ${project.name} saved.`);
            await context.reloadProjects();
            await read();
            focusOn(`details ${project.name}`, main);
        } catch (error) {
            if (!left.signal.aborted) fill(problem, message('error', error.message));
        }
    };
    /** @param {Project} project */
    const row = (project) => h('tr', {},
        h('th', {scope: 'row', class: 'wide'}, h('span', {class: 'project-name'}, swatch(project),
            h('a', {href: projectAddress(project.name, 'settings')}, shownName(project))),
        project.displayName && h('div', {}, h('code', {class: 'muted'}, project.name))),
        h('td', {}, environmentBadge(project) ?? h('span', {class: 'muted'}, '–')),
        h('td', {class: 'number'}, project.versionNumber),
        h('td', {}, timeText(project.updateTime)),
        h('td', {}, h('div', {class: 'actions'}, guarded(refused, h('button', {
            type: 'button', 'data-focus': `details ${project.name}`,
            'aria-label': `Change the details of ${project.name}`,
            onclick: () => change(project)}, 'Change …')))));
    /** @param {Project[]} projects */
    const listOf = (projects) => (projects.length
        ? table('Projects', ['Project', 'Environment', 'Version', 'Published', ''],
            projects.map(row))
        : h('section', {class: 'card'}, nothing(
            'Nothing is published yet: a project is listed after its first publish.')));
    const nextRequest = newestRequest(left.signal);
    const read = async () => {
        const signal = nextRequest();
        try {
            const {body} = await call('GET', '/v1/projects', {signal});
            if (!signal.aborted) fill(place, listOf(body.projects));
        } catch (error) {
            if (!signal.aborted) fill(place, message('error', error.message));
        }
    };
    fill(main, pageHead('Projects', 'Name, environment and colour distinguish projects in the '
        + 'console. Apps do not receive them.'), problem, place);
    read();
    return () => left.abort();
}
