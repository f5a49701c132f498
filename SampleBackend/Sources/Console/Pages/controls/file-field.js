/**
 * Field for one file: a button, the name of the chosen file, and a place to drop one.
 *
 * The browser's own input covers the place without being visible, so that keyboard, screen readers
 * and dropping work as everywhere.
 */

import {h} from './dom.js';

/**
 * Control for `field`.
 *
 * @param {{accept?: string, chosen: (file: File) => void}} options `accept` are the types of files
 *     as for an input. `chosen` receives the file each time that one is chosen or dropped.
 */
export function fileField({accept, chosen}) {
    const name = h('span', {class: 'file-name'}, 'or drop one here');
    const input = h('input', {type: 'file', accept, onchange: () => {
        node.classList.remove('dropping');
        const [file] = input.files ?? [];
        name.textContent = file ? file.name : 'or drop one here';
        button.textContent = file ? 'Choose another file' : 'Choose a file';
        if (file) chosen(file);
    }});
    const button = h('span', {class: 'button', 'aria-hidden': 'true'}, 'Choose a file');
    const node = h('div', {class: 'file-field',
        ondragenter: () => node.classList.add('dropping'),
        ondragleave: () => node.classList.remove('dropping'),
        ondrop: () => node.classList.remove('dropping'),
    }, button, name, input);
    return {input, node};
}
