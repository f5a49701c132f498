/**
 * Import and export: templates from files into the draft, and defaults for apps as files.
 */

import {projectPath} from './api.js';
import {ConditionChoices} from './condition-choices.js';
import {choice, count, field, guarded, message, pageHead} from './controls.js';
import {announce, fill, h} from './dom.js';
import {fileField} from './file-field.js';
import {parseJSON} from './json-text.js';
import {newestRequest} from './newest-request.js';
import {placeText} from './paths.js';
import {go} from './router.js';
import {refusal} from './session.js';
import {adding, convert, formatOf, formats, isTemplate, settingCount} from './template-transfer.js';
import {conditions} from './template.js';

/** Maximum size of a file, in bytes. The server has its own limit. */
const maximumSize = 8 << 20;

/** Maximum number of shown names that the project has already. */
const shownNames = 200;

const number = new Intl.NumberFormat();

/** Formats of defaults, as `[format, name, file extension]`. */
const exports = [
    ['JSON', 'JSON', 'json'], ['PLIST', 'Property list', 'plist'],
    ['XML', 'XML (Android)', 'xml'], ['ACTIVECONFIG', 'Exchange format (bootstrap)', 'json'],
];

/**
 * List of places in a file with messages, for reports and problems.
 *
 * @param {Problem[]} items
 * @param {any} file
 */
function placeList(items, file) {
    return h('ul', {class: 'remarks'}, items.map(({path, message: text}) => h('li', {},
        path && (placeText(path, file) ?? h('code', {class: 'path'}, path)),
        path && ': ', text)));
}

/**
 * Result of an import, with the buttons that add it to the draft.
 *
 * @param {Workspace} workspace
 * @param {{template: Template, report: Problem[]}} result
 * @param {any} file
 */
function resultView(workspace, {template, report}, file) {
    /**
     * @param {Template} result
     * @param {string} text
     */
    const keep = (result, text) => {
        workspace.edit(result);
        announce(text);
        go(workspace.draft ? 'review' : 'settings');
    };
    const {kept} = adding(workspace.template, template);
    const isEmptyNow = () => settingCount(workspace.template) === 0
        && conditions(workspace.template).length === 0;
    const isEmpty = isEmptyNow();
    const choices = new ConditionChoices(template, () => update());
    const choicesPlace = h('div', {});
    const addButton = h('button', {type: 'button', class: 'primary', onclick: () => add()},
        'Add what is new to the draft');
    const update = () => {
        addButton.disabled = !choices.isComplete(workspace.template);
        hint.hidden = !addButton.disabled;
    };
    const hint = h('p', {class: 'muted'}, 'Choose for each condition first.');
    const drawChoices = () => {
        fill(choicesPlace, choices.view(workspace.template));
        update();
    };
    const add = () => {
        // Another tab may have changed the draft since the file was read.
        if (!choices.isComplete(workspace.template)) {
            drawChoices();
            choicesPlace.querySelector('input')?.focus();
            return;
        }
        keep(adding(workspace.template, template, choices.of(workspace.template)).template,
            'New items of the file added to the draft.');
    };
    if (!isEmpty) drawChoices();
    const replace = () => {
        if (isEmpty && !isEmptyNow()) add();
        else keep(template, 'The draft now has the file’s content.');
    };
    return h('div', {class: 'stack'},
        h('h3', {tabindex: '-1'}, `The file has ${count(settingCount(template), 'setting')} and `
            + `${count(conditions(template).length, 'condition')}`),
        report.length ? [h('p', {}, 'These parts change or are dropped:'), placeList(report, file)]
            : h('p', {}, 'Everything is kept unchanged.'),
        !isEmpty && kept.length > 0 && h('details', {}, h('summary', {},
            `${count(kept.length, 'thing')} of the file ${kept.length === 1 ? 'is' : 'are'} in the `
                + 'project already'),
        h('ul', {class: 'remarks'}, kept.slice(0, shownNames).map((name) => h('li', {}, name)),
            kept.length > shownNames
                && h('li', {}, `and ${number.format(kept.length - shownNames)} more`))),
        choicesPlace, !isEmpty && hint,
        h('div', {class: 'actions'}, !isEmpty && addButton,
            h('button', {type: 'button', class: isEmpty ? 'primary' : '', onclick: replace},
                isEmpty ? 'Put it into the draft' : 'Replace everything in the draft')));
}

/**
 * Card that imports a file.
 *
 * @param {PageContext} context
 * @param {AbortSignal} left
 */
function importCard({session, workspace, project}, left) {
    const refused = refusal(session, 'editor');
    const outcome = h('div', {class: 'outcome', 'aria-live': 'polite'});
    const nextRequest = newestRequest(left);
    /** Removes the result for the form's earlier state; returns the signal for the next request. */
    const clear = () => {
        fill(outcome);
        return nextRequest();
    };
    const format = choice(formats, formats[0][0], {onchange: () => {
        clear();
        update();
    }});
    const section = h('input', {
        type: 'text', autocomplete: 'off', placeholder: 'Default', oninput: clear});
    const sectionField = field('Section for its parameters', section);
    const text = h('textarea', {class: 'code', rows: '6', spellcheck: 'false', oninput: (event) => {
        clear();
        // A keystroke does not change the chosen format.
        if (['insertFromPaste', 'insertFromDrop'].includes(event.inputType)) guess();
    }});
    const file = fileField({accept: '.json,application/json', chosen: async (chosen) => {
        const signal = clear();
        if (chosen.size > maximumSize) {
            fill(outcome, message('error', 'The file is larger than 8 MB, the maximum.'));
            return;
        }
        const content = await chosen.text();
        if (signal.aborted) return;
        text.value = content;
        guess();
    }});
    const doubt = h('p', {class: 'hint', role: 'status'});
    const update = () => {
        sectionField.hidden = format.value !== 'PARSE';
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
        else if (isUnclear && format.value === 'PARSE') format.value = 'ACTIVECONFIG';
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
            return;
        }
        try {
            const result = await convert(project, {
                format: format.value, file: tree, section: section.value.trim()}, signal);
            if (signal.aborted) return;
            fill(outcome, resultView(workspace, result, tree));
            outcome.querySelector('h3')?.focus();
        } catch (error) {
            if (signal.aborted) return;
            fill(outcome, message('error', error.message,
                error.details?.length > 0 && placeList(error.details, tree)));
        }
    };
    update();
    return h('section', {class: 'card', 'aria-labelledby': 'import'},
        h('div', {class: 'card-head'}, h('h2', {id: 'import'}, 'Import')),
        h('div', {class: 'card-body'}, h('form', {class: 'form', onsubmit: read},
            field('File', file), field('Or its content', text),
            h('div', {class: 'pair'}, field('Format', format), sectionField), doubt,
            h('div', {class: 'actions'}, guarded(refused,
                h('button', {type: 'submit', class: 'primary'}, 'Read the file')))), outcome));
}

/**
 * Card with links to files of the published version.
 *
 * @param {PageContext} context
 */
function exportCard({workspace, project}) {
    const isPublished = workspace.version !== null;
    /**
     * @param {string} resource
     * @param {Record<string, string | number | boolean | undefined>} query
     * @param {string} file
     * @param {string} name
     */
    const link = (resource, query, file, name) => h('li', {}, h('a', {
        class: 'button', href: projectPath(project, resource, query), download: file}, name));
    return h('section', {class: 'card', 'aria-labelledby': 'export'},
        h('div', {class: 'card-head'}, h('h2', {id: 'export'}, 'Export')),
        h('div', {class: 'card-body'}, isPublished ? [
            h('h3', {}, 'Defaults for apps'),
            h('p', {class: 'muted'}, 'The default values of the current version, '
                + `${(workspace.newestVersion ?? workspace.version)?.versionNumber}, to bundle `
                + 'with an app.'),
            h('ul', {class: 'plain downloads'}, exports.map(([format, name, extension]) => (
                link('remoteConfig:downloadDefaults', {format},
                    `${project}-defaults${format === 'ACTIVECONFIG' ? '.bootstrap' : ''}.`
                        + extension, name)))),
            h('h3', {}, 'Template'),
            h('p', {class: 'muted'}, 'All settings, conditions and values, to store or to import '
                + 'elsewhere.'),
            h('ul', {class: 'plain downloads'},
                link('remoteConfig', {}, `${project}-template.json`, 'Template'))]
            : h('p', {}, 'Nothing is published yet.')));
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
function show(main, context) {
    const left = new AbortController();
    let card = exportCard(context);
    fill(main, pageHead('Import and export', 'Load templates from files into your draft, and save '
        + 'the published version as files.'), importCard(context, left.signal), card);
    context.workspace.addEventListener('versionchange', () => {
        const next = exportCard(context);
        card.replaceWith(next);
        card = next;
    }, {signal: left.signal});
    return () => left.abort();
}

export const transferPage = {path: 'transfer', title: 'Import and export', show};
