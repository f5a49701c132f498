"""Checks of a page's layout: elements that are too wide, outside of the window, overlapping, or cut."""

# Rectangles of texts and controls, each clipped by what scrolls or hides around it. Those of a layer,
# such as a sticky bar or a popover, are compared with each other only. Invisible inputs that cover
# their field are left out.
OVERLAPS = """
    const dialogs = document.querySelectorAll('dialog[open]');
    const root = dialogs[dialogs.length - 1] ?? document.body;
    const isSeen = (element) => element.checkVisibility({
        contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true})
        && !element.closest('.visually-hidden, .skip, .json-editor, .file-field input, [inert]');
    const clipped = ({left, top, right, bottom}, element) => {
        const box = {left, top, right, bottom};
        for (let e = element; e && e !== document.body; e = e.parentElement) {
            const style = getComputedStyle(e);
            if (style.clipPath !== 'none') return null;
            if (style.overflowX === 'visible' && style.overflowY === 'visible'
                && !style.contain.includes('paint')) continue;
            const outer = e.getBoundingClientRect();
            box.left = Math.max(box.left, outer.left);
            box.top = Math.max(box.top, outer.top);
            box.right = Math.min(box.right, outer.right);
            box.bottom = Math.min(box.bottom, outer.bottom);
        }
        return box.right - box.left > 1 && box.bottom - box.top > 1 ? box : null;
    };
    const layerOf = (element) => {
        for (let e = element; e; e = e.parentElement) {
            if (e.matches('[popover]')
                || ['sticky', 'fixed'].includes(getComputedStyle(e).position)) return e;
        }
        return null;
    };
    const found = [];
    const add = (element, rect, text) => {
        const box = clipped(rect, element);
        if (box) found.push({element, box, text, layer: layerOf(element)});
    };
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    while (walker.nextNode()) {
        const node = walker.currentNode;
        const element = node.parentElement;
        if (!node.data.trim() || element.closest('svg, option, script, style')
            || !isSeen(element)) continue;
        range.selectNodeContents(node);
        for (const rect of range.getClientRects()) add(element, rect, node.data.trim());
    }
    for (const control of root.querySelectorAll('button, a, input, select, textarea, meter')) {
        // A link within a sentence has its lines, not one box.
        if (isSeen(control) && getComputedStyle(control).display !== 'inline') {
            add(control, control.getBoundingClientRect(),
                control.getAttribute('aria-label') ?? control.textContent);
        }
    }
    const slack = 2.5;
    const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > slack
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > slack;
    const result = [];
    found.forEach((one, index) => {
        for (const other of found.slice(index + 1)) {
            if (one.layer === other.layer && !one.element.contains(other.element)
                && !other.element.contains(one.element) && meet(one.box, other.box)) {
                result.push(`${one.text.slice(0, 60)} | ${other.text.slice(0, 60)}`);
            }
        }
    });
    return result;"""

# Elements that make the page wider than the window, or a dialog's content wider than the dialog.
WIDE = """
    const result = [];
    for (const place of [document.documentElement, ...document.querySelectorAll('.dialog-body')]) {
        if (place.scrollWidth <= place.clientWidth) continue;
        const {left} = place.getBoundingClientRect();
        const right = left + place.clientWidth + 1;
        const wide = [...place.querySelectorAll('*')]
            .filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > right);
        result.push(`${place.localName} by ${place.scrollWidth - place.clientWidth} px: `
            + wide.map((e) => e.outerHTML.slice(0, 150)).slice(0, 4).join(' | '));
    }
    return result;"""

# Open dialogs that are partly outside of the window.
OUTSIDE = """
    return [...document.querySelectorAll('dialog[open]')].map((dialog) => {
        const {left, top, right, bottom} = dialog.getBoundingClientRect();
        return [left, top, innerWidth - right, innerHeight - bottom];
    }).filter((spaces) => spaces.some((space) => space < 0)).map(String);"""

# Texts that end within a letter: what hides their end has no ellipsis, or is a flexible box, in which
# an ellipsis does not work. A box of at most 16 px stands for its text, which is for screen readers.
CUT = """
    const isCut = (element) => {
        const {overflowX, textOverflow, display, clipPath} = getComputedStyle(element);
        return ['hidden', 'clip'].includes(overflowX) && clipPath === 'none'
            && element.clientWidth > 16 && element.scrollWidth > element.clientWidth + 1
            && (textOverflow !== 'ellipsis' || /flex|grid/.test(display));
    };
    return [...document.querySelectorAll('main *, dialog[open] *')].filter((element) =>
        [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
        && element.checkVisibility({contentVisibilityAuto: true}) && isCut(element))
        .map((element) => element.outerHTML.slice(0, 150)).slice(0, 4);"""

# Rows of lists that are higher than others, or have a text of several lines.
TALL_ROWS = """
    const range = document.createRange();
    const lines = (row) => {
        const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
        let most = 0;
        while (walker.nextNode()) {
            const element = walker.currentNode.parentElement;
            if (element.closest('.visually-hidden') || !element.checkVisibility()
                || element.clientWidth > 0 && element.clientWidth <= 16) continue;
            range.selectNodeContents(walker.currentNode);
            const tops = [...range.getClientRects()].map(({top}) => Math.round(top / 4));
            most = Math.max(most, new Set(tops).size);
        }
        return most;
    };
    const {innerHeight} = window;
    return [...document.querySelectorAll('.setting, .condition, .difference-row')]
        .filter((row) => row.getBoundingClientRect().top < innerHeight)
        .filter((row) => row.offsetHeight > 50 || lines(row) > 1)
        .map((row) => `${row.offsetHeight} px, ${lines(row)} lines: ${row.textContent}`);"""


def faults(driver):
    """The problems of the page's layout, as texts."""
    return ([f"too wide: {text}" for text in driver.execute_script(WIDE)]
            + [f"outside: {text}" for text in driver.execute_script(OUTSIDE)]
            + [f"cut: {text}" for text in driver.execute_script(CUT)]
            + [f"overlap: {text}" for text in driver.execute_script(OVERLAPS)])
