/**
 * Import and export: templates from files into the draft, and defaults for apps as files.
 */

import {choice, count, field, guarded, message, pageHead} from '../controls/controls.js';
import {ask} from '../controls/dialog.js';
import {announce, fill, h} from '../controls/dom.js';
import {fileField} from '../controls/file-field.js';
import {PageInput} from '../controls/page-input.js';
import {parseJSON} from '../json/json-text.js';
import {go} from '../routing/router.js';
import {projectPath} from '../server/api.js';
import {newestRequest} from '../server/newest-request.js';
import {refusal} from '../server/session.js';
import {placeText} from '../template/paths.js';
import {conditions} from '../template/template.js';
import {ConditionChoices} from './condition-choices.js';
import {recognition, removals} from './import-recognition.js';
import {adding, convert, formatOf, formats, isTemplate, settingCount} from './template-transfer.js';

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
 * Asks before a replacement removes settings or conditions of the draft.
 *
 * @param {Template} draft
 * @param {Template} replacement
 */
async function mayReplace(draft, replacement) {
    const removed = removals(draft, replacement);
    const parts = [removed.settings && count(removed.settings, 'setting'),
        removed.conditions && count(removed.conditions, 'condition')].filter(Boolean);
    if (!parts.length) return true;
    const isEmpty = settingCount(replacement) === 0 && conditions(replacement).length === 0;
    return ask({title: 'Replace everything in the draft?',
        text: `${isEmpty ? 'The file has no settings and no conditions, so the draft becomes empty'
            : 'The draft has what the file lacks'}: ${parts.join(' and ')} will be removed.`,
        action: 'Replace everything', isDangerous: true});
}

/**
 * Result of an import, with the buttons that add it to the draft.
 *
 * @param {Workspace} workspace
 * @param {{template: Template, report: Problem[]}} result
 * @param {any} file
 * @param {string} recognized Sentence about the recognized kind of file.
 * @param {() => void} used Called after the draft has the file's content.
 */
function resultView(workspace, {template, report}, file, recognized, used) {
    /**
     * @param {Template} result
     * @param {string} text
     */
    const keep = (result, text) => {
        workspace.edit(result);
        used();
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
    const replace = async () => {
        if (isEmpty && !isEmptyNow()) add();
        else if (await mayReplace(workspace.template, template)) {
            keep(template, 'The draft now has the file’s content.');
        }
    };
    const isNothing = settingCount(template) === 0 && conditions(template).length === 0;
    return h('div', {class: 'stack'},
        h('h3', {tabindex: '-1'}, `The file has ${count(settingCount(template), 'setting')} and `
            + `${count(conditions(template).length, 'condition')}`),
        h('p', {}, recognized),
        report.length ? [
            h('p', {}, 'These parts change, are dropped, or have no effect here:'),
            placeList(report, file)]
            : h('p', {}, isNothing ? 'There is nothing to add.' : 'Everything is kept unchanged.'),
        !isEmpty && kept.length > 0 && h('details', {}, h('summary', {},
            `${count(kept.length, 'thing')} of the file ${kept.length === 1 ? 'is' : 'are'} in the `
                + 'project already'),
        h('ul', {class: 'remarks'}, kept.slice(0, shownNames).map((name) => h('li', {}, name)),
            kept.length > shownNames
                && h('li', {}, `and ${number.format(kept.length - shownNames)} more`))),
        choicesPlace, !isEmpty && hint,
        h('div', {class: 'actions'}, !isEmpty && !isNothing && addButton,
            !(isEmpty && isNothing) && h('button', {
                type: 'button', class: isEmpty ? 'primary' : '', onclick: replace},
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
    const sectionField = field('Section for its parameters', section);
    const text = h('textarea', {class: 'code', rows: '6', spellcheck: 'false',
        value: kept?.text ?? '', oninput: (event) => {
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
        keepInput();
    }});
    /** Keeps what was entered until it is in the draft. */
    const keepInput = () => {
        if (!text.value && !section.value) input.forget();
        else input.keep({text: text.value, format: format.value, section: section.value});
    };
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
        const {text: recognized, problem} = recognition(tree, format.value);
        if (problem) {
            fill(outcome, message('error', problem));
            return;
        }
        try {
            const result = await convert(project, {
                format: format.value, file: tree, section: section.value.trim()}, signal);
            if (signal.aborted) return;
            fill(outcome, resultView(workspace, result, tree, recognized, () => input.forget()));
            outcome.querySelector('h3')?.focus();
        } catch (error) {
            if (signal.aborted) return;
            const {details = []} = error;
            fill(outcome, message('error', details.length === 0 ? error.message
                : [h('p', {}, `The file cannot be imported: ${count(details.length, 'problem')}.`),
                    placeList(details, tree)]));
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
        h('div', {class: 'card-head'},
            h('h2', {id: 'export', tabindex: '-1', 'data-focus': 'export'}, 'Export')),
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
export function show(main, context) {
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
