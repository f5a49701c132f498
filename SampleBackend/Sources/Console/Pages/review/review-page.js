/**
 * Review page: the draft's changes, the users that they affect, and publishing.
 */

import {pageHead} from '../controls/controls.js';
import {fill} from '../controls/dom.js';
import {dropQuery} from '../routing/router.js';
import {changeKey} from '../template/chosen-changes.js';
import {ReviewSession} from './review-session.js';

/**
 * Key of the setting in the address, which is to be published alone; null for none.
 *
 * @param {URLSearchParams} query
 */
function onlyChange(query) {
    const [section, key] = [query.get('section'), query.get('key')];
    if (section === null || key === null) return null;
    // The choice is made once: it can be changed, and the page be drawn again.
    dropQuery();
    return changeKey('setting', {name: '', section, key});
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const page = new ReviewSession(context, onlyChange(context.query));
    fill(main, pageHead('Review and publish',
        'What your draft changes, and for which users, before they get it.'), page.body);
    page.start();
    return () => page.end();
}
