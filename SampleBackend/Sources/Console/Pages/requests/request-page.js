/**
 * Page of a change request: what it changes, its votes and comments, and what the user may do.
 */

import {message, pageHead} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {address} from '../routing/router.js';
import {RequestVisit} from './request-visit.js';

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const id = context.query.get('id');
    if (!id) {
        fill(main, pageHead('Change request'), message('info', 'The address names no request. ',
            h('a', {href: address('change-requests')}, 'See all change requests')));
        return () => {};
    }
    const visit = new RequestVisit(main, context, id);
    visit.start();
    return () => visit.end();
}
