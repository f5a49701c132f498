/**
 * DOM construction. Strings become text nodes: the console never parses HTML. Their bidirectional
 * controls are written out, as `shownControls` does.
 */

import {shownControls} from '../text/hidden-characters.js';

const properties = new Set(['value', 'checked', 'disabled', 'selected', 'open', 'hidden']);

/**
 * Sets attributes, properties and listeners (`onclick`, …). Skips null and undefined; false omits
 * an attribute or listener, but is assigned to a property.
 *
 * @param {Element} element
 * @param {Attributes} attributes
 */
export function set(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith('on')) {
            if (value) {
                element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
            }
        } else if (properties.has(name) && name in element) {
            if (value !== undefined && value !== null) Reflect.set(element, name, value);
        } else if (value !== undefined && value !== null && value !== false) {
            element.setAttribute(name, value === true ? '' : String(value));
        }
    }
}

/**
 * Appends nodes, strings and nested lists of them; skips null, undefined and false.
 *
 * @param {Element} element
 * @param {unknown[]} children
 */
function append(element, children) {
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false) continue;
        element.append(child instanceof Node ? child : shownControls(String(child)));
    }
}

/**
 * Creates an HTML element: `h('button', {class: 'primary', onclick: save}, 'Save')`.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag Element name.
 * @param {Attributes} attributes Attributes, properties and listeners.
 * @param {...unknown} children Nodes, strings, or nested lists of them.
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    // Children first: the value of a select can only be set to an option that exists.
    append(element, children);
    set(element, attributes);
    return element;
}

/**
 * Creates an SVG element; otherwise like `h`.
 *
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} attributes
 * @param {...unknown} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}, ...children) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    set(element, attributes);
    append(element, children);
    return element;
}

/**
 * Replaces the children of an element with nodes, strings, or nested lists of them.
 *
 * @template {Element} Parent
 * @param {Parent} element
 * @param {...unknown} children
 */
export function fill(element, ...children) {
    element.replaceChildren();
    append(element, children);
    return element;
}

/**
 * Makes `nodes` the children of an element; nodes already in place stay untouched.
 *
 * @param {Element} element
 * @param {Element[]} nodes
 */
export function arrange(element, nodes) {
    const wanted = new Set(nodes);
    for (const child of [...element.children]) if (!wanted.has(child)) child.remove();
    let next = element.firstElementChild;
    for (const node of nodes) {
        if (node === next) {
            next = next.nextElementSibling;
        } else if (next && node === next.nextElementSibling) {
            // The one before is out of place: it is inserted when its turn comes.
            next.remove();
            next = node.nextElementSibling;
        } else {
            element.insertBefore(node, next);
        }
    }
}

/**
 * Replaces the children of an element, and restores the focus to the new control with the same
 * `data-focus` as the one that had it.
 *
 * @param {Element} element
 * @param {...unknown} children
 */
export function redraw(element, ...children) {
    const key = element.contains(document.activeElement)
        ? document.activeElement?.getAttribute('data-focus') : null;
    fill(element, ...children);
    if (key) focusOn(key, element);
}

/**
 * Focuses the control with a given `data-focus`; false when there is none.
 *
 * @param {string} key
 * @param {ParentNode} within
 */
export function focusOn(key, within = document) {
    /** @type {?HTMLElement} */
    const target = within.querySelector(`[data-focus="${CSS.escape(key)}"]`);
    target?.focus();
    return Boolean(target);
}

/**
 * Address of one of the console's files, in the folder of the page's icon, which has the same
 * version.
 *
 * @param {string} name
 */
export function fileAddress(name) {
    const icon = /** @type {HTMLLinkElement} */ (document.querySelector('link[rel=icon]'));
    return new URL(name, icon.href).href;
}

let lastID = 0;

/** Element ID that is unique in the page, for labels and ARIA references. */
export function newID(prefix = 'id') {
    lastID += 1;
    return `${prefix}-${lastID}`;
}

/**
 * Announces an event through the page's live region, for screen readers.
 *
 * @param {string} text
 */
export function announce(text) {
    const region = /** @type {HTMLElement} */ (document.getElementById('announcements'));
    // Varies a repeated text by a trailing space: screen readers announce only changes.
    region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}
