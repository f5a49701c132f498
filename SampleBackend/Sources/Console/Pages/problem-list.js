/**
 * The place below a control where its problems are shown.
 */

import {fill, h} from './dom.js';
import {sentence} from './validation.js';

/**
 * Makes a place for problems.
 *
 * @returns {{node: HTMLElement, show: function(object[], ?HTMLElement): void}} `show` replaces the
 *     problems and marks the control.
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
