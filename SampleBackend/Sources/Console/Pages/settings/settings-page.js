/**
 * Settings page.
 */

import {guarded, message, pageHead} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {shownName} from '../projects/project-details.js';
import {refusal} from '../server/session.js';
import {openSectionDialog} from './section-dialog.js';
import {prepareSearch, settingsOf} from './setting-index.js';
import {SettingList} from './setting-list.js';

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const {workspace} = context;
    const refused = refusal(context.session, 'editor');
    const list = new SettingList(context);
    fill(main,
        pageHead('Settings', `The values that the apps of ${shownName(context.details)} get.`,
            guarded(refused, h('button', {type: 'button', 'data-focus': 'add-section',
                onclick: () => openSectionDialog(context, null)}, 'Add section'))),
        refused && h('p', {class: 'muted'}, context.session.isReadOnly ? refused
            : `Your role is ${context.session.role}: you can see all values, but change none.`),
        list.filters.node, list.node);
    list.draw();
    list.loadHistories();
    const preparation = setTimeout(() => prepareSearch(workspace.template), 100);
    const path = context.query.get('at');
    if (path) {
        // Runs after the frame has focused the heading of the page.
        requestAnimationFrame(() => {
            if (list.reveal(path) || !list.node.isConnected) return;
            list.node.before(message('warning', settingsOf(workspace.template)
                .some((setting) => setting.path === path)
                ? 'The filter hides the linked setting.'
                : 'The linked setting was renamed, moved or deleted.'));
        });
    }
    const state = () => [workspace.template, workspace.baseTemplate, Boolean(workspace.draft)];
    let shown = state();
    const draw = () => {
        const now = state();
        // The end of a save changes nothing here: open menus and the focus stay.
        if (now.some((part, index) => part !== shown[index])) list.draw();
        shown = now;
        list.loadHistories();
    };
    workspace.addEventListener('change', draw);
    return () => {
        clearTimeout(preparation);
        workspace.removeEventListener('change', draw);
        list.end();
    };
}
