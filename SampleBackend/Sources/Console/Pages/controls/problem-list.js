/**
 * List of problems below a control.
 */

import {sentence} from '../server/validation.js';
import {placeText} from '../template/paths.js';
import {fill, h} from './dom.js';

/**
 * The place of a problem before its sentence; its path outside of settings, sections and
 * conditions.
 *
 * @param {Problem} problem
 * @param {Template} [template] The template, which has the names of conditions.
 */
export function placed({path}, template) {
    const place = path && (placeText(path, template) ?? path);
    return place ? `In ${place}: ` : '';
}

/**
 * Creates an empty list.
 *
 * @returns {{node: HTMLElement, show: (problems: Problem[], control?: HTMLElement) => void}} `show`
 *     replaces the problems, and sets or clears `aria-invalid` of the control. Without a control,
 *     each problem says where it is.
 */
export function problemList() {
    const node = h('ul', {class: 'plain problems', 'aria-live': 'polite'});
    return {
        node,
        show: (problems, control) => {
            fill(node, problems.map((problem) => h('li', {},
                control ? '' : placed(problem), sentence(problem))));
            if (!control) return;
            if (problems.length) control.setAttribute('aria-invalid', 'true');
            else control.removeAttribute('aria-invalid');
        },
    };
}
