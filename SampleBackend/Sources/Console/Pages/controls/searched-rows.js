/**
 * Long tables: a field that finds rows, and the first of them, with a button that adds more. Rows
 * of equal height have `row-window.js`.
 */

import {count} from '../text/formats.js';
import {hasWords, searchWords} from '../text/search.js';
import {field, moreButton} from './controls.js';
import {fill, h} from './dom.js';

/** Minimum number of rows for a search field. */
const searchedRows = 10;

/** Number of rows that a table has at first, and that each step adds. */
const pageSize = 100;

/**
 * Shows the first rows of a long table, with a button that adds more.
 *
 * @template Row
 * @param {HTMLElement} place
 * @param {Row[]} rows
 * @param {{things: string, view: (rows: Row[]) => HTMLElement, search: RowSearch}} options `view`
 *     returns the table of some rows.
 */
export function showRows(place, rows, {things, view, search}) {
    const {shown = pageSize} = search;
    fill(place, view(rows.slice(0, shown)), rows.length > shown && moreButton(
        `Show more ${things}`, async () => {
            search.shown = shown + pageSize;
            showRows(place, rows, {things, view, search});
        }));
}

/**
 * Table of rows, with a field that finds rows by words when there are many.
 *
 * @template Row
 * @param {Row[]} rows
 * @param {{thing: string, things?: string, textOf: (row: Row) => string,
 *     view: (rows: Row[]) => HTMLElement, search: RowSearch}} options `textOf` returns the
 *     searchable text of a row, `view` the table of some rows. `search` is updated, so that it
 *     outlasts the table.
 * @returns {HTMLElement[]}
 */
export function searchedRowsView(rows, {thing, things = `${thing}s`, textOf, view, search}) {
    const place = h('div', {class: 'stack'});
    if (rows.length < searchedRows) return [view(rows)];
    const texts = rows.map((row) => textOf(row).toLowerCase());
    const found = h('p', {class: 'muted', role: 'status'});
    const input = h('input', {type: 'search', value: search.text, autocomplete: 'off',
        'data-focus': `find ${things}`, oninput: () => {
            search.text = input.value;
            delete search.shown;
            search.changed?.();
            draw();
        }});
    const draw = () => {
        const words = searchWords(search.text);
        const list = rows.filter((_, index) => hasWords(texts[index], words));
        found.textContent = list.length === rows.length ? count(rows.length, thing, things)
            : `${count(list.length, thing, things)} of ${rows.length}`;
        showRows(place, list, {things, view, search});
    };
    draw();
    return [h('div', {class: 'filters', role: 'search', 'aria-label': `Search of ${things}`},
        field(`Find a ${thing}`, input), found), place];
}
