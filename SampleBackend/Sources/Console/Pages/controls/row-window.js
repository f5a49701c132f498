/**
 * Rows of equal height; only those near the window are in the document.
 *
 * Rows are grouped in blocks of constant height. An empty block keeps the space of its rows, so
 * that nothing moves during scrolling. A block with a taller row is as high as its rows, and stays
 * in the document once it was shown. `aria-setsize` and `aria-posinset` give screen readers the
 * number of rows. The browser's find-in-page finds only rows near the window; all are printed.
 */

import {arrange} from './dom.js';
import {RowList} from './row-list.js';

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
    /**
     * Key of the row with the focus, or to which an open dialog returns it.
     *
     * @type {?string}
     */
    #focused = null;
    /**
     * Key of the row that is dragged.
     *
     * @type {?string}
     */
    #held = null;
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
        document.addEventListener('focusin', () => this.#noteFocus(), options);
        window.addEventListener('beforeprint', () => {
            const open = this.#blocks.filter(({node}) => node.offsetHeight > 0);
            open.forEach((block) => this.#show(block));
        }, options);
        window.addEventListener('afterprint', () => this.update(), options);
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
        this.#noteFocus();
        for (const block of this.#shown) {
            if (block.node.isConnected && block.node.classList.contains('tall')) near.add(block);
        }
        for (const key of [this.#focused, this.#held]) {
            const block = key === null ? undefined : this.#blockWith(key);
            if (block) near.add(block);
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
        const block = this.#blockWith(key);
        if (!block) return null;
        this.#show(block);
        block.rows.get(key)?.scrollIntoView({block: 'center'});
        this.update();
        return block.rows.get(key) ?? null;
    }

    /**
     * Keeps the row around an element in the document, wherever the window is; null ends that.
     *
     * @param {?Element} inner
     */
    hold(inner) {
        this.#held = inner && this.#keyOfRowAround(inner);
    }

    #noteFocus() {
        const {activeElement} = document;
        const key = activeElement && this.#keyOfRowAround(activeElement);
        if (key !== null || !activeElement?.closest('dialog')) this.#focused = key;
    }

    /**
     * Key of the row that contains a node, or is it; null for other nodes.
     *
     * @param {Node} inner
     */
    #keyOfRowAround(inner) {
        for (const {node, rows} of this.#shown) {
            if (!node.contains(inner)) continue;
            for (const [key, row] of rows) if (row.contains(inner)) return key;
        }
        return null;
    }

    /**
     * Block that has the item with a key now.
     *
     * @param {string} key
     */
    #blockWith(key) {
        for (const block of this.#shown) {
            if (!block.isStale && block.node.isConnected && block.rows.has(key)) return block;
        }
        return this.#blocks.find(({items}) => items.some((item) => this.#keyOf(item) === key));
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
     * Handles a key: the arrows move the focus between rows, among controls of the same
     * `data-column`, or to the one that matches a selector where a row has none of that column.
     *
     * @param {KeyboardEvent} event
     * @param {string} selector
     */
    moveFocus(event, selector) {
        const {target} = event;
        if (!(target instanceof Element)) return;
        const from = target.closest('[aria-posinset]');
        const column = target.getAttribute('data-column');
        const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
        if (!from || !column || !step || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        const row = this.#neighbor(from, step);
        /** @type {?HTMLElement | undefined} */
        const control = row?.querySelector(`[data-column="${column}"]`)
            ?? row?.querySelector(selector);
        control?.focus();
    }

    /**
     * Element of the row after a row, or before it with step -1; null at an end.
     *
     * @param {Element} row
     * @param {number} step
     */
    #neighbor(row, step) {
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
