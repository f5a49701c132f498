/**
 * Small parts that many pages are made of.
 */

import {h, newID} from './dom.js';

/**
 * A labelled control with an optional hint and a place for problems.
 *
 * @param {string} label The label.
 * @param {HTMLElement} control The control; it gets an identifier.
 * @param {{hint?: string, problems?: HTMLElement}} options More text, connected with the control.
 */
export function field(label, control, {hint, problems} = {}) {
    control.id ||= newID('field');
    const hintID = `${control.id}-hint`;
    const described = [];
    if (hint) described.push(hintID);
    if (problems) {
        problems.id ||= `${control.id}-problems`;
        described.push(problems.id);
    }
    if (described.length) control.setAttribute('aria-describedby', described.join(' '));
    return h('div', {class: 'field'},
        h('label', {for: control.id}, label), control,
        hint && h('p', {class: 'hint', id: hintID}, hint), problems);
}

/** A select of pairs of value and text. */
export function choice(options, value, attributes = {}) {
    return h('select', {...attributes, value}, options.map(([key, text]) => (
        h('option', {value: key}, text))));
}

/** A message in a box: `info`, `success`, `warning` or `error`. */
export function message(kind, ...content) {
    const names = {info: 'Note', success: 'Done', warning: 'Careful', error: 'Error'};
    return h('div', {class: `message ${kind}`, role: kind === 'error' ? 'alert' : null},
        h('strong', {class: 'message-kind'}, names[kind]), h('div', {}, content));
}

/** What stands where there is nothing to list. */
export function nothing(text, ...actions) {
    return h('div', {class: 'nothing'}, h('p', {}, text), actions);
}

/** A short word in a frame, such as a type or a state. */
export function badge(text, kind = '') {
    return h('span', {class: `badge ${kind}`}, text);
}

/** A condition's name with its colour. */
export function conditionChip(name, tagColor) {
    return h('span', {class: 'chip'},
        h('span', {class: `dot tag-${tagColor || 'NONE'}`, 'aria-hidden': 'true'}), name);
}

/** The name of a setting, which may break behind its section. */
export function settingName(section, key) {
    return h('code', {class: 'key'}, section, '.', h('wbr', {}), key);
}

/** Says what a cell is also where the style makes a block of it, and what its column is called. */
function describeCells(row, headings) {
    row.setAttribute('role', 'row');
    [...row.cells].forEach((cell, index) => {
        cell.setAttribute('role', cell.localName === 'th' ? 'rowheader' : 'cell');
        if (headings[index]) cell.setAttribute('data-label', headings[index]);
    });
    return row;
}

/** A table; on a narrow page every row is a block. */
export function table(caption, headings, rows) {
    const id = newID('table');
    return h('div', {class: 'table-frame', tabindex: '0', role: 'region', 'aria-labelledby': id},
        h('table', {role: 'table'},
            h('caption', {id, class: 'visually-hidden'}, caption),
            h('thead', {role: 'rowgroup'}, h('tr', {role: 'row'}, headings.map((text) => (
                text === '' ? h('td', {role: 'cell'})
                    : h('th', {scope: 'col', role: 'columnheader'}, text))))),
            h('tbody', {role: 'rowgroup'}, rows.map((row) => describeCells(row, headings)))));
}

/** The head of a page: its heading, a sentence, and what one can do. */
export function pageHead(title, text, ...actions) {
    return h('div', {class: 'page-head'},
        h('div', {}, h('h1', {tabindex: '-1'}, title), text && h('p', {class: 'lead'}, text)),
        h('div', {class: 'actions'}, actions));
}

/** A button that a session may not always use: then it is disabled and says why. */
export function guarded(refusal, button) {
    if (!refusal) return button;
    const id = newID('reason');
    button.disabled = true;
    button.setAttribute('aria-describedby', id);
    button.setAttribute('title', refusal);
    return h('span', {class: 'guarded'}, button,
        h('span', {id, class: 'visually-hidden'}, refusal));
}

/** A time as people read it, in their own time zone, with the exact one behind it. */
export function timeText(timestamp) {
    if (!timestamp) return h('span', {class: 'muted'}, '–');
    const date = new Date(timestamp);
    const text = new Intl.DateTimeFormat(
        undefined, {dateStyle: 'medium', timeStyle: 'short'}).format(date);
    return h('time', {datetime: timestamp, title: timestamp}, text);
}

/** "1 setting", "3 settings". */
export function count(number, thing, things = `${thing}s`) {
    return `${new Intl.NumberFormat().format(number)} ${number === 1 ? thing : things}`;
}
