/**
 * Conditions page: the conditions by priority, highest first.
 */

import {field, guarded, message, pageHead} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {setQuery} from '../routing/router.js';
import {refusal} from '../server/session.js';
import {conditions} from '../template/template.js';
import {count} from '../text/formats.js';
import {searchWords} from '../text/search.js';
import {openConditionDialog} from './condition-dialog.js';
import {ConditionList} from './condition-list.js';

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const {workspace} = context;
    const refused = refusal(context.session, 'editor');
    const list = new ConditionList(context, !refused);
    const found = h('p', {class: 'muted', role: 'status'});
    const search = h('input', {type: 'search', value: context.query.get('find') ?? '',
        placeholder: 'Name, expression, setting', 'data-focus': 'find', oninput: () => {
            setQuery({find: search.value.trim() || undefined});
            draw();
        }});
    const draw = () => {
        const words = searchWords(search.value);
        const {shown, total} = list.draw(words);
        found.textContent = words.length ? `${count(shown, 'condition')} found`
            : count(total, 'condition');
    };
    fill(main,
        pageHead('Conditions', 'Who gets another value than the default. For each setting, the '
            + 'first condition that is true and has a value counts.',
        guarded(refused, h('button', {type: 'button', class: 'primary edits',
            'data-focus': 'add-condition', onclick: () => openConditionDialog(context, null),
        }, 'Add condition'))),
        refused && message('info', refused),
        h('div', {class: 'filters', role: 'search'}, field('Find', search), found),
        list.node);
    draw();
    const name = context.query.get('at');
    if (name !== null) {
        // Runs after the frame has focused the heading of the page.
        requestAnimationFrame(() => {
            if (list.reveal(name) || !list.node.isConnected) return;
            list.node.before(message('warning', conditions(workspace.template)
                .some((condition) => condition.name === name)
                ? 'The search hides the condition of this link.'
                : 'The condition of this link does not exist: it was renamed or deleted.'));
        });
    }
    workspace.addEventListener('change', draw);
    return () => {
        workspace.removeEventListener('change', draw);
        list.end();
    };
}
