/**
 * Building elements. Text is always text here: nothing in the console is ever read as HTML.
 */

const properties = new Set(['value', 'checked', 'disabled', 'selected', 'open', 'hidden']);

/** Sets attributes, properties and listeners (`onclick`, …); null and false leave them out. */
function set(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith('on')) {
            if (value) element.addEventListener(name.slice(2), value);
        } else if (properties.has(name) && name in element) {
            if (value !== undefined && value !== null) element[name] = value;
        } else if (value !== undefined && value !== null && value !== false) {
            element.setAttribute(name, value === true ? '' : String(value));
        }
    }
}

/** Appends nodes, texts and lists of them; null, undefined and false count for nothing. */
function append(element, children) {
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false) continue;
        element.append(child instanceof Node ? child : String(child));
    }
}

/**
 * Makes an element of HTML: `h('button', {class: 'primary', onclick: save}, 'Save')`.
 *
 * @param {string} tag The element's name.
 * @param {object} attributes Attributes, properties and listeners.
 * @param {...*} children Nodes, texts, or lists of them.
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    // The options of a select must exist before its value is set.
    append(element, children);
    set(element, attributes);
    return element;
}

/** Makes an element of SVG, as `h` does of HTML. */
export function svg(tag, attributes = {}, ...children) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    set(element, attributes);
    append(element, children);
    return element;
}

/** Replaces what is in an element; nodes, texts, or lists of them. */
export function fill(element, ...children) {
    element.replaceChildren();
    append(element, children);
    return element;
}

/**
 * Draws a part of the page again and leaves the focus on the control that had it: the one with the
 * same `data-focus`.
 */
export function redraw(element, ...children) {
    const key = element.contains(document.activeElement)
        ? document.activeElement.getAttribute('data-focus') : null;
    fill(element, ...children);
    if (key) focusOn(key, element);
}

/** Sets the focus to the control with a value of `data-focus`; says whether there is one. */
export function focusOn(key, within = document) {
    const target = within.querySelector(`[data-focus="${CSS.escape(key)}"]`);
    target?.focus();
    return Boolean(target);
}

let lastID = 0;

/** An identifier that no other element has, to connect labels with controls. */
export function newID(prefix = 'id') {
    lastID += 1;
    return `${prefix}-${lastID}`;
}

/** Tells screen readers something that happened. */
export function announce(text) {
    const region = document.getElementById('announcements');
    // A screen reader would not read the same text twice.
    region.textContent = region.textContent === text ? `${text}\u00a0` : text;
}
