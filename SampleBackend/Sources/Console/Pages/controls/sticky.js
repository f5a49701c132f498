/**
 * Reserves space for elements that stick to an edge of the window, so that they cover nothing that
 * is scrolled to or focused.
 */

/**
 * Keeps a custom property of the page at the height in pixels of the sticky one of some elements;
 * "0px" while none is sticky or in the page. Stops when the first has left the page.
 *
 * @param {string} property
 * @param {...HTMLElement} elements
 */
export function reserveRoom(property, ...elements) {
    const observer = new ResizeObserver(() => {
        const heights = elements
            .filter((element) => getComputedStyle(element).position === 'sticky')
            .map((element) => element.offsetHeight);
        document.documentElement.style.setProperty(property, `${Math.max(0, ...heights)}px`);
        if (!elements[0].isConnected) observer.disconnect();
    });
    elements.forEach((element) => observer.observe(element));
}
