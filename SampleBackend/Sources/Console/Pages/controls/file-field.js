/**
 * Fields for a text file, which is chosen or dropped.
 *
 * The browser's own input covers a button without being visible, so that keyboard and screen
 * readers work as everywhere.
 */

import {fill, h} from './dom.js';

/** @typedef {(file: File) => void} FileHandler */

/**
 * Text of a file.
 *
 * @param {File} file
 * @param {number} megabytes Maximum size.
 * @throws Error for a larger file.
 */
export async function textOf(file, megabytes) {
    if (file.size <= megabytes * 2 ** 20) return file.text();
    throw new Error(`${file.name} is larger than ${megabytes} MB, the maximum.`);
}

/**
 * Takes the files that are dropped on an element.
 *
 * @param {HTMLElement} node
 * @param {FileHandler} chosen
 */
export function takeDropped(node, chosen) {
    node.addEventListener('dragover', (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        node.classList.add('dropping');
    });
    node.addEventListener('dragleave', () => node.classList.remove('dropping'));
    node.addEventListener('drop', (event) => {
        node.classList.remove('dropping');
        const file = event.dataTransfer?.files[0];
        if (!file) return;
        event.preventDefault();
        chosen(file);
    });
}

/**
 * @param {string} accept Types of files, as for an input.
 * @param {FileHandler} chosen
 * @param {Attributes} [attributes]
 */
function fileInput(accept, chosen, attributes) {
    const input = h('input', {type: 'file', accept, ...attributes,
        onchange: () => input.files?.[0] && chosen(input.files[0])});
    return input;
}

/**
 * Control for `field`, with the name of the chosen file.
 *
 * @param {string} accept
 * @param {FileHandler} chosen Receives each file that is chosen or dropped.
 */
export function fileField(accept, chosen) {
    const name = h('span', {class: 'file-name'}, 'or drop one here');
    const button = h('span', {class: 'button', 'aria-hidden': 'true'}, 'Choose a file');
    /** @param {File} file */
    const take = (file) => {
        fill(name, file.name);
        button.textContent = 'Choose another file';
        chosen(file);
    };
    const input = fileInput(accept, take);
    const node = h('div', {class: 'file-field'}, button, name, input);
    takeDropped(node, take);
    return {input, node};
}

/**
 * Button that chooses a file.
 *
 * @param {string} label
 * @param {string} accept
 * @param {FileHandler} chosen
 * @param {Attributes} attributes
 */
export function fileButton(label, accept, chosen, attributes) {
    return h('span', {class: 'file-field inline'},
        h('span', {class: 'button quiet small', 'aria-hidden': 'true'}, label),
        fileInput(accept, chosen, {'aria-label': label, ...attributes}));
}
