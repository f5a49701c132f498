/**
 * Rows of equal height; only those near the window are in the document.
 *
 * Rows are grouped in blocks of constant height. An empty block keeps the space of its rows, so
 * that nothing moves during scrolling. A block with a taller row is as high as its rows, and stays
 * in the document once it was shown. `aria-setsize` and `aria-posinset` give screen readers the
 * number of rows. The browser's find-in-page finds only rows near the window.
 */

import {arrange, h} from './dom.js';

/** Number of rows of a block. */
const blockSize = 10;

/**
 * A list of rows, in blocks.
 *
 * @template Item
 */
class RowList {
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

/**
 * The window onto several lists of rows.
 *
 * @template Item
 */
export class RowWindow {
    /** @type {RowList<Item>[]} */
    #lists = [];
    #render;
    #keyOf;
    #isTall;
    /**
     * Blocks whose rows are in the document.
     *
     * @type {Set<RowBlock<Item>>}
     */
    #shown = new Set();
    #frame = 0;
    #listening = new AbortController();

    /**
     * @param {(item: Item, kept?: HTMLElement) => HTMLElement} render Returns the element of an
     *     item: the earlier element for its key if that is still up to date, or a new one.
     * @param {(item: Item) => string} keyOf Returns the key of an item, which no other one has.
     * @param {(item: Item) => boolean} [isTall] True for an item whose row may be higher than
     *     others.
     */
    constructor(render, keyOf, isTall = () => false) {
        this.#render = render;
        this.#keyOf = keyOf;
        this.#isTall = isTall;
        const later = () => {
            this.#frame ||= requestAnimationFrame(() => {
                this.#frame = 0;
                this.update();
            });
        };
        const options = {signal: this.#listening.signal, passive: true};
        // Scrolling of a dialog does not bubble.
        document.addEventListener('scroll', later, {...options, capture: true});
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
     * @returns {RowList<Item>}
     */
    list(attributes) {
        return new RowList(attributes);
    }

    /**
     * Sets the lists in page order.
     *
     * @param {RowList<Item>[]} lists
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
        const near = new Set(this.#lists.flatMap(
            (list) => list.within(-margin, window.innerHeight + margin)));
        for (const block of this.#shown) {
            const {node} = block;
            // Keep the row with the focus, and so the focus.
            if (node.isConnected && (node.contains(document.activeElement)
                || node.classList.contains('tall'))) near.add(block);
        }
        // Rows move between blocks when earlier rows are added or removed.
        const kept = new Map();
        for (const block of this.#shown) {
            if (!block.isStale && near.has(block)) continue;
            for (const [key, row] of block.rows) kept.set(key, row);
        }
        for (const block of [...this.#shown]) if (!near.has(block)) this.#hide(block);
        for (const block of near) this.#show(block, kept);
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
     * Adapts the height of a block after `isTall` has changed for the item of a row.
     *
     * @param {Element} row
     */
    fit(row) {
        const block = this.#blocks.find(({node}) => node === row.parentNode);
        if (block) this.#fit(block);
        this.update();
    }

    /** @param {RowBlock<Item>} block */
    #fit({node, items}) {
        node.classList.toggle('tall', items.some(this.#isTall));
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
     * @param {RowBlock<Item>} block
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
        this.#fit(block);
        Object.assign(block, {rows, isStale: false});
        this.#shown.add(block);
    }

    /** @param {RowBlock<Item>} block */
    #hide(block) {
        this.#shown.delete(block);
        block.isStale = true;
        block.rows = new Map();
        block.node.replaceChildren();
    }
}
