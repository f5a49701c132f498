/**
 * Result of reading a file, and how it comes into the draft.
 */

import {ask} from '../controls/dialog.js';
import {announce, fill, h} from '../controls/dom.js';
import {isEqual} from '../json/json.js';
import {go} from '../routing/router.js';
import {placeText} from '../template/paths.js';
import {isEmptyTemplate, removals, settingCount} from '../template/removals.js';
import {conditions} from '../template/template.js';
import {count} from '../text/formats.js';
import {commonItems, commonItemsView} from './common-items.js';
import {ConditionChoices} from './condition-choices.js';
import {importedDraftView} from './imported-draft.js';
import {adding} from './template-transfer.js';

/**
 * List of places in a file with messages, for reports and problems.
 *
 * @param {Problem[]} items
 * @param {any} file
 */
export function placeList(items, file) {
    return h('ul', {class: 'remarks'}, items.map(({path, message: text}) => h('li', {},
        path && (placeText(path, file) ?? h('code', {class: 'path'}, path)),
        path && ': ', text)));
}

/**
 * Asks before a replacement removes settings, sections or conditions of the draft.
 *
 * @param {Template} draft
 * @param {Template} replacement
 */
async function mayReplace(draft, replacement) {
    const removed = removals(draft, replacement);
    const parts = [removed.settings && count(removed.settings, 'setting'),
        removed.sections && count(removed.sections, 'section'),
        removed.conditions && count(removed.conditions, 'condition')].filter(Boolean);
    if (!parts.length) return true;
    return ask({title: 'Replace everything in the draft?',
        text: `${isEmptyTemplate(replacement)
            ? 'The file has no settings and no conditions, so the draft becomes empty'
            : 'The draft has what the file lacks'}: ${
            parts.join(', ').replace(/, ([^,]*)$/, ' and $1')} will be removed.`,
        action: 'Replace everything', isDangerous: true});
}

/**
 * Result of an import, with the buttons that add it to the draft.
 *
 * @param {Workspace} workspace
 * @param {{template: Template, report: Problem[], draft: ?ImportedDraft}} result
 * @param {any} file
 * @param {string} recognized Sentence about the recognized kind of file.
 * @param {() => void} used Called after the draft has the file's content.
 */
export function resultView(workspace, {template: given, report, draft}, file, recognized, used) {
    const template = draft?.template ?? given;
    /**
     * @param {Template} result
     * @param {string} text
     * @param {boolean} [isReplaced] True if nothing of the draft is left.
     */
    const keep = (result, text, isReplaced = false) => {
        // A merged draft may be over another version than the draft that it replaces.
        if (isReplaced && draft?.over) workspace.rebase(result, draft.over, 'import');
        else workspace.edit(result);
        if (draft?.description && (isReplaced || !workspace.draft?.template.version)) {
            workspace.describe(draft.description);
        }
        used();
        announce(text);
        go(workspace.draft ? 'review' : 'settings');
    };
    const isEmptyNow = () => isEmptyTemplate(workspace.template);
    const isEmpty = isEmptyNow();
    const choices = new ConditionChoices(template, () => update());
    const choicesPlace = h('div', {});
    const addButton = h('button', {type: 'button', class: 'primary', onclick: () => add()},
        'Add what is new to the draft');
    const added = () => adding(workspace.template, template, choices.of(workspace.template));
    const update = () => {
        const isComplete = choices.isComplete(workspace.template);
        addButton.disabled = !isComplete || isEqual(added(), workspace.template);
        hint.textContent = !isComplete ? 'Choose for each condition first.' : addButton.disabled
            ? 'Nothing in the file is new: there is nothing to add to the draft.' : '';
    };
    const hint = h('p', {class: 'muted', role: 'status'});
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
        keep(added(), 'New items of the file added to the draft.');
    };
    if (!isEmpty) drawChoices();
    const replace = async () => {
        if (isEmpty && !isEmptyNow()) add();
        else if (await mayReplace(workspace.template, template)) {
            keep(template, 'The draft now has the file’s content.', true);
        }
    };
    const isNothing = isEmptyTemplate(given);
    return h('div', {class: 'stack'},
        h('h3', {tabindex: '-1'}, `The file has ${count(settingCount(given), 'setting')} and `
            + `${count(conditions(given).length, 'condition')}`),
        h('p', {}, recognized),
        importedDraftView(draft),
        report.length ? [
            h('p', {}, 'These parts change, are dropped, or have no effect here:'),
            placeList(report, file)]
            : h('p', {}, isNothing ? 'There is nothing to add.' : 'Everything is kept unchanged.'),
        !isEmpty && commonItemsView(commonItems(workspace.template, template)),
        choicesPlace, !isEmpty && !isNothing && hint,
        h('div', {class: 'actions'}, !isEmpty && !isNothing && addButton,
            !(isEmpty && isNothing) && h('button', {
                type: 'button', class: isEmpty ? 'primary' : '', onclick: replace},
            isEmpty ? 'Put it into the draft' : 'Replace everything in the draft')));
}
