/**
 * Rows of equal height; only those near the window are in the document.
 *
 * Rows are grouped in blocks of constant height. An empty block keeps the space of its rows, so
 * that nothing moves during scrolling. `aria-setsize` and `aria-posinset` give screen readers the
 * number of rows. The browser's find-in-page finds only rows near the window.
 */

import {arrange, h} from './dom.js';

/** Number of rows of a block. */
const blockSize = 10;

/** A list of rows, in blocks. */
class RowList {
    /**
     * Blocks of rows; visible blocks have their rows by key.
     *
     * @type {RowBlock[]}
     */
    blocks = [];

    /** @param {Attributes} attributes */
    constructor(attributes) {
        this.node = h('div', {role: 'list', ...attributes});
    }

    /**
     * Sets the items; the rows follow with the next update of the window.
     *
     * @param {Setting[]} items
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

    #added() {
        const node = h('div', {role: 'none', class: 'rows'});
        const block = {node, items: [], start: 0, count: 0, rows: new Map(), isStale: true};
        this.blocks.push(block);
        this.node.append(node);
        return block;
    }
}

/** The window onto several lists of rows. */
export class RowWindow {
    /** @type {RowList[]} */
    #lists = [];
    #render;
    #keyOf;
    #frame = 0;
    #listening = new AbortController();

    /**
     * @param {(setting: Setting, kept?: HTMLElement) => HTMLElement} render Returns the element of an
     *     item: the earlier element for its key if that is still up to date, or a new one.
     * @param {(setting: Setting) => string} keyOf Returns the key of an item, which no other one
     *     has.
     */
    constructor(render, keyOf) {
        this.#render = render;
        this.#keyOf = keyOf;
        const later = () => {
            this.#frame ||= requestAnimationFrame(() => {
                this.#frame = 0;
                this.update();
            });
        };
        const options = {signal: this.#listening.signal, passive: true};
        window.addEventListener('scroll', later, options);
        window.addEventListener('resize', later, options);
    }

    /** Stops following the window. */
    end() {
        this.#listening.abort();
        cancelAnimationFrame(this.#frame);
    }

    /**
     * Creates a list without items.
     *
     * @param {Attributes} attributes
     */
    list(attributes) {
        return new RowList(attributes);
    }

    /**
     * Sets the lists in page order.
     *
     * @param {RowList[]} lists
     */
    arrange(lists) {
        this.#lists = lists;
    }

    get #blocks() {
        return this.#lists.flatMap(({blocks}) => blocks);
    }

    /** Renders the blocks near the window, and empties the others. */
    update() {
        const margin = window.innerHeight / 3;
        const blocks = this.#blocks;
        const isShown = blocks.map(({node, rows}) => {
            const {top, bottom, height} = node.getBoundingClientRect();
            const isNear = height > 0 && bottom > -margin && top < window.innerHeight + margin;
            // Keep the row with the focus, and so the focus.
            return isNear || (rows.size > 0 && node.contains(document.activeElement));
        });
        // Rows move between blocks when earlier rows are added or removed.
        const kept = new Map();
        blocks.forEach((block, index) => {
            if (!block.isStale && isShown[index]) return;
            for (const [key, row] of block.rows) kept.set(key, row);
        });
        blocks.forEach((block, index) => {
            if (isShown[index]) this.#show(block, kept);
            else this.#hide(block);
        });
    }

    /**
     * Element of the item with a key, scrolled into the window; null when there is none.
     *
     * @param {string} key
     */
    reveal(key) {
        const block = this.#blocks
            .find(({items}) => items.some((item) => this.#keyOf(item) === key));
        if (!block) return null;
        this.#show(block);
        block.rows.get(key)?.scrollIntoView({block: 'center'});
        this.update();
        return block.rows.get(key) ?? null;
    }

    /**
     * Element of the row after a row, or before it with step -1; null at an end.
     *
     * @param {Element} row
     * @param {number} step
     */
    neighbor(row, step) {
        const inside = step > 0 ? row.nextElementSibling : row.previousElementSibling;
        if (inside) return inside;
        const blocks = this.#blocks;
        const place = blocks.findIndex(({node}) => node === row.parentNode);
        for (let index = place + step; blocks[index]; index += step) {
            const block = blocks[index];
            // Blocks of folded sections have no height.
            if (block.node.offsetHeight === 0) continue;
            this.#show(block);
            return step > 0 ? block.node.firstElementChild : block.node.lastElementChild;
        }
        return null;
    }

    /**
     * @param {RowBlock} block
     * @param {Map<string, HTMLElement>} [kept]
     */
    #show(block, kept = block.rows) {
        if (!block.isStale) return;
        const rows = new Map();
        block.items.forEach((item, index) => {
            const key = this.#keyOf(item);
            const row = this.#render(item, kept.get(key));
            row.setAttribute('role', 'listitem');
            row.setAttribute('aria-setsize', String(block.count));
            row.setAttribute('aria-posinset', String(block.start + index + 1));
            rows.set(key, row);
        });
        arrange(block.node, [...rows.values()]);
        Object.assign(block, {rows, isStale: false});
    }

    /** @param {RowBlock} block */
    #hide(block) {
        block.isStale = true;
        if (!block.rows.size) return;
        block.rows = new Map();
        block.node.replaceChildren();
    }
}
