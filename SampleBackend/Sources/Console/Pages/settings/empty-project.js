/**
 * View of an empty project: a sample, an import, and the lines of Swift for the app.
 */

import {guarded, message, nothing} from '../controls/controls.js';
import {copyButton} from '../controls/copy-button.js';
import {announce, fileAddress, fill, h} from '../controls/dom.js';
import {parseJSON} from '../json/json-text.js';
import {address} from '../routing/router.js';
import {refusal} from '../server/session.js';
import {adding} from '../transfer/template-transfer.js';

/**
 * Address of the server's documents for a project.
 *
 * @param {string} project
 */
function backendURL(project) {
    return location.origin
        + (project === 'default' ? '' : `/projects/${encodeURIComponent(project)}`);
}

/** Address in the code, in place of the server's. */
const exampleURL = 'https://config.example.com';

/**
 * Text of one of the console's files.
 *
 * @param {string} name
 */
async function fileText(name) {
    const response = await fetch(fileAddress(name));
    if (!response.ok) throw new Error(`The server answered with ${response.status}.`);
    return response.text();
}

/**
 * Card with the code of an app that reads a setting of the sample.
 *
 * @param {string} code
 */
function codeView(code) {
    return h('section', {class: 'card', 'aria-labelledby': 'app'},
        h('div', {class: 'card-head'}, h('h2', {id: 'app'}, 'In the app'),
            copyButton('Copy', () => code, {class: 'small'})),
        h('div', {class: 'card-body'}, h('pre', {tabindex: '0', 'aria-label': 'Swift'}, code),
            h('p', {class: 'hint'}, 'The key belongs to the sample. Until something is '
                + 'published, the app gets its default.')));
}

/**
 * Content of the settings page of a project without settings.
 *
 * @param {PageContext} context
 */
export function emptyProjectView(context) {
    const {session, workspace, project} = context;
    const refused = refusal(session, 'editor');
    const outcome = h('div', {'aria-live': 'polite'});
    const sample = h('button', {type: 'button', class: 'primary', onclick: async () => {
        sample.disabled = true;
        try {
            workspace.edit(adding(
                workspace.template, parseJSON(await fileText('sample-template.json'))));
            announce('Sample added to the draft.');
        } catch (error) {
            sample.disabled = false;
            fill(outcome, message('error', `Reading the sample failed. ${error.message}`));
        }
    }}, 'Start with the sample');
    const code = h('div', {});
    fileText('app-lines.swift.txt')
        .then((text) => fill(code, codeView(text.replace(exampleURL, backendURL(project)))))
        // The rest of the page works without it.
        .catch(() => fill(code));
    return [
        h('section', {class: 'card'}, nothing('There is nothing here yet. Add a section and its '
            + 'settings, or start with one of these.',
        h('div', {class: 'actions'}, guarded(refused, sample),
            h('a', {class: 'button', href: address('transfer')}, 'Import a template')), outcome)),
        code,
    ];
}
