/**
 * List of problems below a control.
 */

import {fill, h} from './dom.js';
import {sentence} from './validation.js';

/**
 * Creates an empty list.
 *
 * @returns {{node: HTMLElement, show: (problems: Problem[], control?: HTMLElement) => void}} `show`
 *     replaces the problems, and sets or clears `aria-invalid` of the control.
 */
export function problemList() {
    const node = h('ul', {class: 'plain problems', 'aria-live': 'polite'});
    return {
        node,
        show: (problems, control) => {
            fill(node, problems.map((problem) => h('li', {},
                h('span', {}, sentence(problem)),
                problem.path && h('code', {class: 'path'}, problem.path))));
            if (!control) return;
            if (problems.length) control.setAttribute('aria-invalid', 'true');
            else control.removeAttribute('aria-invalid');
        },
    };
}
