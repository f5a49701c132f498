/**
 * Icons of the pages, drawn in lines on 20 by 20 units, in the colour of the text.
 */

import {svg} from '../controls/dom.js';

/**
 * Outlines by the path of the page.
 *
 * @type {Record<string, string>}
 */
const outlines = {
    // Three sliders.
    settings: 'M3 5h6M13 5h4M3 10h2M9 10h8M3 15h8M15 15h2M11 3.2v3.6M7 8.2v3.6M13 13.2v3.6',
    // A path that branches.
    conditions: 'M4 10h4l4-5h4M8 10l4 5h4M14 3l2.2 2L14 7M14 13l2.2 2-2.2 2',
    // A list with a check mark.
    review: 'M3 5h9M3 10h5M3 15h5M10.5 13.5l2.3 2.3 4.7-5.3',
    // A branch that joins another one.
    'change-requests': 'M5.5 6.8v6.4M5.5 6.8a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8'
        + 'M5.5 17a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8M14.5 17a1.9 1.9 0 1 0 0-3.8'
        + ' 1.9 1.9 0 0 0 0 3.8M14.5 13.2V8a3 3 0 0 0-3-3H9.5M11.5 3l-2 2 2 2',
    // A person.
    user: 'M10 9.5a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4M3.8 17c.5-3.2 3-5 6.2-5s5.7 1.8 6.2 5',
    // A pulse.
    live: 'M2.5 10.5h3.5l2.2-6 3.6 11 2.2-5h3.5',
    // Bars.
    usage: 'M3 17h14M5 17v-5M10 17V5M15 17V9',
    // A clock.
    history: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14M10 6v4.2l2.8 1.8',
    // A shield.
    audit: 'M10 2.8l6 2.2v4.5c0 3.6-2.5 6.3-6 7.7-3.5-1.4-6-4.1-6-7.7V5z'
        + 'M7.4 9.8l1.9 1.9 3.4-3.7',
    // Layers.
    projects: 'M10 3l7 3.5-7 3.5-7-3.5zM3 10.2l7 3.5 7-3.5M3 13.7l7 3.5 7-3.5',
    // Arrows down and up.
    transfer: 'M6.5 3.5v12.5M3.5 13l3 3 3-3M13.5 16.5V4M10.5 7l3-3 3 3',
    // A key.
    tokens: 'M6.8 16a3.3 3.3 0 1 0 0-6.6 3.3 3.3 0 0 0 0 6.6M9.1 10.4L16.5 3M13.3 6.2l2.6 2.6'
        + 'M11 8.5l1.6 1.6',
    // A message that leaves.
    webhooks: 'M17 3L2.8 8.3l5.7 3.2M17 3l-5.3 14.2-3.2-5.7M17 3l-8.5 8.5',
};

/**
 * Icon of a page, which screen readers skip: its title is next to it.
 *
 * @param {string} path Path of the page; a path without outlines gets an empty square.
 */
export function pageIcon(path) {
    return svg('svg', {class: 'page-icon', viewBox: '0 0 20 20', 'aria-hidden': 'true'},
        svg('path', {d: outlines[path] ?? ''}));
}
