/**
 * Import and export: templates from files into the draft, and defaults for apps as files.
 */

import {conditionDoubts} from '../conditions/value-doubts.js';
import {choice, field, guarded, message, pageHead} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {fileField, textOf} from '../controls/file-field.js';
import {showResult} from '../controls/focus.js';
import {PageInput} from '../controls/page-input.js';
import {parseJSON} from '../json/json-text.js';
import {projectPath} from '../server/api.js';
import {newestRequest} from '../server/newest-request.js';
import {refusal} from '../server/session.js';
import {conditions} from '../template/template.js';
import {count} from '../text/formats.js';
import {repeatedDefaults} from './repeated-defaults.js';
import {draftExport} from './draft-export.js';
import {recognition} from './import-recognition.js';
import {importedDraft} from './imported-draft.js';
import {placeList, resultView} from './import-result.js';
import {promotionCard} from './promotion-card.js';
import {convert, formatOf, formats, isTemplate, ownDoubts} from './template-transfer.js';

/** Maximum size of a file. The server has its own limit. */
const megabytes = 8;

/** Formats of files without sections, which get one. */
const sectionless = ['LAUNCHDARKLY', 'PARSE'];

/** Formats of defaults, as `[format, name, file extension]`. */
const exports = [
    ['JSON', 'JSON', 'json'], ['PLIST', 'Property list', 'plist'],
    ['XML', 'XML (Android)', 'xml'], ['ACTIVECONFIG', 'Exchange format (bootstrap)', 'json'],
];

/**
 * Card that imports a file.
 *
 * @param {PageContext} context
 * @param {AbortSignal} left
 */
function importCard({session, workspace, project}, left) {
    const refused = refusal(session, 'editor');
    const outcome = h('div', {class: 'outcome', 'aria-live': 'polite'});
    const input = new PageInput('transfer', workspace);
    const kept = input.content;
    const nextRequest = newestRequest(left);
    /** Removes the result for the form's earlier state; returns the signal for the next request. */
    const clear = () => {
        fill(outcome);
        return nextRequest();
    };
    const format = choice(formats, kept?.format ?? formats[0][0], {onchange: () => {
        clear();
        update();
    }});
    const section = h('input', {
        type: 'text', autocomplete: 'off', placeholder: 'Default', value: kept?.section ?? '',
        oninput: clear});
    const sectionField = field('Section for its settings', section);
    const text = h('textarea', {class: 'code', rows: '6', spellcheck: 'false',
        value: kept?.text ?? '', oninput: (event) => {
        clear();
        // A keystroke does not change the chosen format.
        if (['insertFromPaste', 'insertFromDrop'].includes(event.inputType)) guess();
    }});
    const file = fileField('.json,application/json', async (chosen) => {
        const signal = clear();
        try {
            const content = await textOf(chosen, megabytes);
            if (signal.aborted) return;
            text.value = content;
            guess();
            keepInput();
        } catch (error) {
            if (!signal.aborted) fill(outcome, message('error', error.message));
        }
    });
    /** Keeps what was entered until it is in the draft. */
    const keepInput = () => {
        if (!text.value && !section.value) input.forget();
        else input.keep({text: text.value, format: format.value, section: section.value});
    };
    const doubt = h('p', {class: 'hint', role: 'status'});
    const update = () => {
        sectionField.hidden = !sectionless.includes(format.value);
        doubt.textContent = '';
    };
    /** Chooses the format that the text states, else a possible one. */
    const guess = () => {
        let tree;
        let known;
        try {
            tree = parseJSON(text.value);
            known = formatOf(tree);
        } catch {
            // It is not JSON or a template yet; the button reports that.
            return;
        }
        const isUnclear = !known && isTemplate(tree);
        if (known) format.value = known;
        else if (isUnclear && sectionless.includes(format.value)) format.value = 'ACTIVECONFIG';
        update();
        if (isUnclear) doubt.textContent = 'The file does not state its format: choose one.';
    };
    /** @param {SubmitEvent} event */
    const read = async (event) => {
        event.preventDefault();
        const signal = clear();
        let tree;
        try {
            tree = parseJSON(text.value);
        } catch (error) {
            fill(outcome, message('error', text.value.trim()
                ? `This is not JSON: ${error.message}` : 'Choose a file, or paste its content.'));
            showResult(outcome);
            return;
        }
        const {text: recognized, problem} = recognition(tree, format.value);
        if (problem) {
            fill(outcome, message('error', problem));
            showResult(outcome);
            return;
        }
        try {
            const result = await convert(project, {
                format: format.value, file: tree, section: section.value.trim()}, signal);
            const draft = format.value === 'ACTIVECONFIG'
                ? await importedDraft(workspace, tree, result.template, signal) : null;
            const doubts = await conditionDoubts(
                conditions(result.template), workspace, signal);
            if (signal.aborted) return;
            const report = [...result.report, ...draft?.problems ?? [],
                ...ownDoubts(doubts, result)];
            fill(outcome, resultView(
                workspace, {...result, report, draft}, tree, recognized,
                () => input.forget()));
            showResult(outcome.querySelector('h3'));
        } catch (error) {
            if (signal.aborted) return;
            const {details = []} = error;
            fill(outcome, message('error', details.length === 0 ? error.message
                : [h('p', {}, `The file cannot be imported: ${count(details.length, 'problem')}.`),
                    placeList(details, tree)]));
            showResult(outcome);
        }
    };
    update();
    return h('section', {class: 'card', 'aria-labelledby': 'import'},
        h('div', {class: 'card-head'},
            h('h2', {id: 'import', tabindex: '-1', 'data-focus': 'import'}, 'Import')),
        h('div', {class: 'card-body'}, h('form', {
            class: 'form', oninput: keepInput, onchange: keepInput, onsubmit: read},
            field('File', file), field('Or its content', text),
            h('div', {class: 'pair'}, field('Format', format), sectionField), doubt,
            h('div', {class: 'actions'}, guarded(refused,
                h('button', {type: 'submit', class: 'primary'}, 'Read the file')))), outcome));
}

/**
 * Card with links to files of the published version, and the draft as a file.
 *
 * @param {PageContext} context
 */
function exportCard(context) {
    const {workspace, project} = context;
    const isPublished = workspace.version !== null;
    const repeated = repeatedDefaults(workspace.published);
    /**
     * @param {string} resource
     * @param {Record<string, string | number | boolean | undefined>} query
     * @param {string} file
     * @param {string} name
     */
    const link = (resource, query, file, name) => h('li', {}, h('a', {
        class: 'button', href: projectPath(project, resource, query), download: file}, name));
    return h('section', {class: 'card', 'aria-labelledby': 'export'},
        h('div', {class: 'card-head'},
            h('h2', {id: 'export', tabindex: '-1', 'data-focus': 'export'}, 'Export')),
        h('div', {class: 'card-body'}, isPublished ? [
            h('h3', {}, 'Defaults for apps'),
            h('p', {class: 'muted'}, 'The default values of the current version, '
                + `${(workspace.newestVersion ?? workspace.version)?.versionNumber}, to bundle `
                + 'with an app.'),
            repeated.length > 0 && h('p', {class: 'hint'},
                `The flat files have no sections and leave out ${repeated.join(', ')}: an earlier `
                    + 'section has a setting of the same name. The exchange format has all.'),
            h('ul', {class: 'plain downloads'}, exports.map(([format, name, extension]) => (
                link('remoteConfig:downloadDefaults', {format},
                    `${project}-defaults${format === 'ACTIVECONFIG' ? '.bootstrap' : ''}.`
                        + extension, name)))),
            h('h3', {}, 'Template'),
            h('p', {class: 'muted'}, 'All settings, conditions and values, to store or to import '
                + 'elsewhere.'),
            h('ul', {class: 'plain downloads'},
                link('remoteConfig', {}, `${project}-template.json`, 'Template'))]
            : h('p', {}, 'Nothing is published yet.'),
        h('h3', {}, 'Draft'),
        h('p', {class: 'muted'}, workspace.draft
            ? 'Your draft as a template. A publisher who imports the file and chooses “Replace '
                + 'everything in the draft” reviews and publishes the same, merged with what was '
                + 'published since.'
            : 'You have no draft.'),
        h('div', {class: 'actions'}, draftExport(context))));
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const left = new AbortController();
    let card = exportCard(context);
    fill(main, pageHead('Import and export', 'Load templates from files or other projects into '
        + 'your draft, and save the published version or your draft as files.'),
    importCard(context, left.signal), promotionCard(context, left.signal), card);
    let hadDraft = Boolean(context.workspace.draft);
    const redraw = () => {
        hadDraft = Boolean(context.workspace.draft);
        const next = exportCard(context);
        card.replaceWith(next);
        card = next;
    };
    context.workspace.addEventListener('versionchange', redraw, {signal: left.signal});
    context.workspace.addEventListener('change', () => {
        if (hadDraft !== Boolean(context.workspace.draft)) redraw();
    }, {signal: left.signal});
    return () => left.abort();
}
