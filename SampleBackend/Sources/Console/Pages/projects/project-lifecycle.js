/**
 * Dialogs that create, change, archive and delete projects.
 */

import {choice, field, message} from '../controls/controls.js';
import {confirmRequest, dialogForm} from '../controls/dialog-form.js';
import {openDialog} from '../controls/dialog.js';
import {fill, h} from '../controls/dom.js';
import {entries} from '../json/json.js';
import {call, NoAnswerError, projectPath, remove} from '../server/api.js';
import {colors, environmentBadge, environments, shownName, swatch} from './project-details.js';
import {isProjectName} from './projects.js';

/**
 * Fields of a project's details, with a preview.
 *
 * @param {() => string} name The project's name, as it is entered.
 * @param {Partial<Project>} details Initial details.
 */
function detailFields(name, {displayName = '', environment = '', color = ''}) {
    const shown = h('input', {type: 'text', autocomplete: 'off', value: displayName,
        'data-autofocus': true});
    const chosen = choice([['', 'None'], ...environments], environment);
    const shade = choice([['', 'None'], ...colors], color);
    const preview = h('p', {class: 'project-preview', 'aria-hidden': 'true'});
    /** Details of the form; empty fields are not set. */
    const value = () => ({displayName: shown.value.trim() || null,
        environment: chosen.value || null, color: shade.value || null});
    const draw = () => {
        const project = {...value(), name: name()};
        fill(preview, swatch(project), shownName(project), ' ', environmentBadge(project));
    };
    draw();
    const fields = h('div', {class: 'stack', oninput: draw, onchange: draw},
        field('Name to show', shown, {hint: 'Optional, at most 64 characters. Addresses and the '
            + 'command line use the name of the project.'}),
        field('Environment', chosen, {
            hint: 'In production, every action that reaches users names the project first.'}),
        field('Colour', shade, {
            hint: 'Colour of the bar on every page; red in production by default.'}),
        preview);
    return {fields, value};
}

/**
 * Opens the form for a new project; resolves to its name, undefined when it was cancelled.
 *
 * @returns {Promise<string | undefined>}
 */
export function createProject() {
    const name = h('input', {type: 'text', autocomplete: 'off', required: true,
        spellcheck: 'false', autocapitalize: 'none', 'data-autofocus': true});
    const details = detailFields(() => name.value.trim(), {});
    /** Name of a project that a request without an answer may have created. */
    let unanswered = '';
    return openDialog('Create a project', (close) => dialogForm({
        fields: [
            field('Name', name, {hint: 'Letters, digits, "-", "_" and ".". It is part of '
                + 'addresses, so it cannot be changed later.'}), details.fields],
        action: 'Create the project',
        submit: async () => {
            const project = name.value.trim();
            if (!isProjectName(project)) {
                throw new Error('The name must have 1 to 100 letters, digits, "-", "_" or "."'
                    + `${project.length > 100 ? `; this one has ${project.length}` : ''}.`);
            }
            try {
                await call('POST', '/v1/projects', {body: {project, ...details.value()}});
            } catch (error) {
                const isCreated = error.status === 409 && project === unanswered;
                if (error instanceof NoAnswerError) unanswered = project;
                if (!isCreated) throw error;
            }
            return project;
        },
    }, close));
}

/**
 * Opens the form with a project's details; resolves to true when they were changed.
 *
 * @param {Project} project
 */
export async function changeDetails({name}) {
    const path = projectPath(name, 'details');
    const {body, etag} = await call('GET', path);
    const details = detailFields(() => name, body);
    return openDialog(`Details of ${name}`, (close) => dialogForm({
        fields: details.fields,
        action: 'Save the details',
        submit: async () => {
            const sent = details.value();
            try {
                await call('PATCH', path, {body: sent, ifMatch: etag});
            } catch (error) {
                if (error.status !== 412) throw error;
                // A request without an answer may have stored them.
                const {body: now} = await call('GET', path);
                if (entries(sent).every(([name, value]) => (now[name] ?? '') === (value ?? ''))) {
                    return;
                }
                throw new Error('Not saved: someone else changed them meanwhile. Open this form '
                    + 'again to see the new ones.');
            }
        },
    }, close));
}

/**
 * Archives a project after a confirmation, or ends that; false when it was cancelled.
 *
 * @param {Project} project
 */
export async function changeArchived(project) {
    const archived = !project.archived;
    const submit = () => call('PATCH', projectPath(project.name, 'details'), {body: {archived}});
    if (archived) {
        return confirmRequest({
            title: `Archive ${shownName(project)}?`, action: 'Archive the project',
            text: 'Apps get its settings as before, but nobody can change or publish anything in '
                + 'it until it is unarchived.', isDangerous: false, submit});
    }
    await submit();
    return true;
}

/**
 * Deletes an archived project after its name was typed; undefined when it was cancelled.
 *
 * @param {Project} project
 * @returns {Promise<boolean | undefined>}
 */
export function deleteProject(project) {
    const {name} = project;
    const typed = h('input', {type: 'text', autocomplete: 'off', spellcheck: 'false',
        autocapitalize: 'none', required: true, 'data-autofocus': true});
    return openDialog(`Delete ${shownName(project)}?`, (close) => dialogForm({
        fields: [
            message('warning', 'All versions, everyone’s drafts, pinned values and webhooks of ',
                h('strong', {}, name), ' are lost, and its apps get no settings any more. This '
                + 'cannot be undone. The audit trail stays.'),
            field(`Type ${name} to confirm`, typed)],
        action: 'Delete the project',
        isDangerous: true,
        submit: async () => {
            if (typed.value.trim() !== name) {
                throw new Error(`Not deleted: type ${name} to confirm.`);
            }
            await remove(`/v1/projects/${encodeURIComponent(name)}?${
                new URLSearchParams({confirm: name})}`);
            return true;
        },
    }, close));
}
