/**
 * A user's configuration: true conditions, settings with their reasons, and the document.
 */

import {badge, conditionChip, field, settingName, table} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {folded} from '../controls/folded.js';
import {searchedRowsView, showRows} from '../controls/searched-rows.js';
import {jsonText} from '../json/json-text.js';
import {isEqual} from '../json/json.js';
import {conditions, settingAt} from '../template/template.js';
import {count} from '../text/formats.js';
import {hasWords, searchWords} from '../text/search.js';
import {isDifferent, reasonText, rowsOf, rowText} from './user-settings.js';

/**
 * Cell of a value; `reason` is undefined if the template lacks the setting.
 *
 * @param {Reason | undefined} reason
 */
function valueCell(reason) {
    if (!reason) return h('span', {class: 'muted'}, 'No such setting');
    return reason.value === undefined
        ? h('span', {class: 'muted'}, 'Omitted: the app uses its own default')
        : h('code', {class: 'value'}, jsonText(reason.value));
}

/**
 * Percentile of a user for a seed, which decides `percent` rules.
 *
 * @param {{seed: string, percentile: string}} place
 */
function percentileText({seed, percentile}) {
    return h('div', {class: 'muted'}, `The user's percentile${seed ? ` for “${seed}”` : ''} is `
        + `${percentile} of 100.`);
}

/** Number of true conditions that are not folded. */
const unfoldedConditions = 50;

/**
 * Table of a user's conditions, with a search field when there are many.
 *
 * @param {ConditionResult[]} results
 * @param {RowSearch} search
 */
function conditionsView(results, search) {
    return searchedRowsView(results, {thing: 'condition', view: conditionsTable, search,
        textOf: ({name, result, failedRule = '', reason = ''}) => (
            [name, result, failedRule, reason].join('\n'))});
}

/** @param {ConditionResult[]} results */
function conditionsTable(results) {
    return table('Conditions of the user', ['Condition', 'Result', 'Why'],
        results.map(({name, result, failedRule, reason, percentiles = []}) => h('tr', {},
            h('th', {scope: 'row'}, name),
            h('td', {}, badge(result ? 'True' : 'False', result ? 'good' : '')),
            h('td', {class: 'wide'}, failedRule && h('div', {}, h('code', {}, failedRule)),
                reason && h('div', {class: 'muted'}, `${reason}.`),
                // The reason of a rule that is false because of its percentile includes the
                // percentile.
                !reason && percentiles.map(percentileText)))));
}

/**
 * Names of the true conditions in a response, as chips.
 *
 * @param {Template} template
 * @param {PreviewedUser} previewedUser
 */
function trueConditions(template, {conditions: results = []}) {
    const colors = new Map(conditions(template).map(({name, tagColor}) => [name, tagColor]));
    const names = results.filter(({result}) => result).map(({name}) => name);
    /** @param {string} name */
    const chip = (name) => h('li', {}, conditionChip(name, colors.get(name)));
    return names.length
        ? folded(names, (some) => h('ul', {class: 'plain chips'}, some.map(chip)),
            unfoldedConditions)
        : h('p', {class: 'muted'}, 'No condition is true for this user.');
}

/**
 * Version or draft on which a preview is based.
 *
 * @param {?DraftPreview} draft
 * @param {?Preview} now
 */
function basis(draft, now) {
    if (!draft) return `Version ${now?.versionNumber}`;
    return draft.isMerged ? `Draft, merged with version ${draft.versionNumber}` : 'Draft';
}

/**
 * Creates the view.
 *
 * @param {{workspace: Workspace, now: ?Preview, draft: ?DraftPreview, filter: UserFilter,
 *     template?: Template}} options `now` and `draft` are responses of `:preview` for one user, at
 *     least one of them. `filter` has the filters of the settings and the conditions. `template` is
 *     that of `now`, by default the published one.
 * @returns {HTMLElement[]}
 */
export function userView({workspace, now, draft, filter, template: then}) {
    const [ofNow] = now?.users ?? [];
    const [ofDraft] = draft?.users ?? [];
    const shown = ofDraft ?? ofNow;
    const template = draft ? workspace.template : then ?? workspace.published;
    const isBoth = Boolean(now && draft);
    const rows = rowsOf(ofNow, ofDraft);
    const place = h('div', {class: 'stack'});
    const found = h('p', {class: 'muted', role: 'status'});
    /** @param {SettingComparison} row */
    const isChanged = (row) => isBoth && (!row.now || !row.draft
        || !isEqual(row.now.value ?? null, row.draft.value ?? null)
        || (row.now.value === undefined) !== (row.draft.value === undefined));

    /** @param {SettingComparison} row */
    const reasonOf = (row) => {
        const reason = draft ? row.draft ?? row.now : row.now;
        return reason && reasonText(reason, settingAt(template, row.section, row.key)?.parameter);
    };
    const draw = () => {
        const words = searchWords(filter.text);
        const list = rows.filter((row) => {
            const text = words.length ? rowText(row) : '';
            return hasWords(text, words) && (!filter.isDifferentOnly
                || isDifferent(template, row.section, row.key, draft ? row.draft : row.now,
                    shown.userID)
                || isChanged(row));
        });
        found.textContent = list.length === rows.length ? count(rows.length, 'setting')
            : `${count(list.length, 'setting')} of ${rows.length}`;
        showRows(place, list, {things: 'settings', search: filter, view: (some) => table(
            'Settings of the user', ['Setting', ...(isBoth ? ['Now', 'Draft'] : ['Value']), 'Why'],
            some.map((row) => h('tr', {class: isChanged(row) ? 'is-changed' : null},
                h('th', {scope: 'row'}, settingName(row.section, row.key),
                    isChanged(row) && badge('Changes', 'changed')),
                isBoth && h('td', {}, valueCell(row.now)),
                h('td', {}, valueCell(draft ? row.draft : row.now)),
                h('td', {class: 'wide'}, reasonOf(row)))))});
    };
    const search = h('input', {type: 'search', value: filter.text, oninput: () => {
        filter.text = search.value;
        delete filter.shown;
        draw();
    }});
    const only = h('input', {type: 'checkbox', checked: filter.isDifferentOnly, onchange: () => {
        filter.isDifferentOnly = only.checked;
        delete filter.shown;
        draw();
    }});
    draw();
    return [
        h('section', {class: 'stack tight', 'aria-labelledby': 'true-conditions'},
            h('h3', {id: 'true-conditions'}, 'True conditions'), trueConditions(template, shown)),
        h('div', {class: 'page-head'}, h('h3', {}, 'Settings ', badge(basis(draft, now)))),
        h('div', {class: 'filters', role: 'search', 'aria-label': 'Settings'},
            field('Find a setting', search),
            h('label', {class: 'check'}, only, ' Only what differs from the default'), found),
        place,
        h('h3', {}, 'Conditions'), ...conditionsView(shown.conditions ?? [], filter),
        h('details', {class: 'card document'}, h('summary', {}, 'The document as JSON'),
            h('pre', {tabindex: '0'}, jsonText((draft ? shown.proposed : shown.current) ?? null,
                '  '))),
    ];
}
