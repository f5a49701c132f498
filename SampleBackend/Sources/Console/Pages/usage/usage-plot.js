/**
 * Plot of the share of clients with the newest version by day.
 */

import {fill, set, svg} from '../controls/dom.js';
import {percentText} from '../text/formats.js';
import {plotPoints, plotText} from './usage-reading.js';

const height = 220;
const margin = {left: 46, right: 12, top: 12, bottom: 28};

/**
 * The plot, with a text in its place for those who do not see it.
 *
 * @param {DayShare[]} shares Oldest first.
 */
export function usagePlot(shares) {
    const content = svg('g', {});
    const node = svg('svg', {class: 'plot', role: 'img', 'aria-label': plotText(shares)}, content);
    const points = plotPoints(shares);
    /** @param {number} width Width in CSS pixels. */
    const draw = (width) => {
        const inner = Math.max(0, width - margin.left - margin.right);
        /** @param {number} value */
        const x = (value) => margin.left + inner * value;
        /** @param {number} value */
        const y = (value) => margin.top + (height - margin.top - margin.bottom) * (1 - value);
        set(node, {viewBox: `0 0 ${width} ${height}`});
        const path = points.map((point, index) => (
            `${index && !point.isAfterGap ? 'L' : 'M'}${x(point.x).toFixed(1)} `
            + y(point.y).toFixed(1))).join('');
        const last = points[points.length - 1];
        fill(content,
            [0, 0.25, 0.5, 0.75, 1].map((share) => [
                svg('line', {class: 'plot-grid', x1: margin.left, x2: width - margin.right,
                    y1: y(share), y2: y(share)}),
                svg('text', {class: 'plot-label', x: margin.left - 8, y: y(share) + 4,
                    'text-anchor': 'end'}, percentText(share))]),
            shares.length > 1 && svg('text', {class: 'plot-label', x: margin.left, y: height - 8},
                shares[0].date),
            shares.length && svg('text', {class: 'plot-label', x: width - margin.right,
                y: height - 8, 'text-anchor': 'end'}, shares[shares.length - 1].date),
            path && svg('path', {class: 'plot-line', d: path}),
            last && svg('circle', {class: 'plot-dot', r: 4, cx: x(last.x), cy: y(last.y)}));
    };
    draw(720);
    // Uses the page's CSS pixels, so that the text has the same size on a phone.
    new ResizeObserver(([{contentRect: {width}}]) => {
        if (width > 0) draw(width);
    }).observe(node);
    return node;
}
