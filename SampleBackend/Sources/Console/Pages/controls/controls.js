/**
 * Controls and page elements that several pages share.
 */

import {dateText, exactDateText} from '../text/formats.js';
import {focusOn, h, newID} from './dom.js';

/**
 * Labels a control, with an optional hint and list of problems.
 *
 * @param {string} label Text of the label.
 * @param {HTMLElement|{input: HTMLElement, node: HTMLElement}} control The form control, which gets
 *     an ID if it has none; or with the element around it.
 * @param {{hint?: string, problems?: HTMLElement}} options Descriptions of the control, for screen
 *     readers through `aria-describedby`.
 */
export function field(label, control, {hint, problems} = {}) {
    const {input, node} = control instanceof HTMLElement
        ? {input: control, node: control} : control;
    input.id ||= newID('field');
    const hintID = `${input.id}-hint`;
    const described = [];
    if (hint) described.push(hintID);
    if (problems) {
        problems.id ||= `${input.id}-problems`;
        described.push(problems.id);
    }
    if (described.length) input.setAttribute('aria-describedby', described.join(' '));
    return h('div', {class: 'field'},
        h('label', {for: input.id}, label), node,
        hint && h('p', {class: 'hint', id: hintID}, hint), problems);
}

/**
 * Select element; `options` are `[value, text]` pairs.
 *
 * @param {Choice[]} options
 * @param {?string} [value]
 * @param {Attributes} [attributes]
 */
export function choice(options, value, attributes = {}) {
    return h('select', {...attributes, value}, options.map(([key, text]) => (
        h('option', {value: key}, text))));
}

/**
 * Message box; `kind` is `info`, `success`, `warning` or `error`. Errors have the role `alert`.
 *
 * @param {'info' | 'success' | 'warning' | 'error'} kind
 * @param {...unknown} content
 */
export function message(kind, ...content) {
    const names = {info: 'Note', success: 'Done', warning: 'Careful', error: 'Error'};
    return h('div', {class: `message ${kind}`, role: kind === 'error' ? 'alert' : null},
        h('strong', {class: 'message-kind'}, names[kind]), h('div', {}, content));
}

/**
 * Placeholder of an empty list.
 *
 * @param {string} text
 * @param {...unknown} actions
 */
export function nothing(text, ...actions) {
    return h('div', {class: 'nothing'}, h('p', {}, text), actions);
}

/**
 * Short framed label, such as a type or a state.
 *
 * @param {string} text
 * @param {string} [kind]
 */
export function badge(text, kind = '') {
    return h('span', {class: `badge ${kind}`}, text);
}

/**
 * Name of a condition, preceded by a dot in its colour.
 *
 * @param {string} name
 * @param {string} [tagColor]
 */
export function conditionChip(name, tagColor) {
    return h('span', {class: 'chip'},
        h('span', {class: `dot tag-${tagColor || 'NONE'}`, 'aria-hidden': 'true'}), name);
}

/**
 * `Section.key`, which can wrap after the dot.
 *
 * @param {string} section
 * @param {string} key
 */
export function settingName(section, key) {
    return h('code', {class: 'key'}, section, '.', h('wbr', {}), key);
}

/**
 * Sets the ARIA roles of a row and its cells, which browsers drop where CSS turns the elements into
 * blocks, and the column's heading as `data-label`, which CSS shows next to the cell.
 *
 * @param {HTMLTableRowElement} row
 * @param {string[]} headings
 */
function describeCells(row, headings) {
    row.setAttribute('role', 'row');
    [...row.cells].forEach((cell, index) => {
        cell.setAttribute('role', cell.localName === 'th' ? 'rowheader' : 'cell');
        if (headings[index]) cell.setAttribute('data-label', headings[index]);
    });
    return row;
}

/**
 * Removes the cells of columns that are empty in every row; returns the headings of the others.
 *
 * @param {string[]} headings
 * @param {HTMLTableRowElement[]} rows
 */
function withoutEmptyColumns(headings, rows) {
    if (!rows.length) return headings;
    const isUsed = headings.map((_, index) => (
        rows.some((row) => row.cells[index]?.hasChildNodes())));
    for (const row of rows) {
        [...row.cells].filter((_, index) => !isUsed[index]).forEach((cell) => cell.remove());
    }
    return headings.filter((_, index) => isUsed[index]);
}

/**
 * Table without the columns that are empty in every row; on narrow screens CSS shows each row as a
 * block. `caption` is for screen readers.
 *
 * @param {string} caption
 * @param {string[]} headings
 * @param {HTMLTableRowElement[]} rows
 */
export function table(caption, headings, rows) {
    const id = newID('table');
    const shown = withoutEmptyColumns(headings, rows);
    return h('div', {class: 'table-frame', tabindex: '0', role: 'region', 'aria-labelledby': id},
        h('table', {role: 'table'},
            h('caption', {id, class: 'visually-hidden'}, caption),
            h('thead', {role: 'rowgroup'}, h('tr', {role: 'row'}, shown.map((text) => (
                text === '' ? h('td', {role: 'cell'})
                    : h('th', {scope: 'col', role: 'columnheader'}, text))))),
            h('tbody', {role: 'rowgroup'}, rows.map((row) => describeCells(row, shown)))));
}

/**
 * Page header: heading, an optional sentence, and buttons.
 *
 * @param {string} title
 * @param {string} [text]
 * @param {...unknown} actions
 */
export function pageHead(title, text, ...actions) {
    return h('div', {class: 'page-head'},
        h('div', {}, h('h1', {tabindex: '-1'}, title), text && h('p', {class: 'lead'}, text)),
        h('div', {class: 'actions'}, actions));
}

/**
 * Disables a button if there is a refusal, and describes the button with that reason.
 *
 * A disabled button gets neither the focus nor a tap, so the element around it does, and shows the
 * reason.
 *
 * @param {?string} refusal
 * @param {HTMLButtonElement} button
 */
export function guarded(refusal, button) {
    if (!refusal) return button;
    const id = newID('reason');
    button.disabled = true;
    button.setAttribute('aria-describedby', id);
    return h('span', {class: 'guarded', role: 'group', tabindex: '0', title: refusal,
        'aria-label': button.getAttribute('aria-label') ?? button.textContent,
        'aria-describedby': id}, button,
    h('span', {id, class: 'reason visually-hidden'}, refusal));
}

/**
 * Button that loads more of a list; `read` then redraws the list with or without the button.
 * Disabled while loading; shows an error next to it.
 *
 * @param {string} label
 * @param {() => Promise<void>} read
 */
export function moreButton(label, read) {
    const problem = h('span', {role: 'alert'});
    const button = h('button', {type: 'button', 'data-focus': label, onclick: async () => {
        button.disabled = true;
        problem.textContent = '';
        try {
            await read();
        } catch (error) {
            if (error.name !== 'AbortError') problem.textContent = error.message;
        }
        button.disabled = false;
        // A disabled button loses the focus.
        if (document.activeElement === document.body) focusOn(label);
    }}, label);
    return h('div', {class: 'line'}, button, problem);
}

/**
 * Name of an administrator. The server's own token has the reserved name "environment", which would
 * be read as that of a project.
 *
 * @param {string} name
 */
export function administratorName(name) {
    return name === 'environment' ? 'Admin token' : name;
}

/**
 * Name of a version's publisher, or `unknown` if the version has none.
 *
 * @param {?Version} [version]
 * @param {string} [unknown]
 */
export function publisherName(version, unknown = 'someone') {
    const {updateUser} = version ?? {};
    return administratorName(updateUser?.name || updateUser?.email || unknown);
}

/**
 * Time in the browser's locale and time zone; the tooltip has the seconds.
 *
 * @param {string} [timestamp]
 */
export function timeText(timestamp) {
    if (!timestamp) return h('span', {class: 'muted'}, '–');
    return h('time', {datetime: timestamp, title: exactDateText(timestamp)},
        dateText(timestamp));
}
