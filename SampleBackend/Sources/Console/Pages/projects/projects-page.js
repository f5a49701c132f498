/**
 * Projects page: all projects with their details, which publishers can change; they also create,
 * archive and delete projects.
 */

import {badge, guarded, message, nothing, pageHead, table, timeText} from '../controls/controls.js';
import {announce, fill, focusOn, h} from '../controls/dom.js';
import {searchedRowsView} from '../controls/searched-rows.js';
import {shownAnswer} from '../controls/shown-answer.js';
import {projectAddress, setQuery} from '../routing/router.js';
import {call} from '../server/api.js';
import {refusal, serverRefusal, sessionIn} from '../server/session.js';
import {environmentBadge, shownName, swatch} from './project-details.js';
import {changeArchived, changeDetails, createProject, deleteProject} from './project-lifecycle.js';
import {changeProtection} from './protection-dialog.js';

/** Mark of a cell without a value. */
const none = () => h('span', {class: 'muted'}, '–');

/**
 * False for a project that was created, and in which nothing has been published.
 *
 * @param {Project} project
 */
const isPublished = ({versionNumber, unpublished}) => versionNumber !== '0' && !unpublished;

/** The open project that was deleted, for the page of the project that is opened instead. */
let deleted = '';

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
    const problem = h('div', {}, deleted && message('success', `Project ${deleted} was deleted.`));
    deleted = '';
    /** @type {Project[]} */
    let shown = [];
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
            if (deleted) return;
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
                async () => await changeDetails(project) && `Details of ${name} saved.`),
            !archived && button('protection', `Protection of ${name}`, 'Protection …',
                async () => await changeProtection(
                    project, sessionIn(context.session, {name})) && `Protection of ${name} saved.`),
            button('archive', archived ? `Unarchive ${name}` : `Archive ${name}`,
                archived ? 'Unarchive' : 'Archive …', async () => await changeArchived(project)
                    && (archived ? `${name} can be changed again.` : `${name} is archived.`)),
            archived && button('delete', `Delete ${name}`, 'Delete …',
                async () => {
                    if (!await deleteProject(project)) return false;
                    const other = shown.find((each) => each.name !== name);
                    if (name === context.project && other) {
                        deleted = name;
                        location.hash = projectAddress(other.name, 'projects');
                    }
                    return `Project ${name} deleted.`;
                }));
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
            `There is no project yet: create one. Publishing creates ${context.project} too.`)));
    const read = shownAnswer(place, left.signal, async (signal) => {
        shown = (await call('GET', '/v1/projects', {signal})).body.projects;
        return listOf(shown);
    });
    const create = h('button', {type: 'button', class: 'primary', 'data-focus': 'create-project',
        onclick: () => run(async () => {
            const name = await createProject();
            if (name) {
                announce(`Project ${name} created.`);
                location.hash = projectAddress(name, 'settings');
            }
            return undefined;
        }, 'create-project')}, 'Create project');
    fill(main, pageHead('Projects', 'Name, environment and colour distinguish projects in the '
        + 'console. Apps do not receive them.', guarded(serverRefusal(context.session), create)),
    problem, place);
    context.workspace.addEventListener('projectschange', () => read(), {signal: left.signal});
    read();
    return () => left.abort();
}
