/**
 * Projects page: all projects with their details, which publishers can change; they also create,
 * archive and delete projects.
 */

import {badge, choice, field, guarded, message, nothing, pageHead, table, timeText}
    from '../controls/controls.js';
import {dialogForm, openDialog} from '../controls/dialog.js';
import {announce, fill, focusOn, h} from '../controls/dom.js';
import {searchedRowsView} from '../controls/searched-rows.js';
import {projectAddress, setQuery} from '../routing/router.js';
import {call, projectPath} from '../server/api.js';
import {newestRequest} from '../server/newest-request.js';
import {refusal, serverRefusal, sessionIn} from '../server/session.js';
import {colors, environmentBadge, environments, shownName, swatch} from './project-details.js';
import {changeArchived, createProject, deleteProject} from './project-lifecycle.js';

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
                hint: 'In production, every action that reaches users names the project first.'}),
            field('Colour', color, {hint: 'A bar above every page. Production is red without one.'}),
            preview],
        action: 'Save the details',
        submit: async () => {
            try {
                await call('PATCH', projectPath(name, 'details'), {body: entered(), ifMatch: etag});
            } catch (error) {
                if (error.status !== 412) throw error;
                throw new Error('Not saved: someone else changed them meanwhile. Open this form '
                    + 'again to see the new ones.');
            }
            return true;
        },
    }, close));
}

/** Mark of a cell without a value. */
const none = () => h('span', {class: 'muted'}, '–');

/**
 * False for a project that was created, and in which nothing has been published.
 *
 * @param {Project} project
 */
const isPublished = ({versionNumber}) => versionNumber !== '0';

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const left = new AbortController();
    const place = h('div', {class: 'stack'});
    /** @type {RowSearch} */
    const search = {text: context.query.get('find') ?? '',
        changed: () => setQuery({find: search.text.trim() || undefined})};
    const problem = h('div', {});
    /**
     * Runs a change of projects, then shows them again and focuses the element with a key.
     *
     * @param {() => Promise<string | false | undefined>} change Resolves to a sentence about what
     *     was done, or to nothing when it was cancelled.
     * @param {string} key
     */
    const run = async (change, key) => {
        fill(problem);
        try {
            const done = await change();
            if (!done) return;
            announce(done);
            await context.reloadProjects();
            await read();
            focusOn(key, main);
        } catch (error) {
            if (!left.signal.aborted) fill(problem, message('error', error.message));
        }
    };
    /**
     * @param {Project} project
     * @param {?string} refused
     */
    const actionsOf = (project, refused) => {
        const {name, archived} = project;
        /**
         * @param {string} key
         * @param {string} label
         * @param {string} text
         * @param {() => Promise<string | false | undefined>} change
         */
        const button = (key, label, text, change) => guarded(refused, h('button', {
            type: 'button', 'data-focus': `${key} ${name}`, 'aria-label': label,
            onclick: () => run(change, key === 'delete' ? 'create-project' : `${key} ${name}`),
        }, text));
        return h('div', {class: 'actions'},
            !archived && button('details', `Change the details of ${name}`, 'Change …',
                async () => await edit(project) && `Details of ${name} saved.`),
            button('archive', archived ? `Unarchive ${name}` : `Archive ${name}`,
                archived ? 'Unarchive' : 'Archive …', async () => await changeArchived(project)
                    && (archived ? `${name} can be changed again.` : `${name} is archived.`)),
            archived && button('delete', `Delete ${name}`, 'Delete …',
                async () => await deleteProject(project) && `Project ${name} deleted.`));
    };
    /** @param {Project} project */
    const row = (project) => h('tr', {},
        h('th', {scope: 'row', class: 'wide'}, h('span', {class: 'project-name'}, swatch(project),
            h('a', {href: projectAddress(project.name, 'settings')}, shownName(project))),
        project.displayName && h('div', {}, h('code', {class: 'muted'}, project.name))),
        h('td', {}, environmentBadge(project) ?? none(),
            project.archived && [' ', badge('Archived')]),
        h('td', {class: 'number'}, isPublished(project) ? project.versionNumber : none()),
        h('td', {}, isPublished(project) ? timeText(project.updateTime) : none()),
        h('td', {}, actionsOf(project, refusal(
            sessionIn(context.session, {name: project.name}), 'publisher'))));
    /** @param {Project[]} projects */
    const listOf = (projects) => (projects.length
        ? searchedRowsView(projects, {thing: 'project', search, textOf: (project) => [
            project.name, shownName(project), environmentBadge(project)?.textContent ?? '',
            project.archived ? 'archived' : ''].join('\n'),
        view: (some) => table('Projects', ['Project', 'Environment', 'Version', 'Published', ''],
            some.map(row))})
        : h('section', {class: 'card'}, nothing(
            'There is no project yet: create one, or publish something.')));
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
        + 'console. Apps do not receive them.', guarded(serverRefusal(context.session), h('button', {
        type: 'button', class: 'primary', 'data-focus': 'create-project',
        onclick: () => run(async () => {
            const name = await createProject();
            return name && `Project ${name} created.`;
        }, 'create-project')}, 'Create project'))), problem, place);
    read();
    return () => left.abort();
}
