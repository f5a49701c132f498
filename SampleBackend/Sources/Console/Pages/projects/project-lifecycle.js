/**
 * Dialogs that create, archive and delete projects.
 */

import {choice, field, message} from '../controls/controls.js';
import {ask, dialogForm, openDialog} from '../controls/dialog.js';
import {h} from '../controls/dom.js';
import {call, projectPath} from '../server/api.js';
import {colors, environments, shownName} from './project-details.js';
import {isProjectName} from './projects.js';

/**
 * Opens the form for a new project; resolves to its name, undefined when it was cancelled.
 *
 * @returns {Promise<string | undefined>}
 */
export function createProject() {
    const name = h('input', {type: 'text', maxlength: '100', autocomplete: 'off', required: true,
        spellcheck: 'false', autocapitalize: 'none', 'data-autofocus': true});
    const displayName = h('input', {type: 'text', autocomplete: 'off'});
    const environment = choice([['', 'None'], ...environments], '');
    const color = choice([['', 'None'], ...colors], '');
    return openDialog('Create a project', (close) => dialogForm({
        fields: [
            field('Name', name, {hint: 'Letters, digits, "-", "_" and ".". It is part of '
                + 'addresses, so it cannot be changed later.'}),
            field('Name to show', displayName, {hint: 'Optional; it can be changed.'}),
            field('Environment', environment), field('Colour', color)],
        action: 'Create the project',
        submit: async () => {
            const project = name.value.trim();
            if (!isProjectName(project)) {
                throw new Error('The name must have 1 to 100 letters, digits, "-", "_" or ".".');
            }
            await call('POST', '/v1/projects', {body: {
                project, displayName: displayName.value.trim() || null,
                environment: environment.value || null, color: color.value || null}});
            return project;
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
    if (archived && !await ask({
        title: `Archive ${shownName(project)}?`, action: 'Archive the project',
        text: 'Apps get its settings as before, but nobody can change or publish anything in it '
            + 'until it is unarchived.'})) return false;
    await call('PATCH', projectPath(project.name, 'details'), {body: {archived}});
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
            message('warning', 'All versions, drafts of everybody, pinned values and webhooks of ',
                h('strong', {}, name), ' are lost, and its apps get no settings any more. This '
                + 'cannot be undone. The audit trail stays.'),
            field(`Type ${name} to confirm`, typed)],
        action: 'Delete the project',
        isDangerous: true,
        submit: async () => {
            if (typed.value.trim() !== name) {
                throw new Error(`Not deleted: type ${name} to confirm.`);
            }
            await call('DELETE', `/v1/projects/${encodeURIComponent(name)}?${
                new URLSearchParams({confirm: name})}`);
            return true;
        },
    }, close));
}
