/**
 * A list of rows in blocks of constant height, for `row-window.js`.
 */

import {h} from './dom.js';

/** Number of rows of a block. */
const blockSize = 10;

/**
 * A list of rows, in blocks.
 *
 * @template Item
 */
export class RowList {
    /**
     * Blocks of rows; visible blocks have their rows by key.
     *
     * @type {RowBlock<Item>[]}
     */
    blocks = [];

    /** @param {Attributes} attributes */
    constructor(attributes) {
        this.node = h('div', {role: 'list', ...attributes});
    }

    /**
     * Sets the items; the rows follow with the next update of the window.
     *
     * @param {Item[]} items
     */
    set(items) {
        const length = Math.ceil(items.length / blockSize);
        for (let index = 0; index < length; index += 1) {
            const block = this.blocks[index] ?? this.#added();
            const start = index * blockSize;
            const rowCount = block.items.length;
            block.items = items.slice(start, start + blockSize);
            if (block.items.length !== rowCount) {
                block.node.style.setProperty('--rows', String(block.items.length));
            }
            Object.assign(block, {start, count: items.length, isStale: true});
        }
        for (const {node} of this.blocks.splice(length)) node.remove();
    }

    /**
     * The blocks within a vertical range of the window.
     *
     * @param {number} top
     * @param {number} bottom
     */
    within(top, bottom) {
        const box = this.node.getBoundingClientRect();
        /** @type {RowBlock<Item>[]} */
        const found = [];
        if (box.height === 0 || box.bottom <= top || box.top >= bottom) return found;
        // The blocks are in order, and there can be a thousand.
        let [low, high] = [0, this.blocks.length];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.blocks[middle].node.getBoundingClientRect().bottom > top) high = middle;
            else low = middle + 1;
        }
        for (const block of this.blocks.slice(low)) {
            if (block.node.getBoundingClientRect().top >= bottom) break;
            found.push(block);
        }
        return found;
    }

    #added() {
        const node = h('div', {role: 'none', class: 'rows'});
        /** @type {RowBlock<Item>} */
        const block = {node, items: [], start: 0, count: 0, rows: new Map(), isStale: true};
        this.blocks.push(block);
        this.node.append(node);
        return block;
    }
}
