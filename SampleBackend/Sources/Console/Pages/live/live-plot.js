/**
 * Plot of the share of connections with the newest version, over the last two minutes.
 */

import {fill, set, svg} from '../controls/dom.js';
import {percentText} from '../text/formats.js';

const height = 220;
const margin = {left: 46, right: 12, top: 12, bottom: 28};
const innerHeight = height - margin.top - margin.bottom;

/** Time range of the plot in seconds. */
const span = 120;

/**
 * Vertical coordinate of a share from 0 to 1; SVG counts from the top.
 *
 * @param {number} share
 */
function y(share) {
    return margin.top + innerHeight * (1 - share);
}

/** Scrolls with each reading; without animation when the user prefers reduced motion. */
export class LivePlot {
    /** @type {{time: number, share: ?number, newest: string}[]} */
    #readings = [];
    /** @type {?{version: string, since: number}} */
    #newest = null;

    /**
     * Time from the first sight of the newest version until all connections have it; null until a
     * new version is seen.
     *
     * @type {?DeliveryTime}
     */
    delivery = null;

    constructor() {
        this.line = svg('path', {class: 'plot-line'});
        this.area = svg('path', {class: 'plot-area'});
        this.marks = svg('g', {});
        this.moving = svg('g', {class: 'plot-moving'}, this.area, this.line, this.marks);
        this.dot = svg('circle', {class: 'plot-dot', r: 4, cy: y(0)});
        this.clip = svg('rect', {x: margin.left, y: 0, height});
        this.axes = svg('g', {});
        this.node = svg('svg', {class: 'plot', role: 'img', 'aria-label': 'No data yet.'},
            svg('defs', {}, svg('clipPath', {id: 'plot-clip'}, this.clip)), this.axes,
            svg('g', {'clip-path': 'url(#plot-clip)'}, this.moving), this.dot);
        this.innerWidth = 0;
        this.#setWidth(720);
        // Uses the page's CSS pixels, so that the text has the same size on a phone.
        new ResizeObserver(([{contentRect: {width}}]) => {
            if (width > 0) this.#setWidth(width);
        }).observe(this.node);
    }

    /**
     * Lays the plot out for a width in CSS pixels.
     *
     * @param {number} width
     */
    #setWidth(width) {
        this.innerWidth = Math.max(0, width - margin.left - margin.right);
        set(this.node, {viewBox: `0 0 ${width} ${height}`});
        set(this.clip, {width: this.innerWidth + margin.right});
        set(this.dot, {cx: this.#x(0)});
        const lines = [0, 0.25, 0.5, 0.75, 1].map((share) => [
            svg('line', {class: 'plot-grid', x1: margin.left, x2: width - margin.right,
                y1: y(share), y2: y(share)}),
            svg('text', {class: 'plot-label', x: margin.left - 8, y: y(share) + 4,
                'text-anchor': 'end'}, percentText(share))]);
        const ages = width < 400 ? [120, 60, 0] : [120, 90, 60, 30, 0];
        const times = ages.map((age) => svg('text', {
            class: 'plot-label', x: this.#x(age), y: height - 8,
            'text-anchor': age === 0 ? 'end' : age === span ? 'start' : 'middle'},
        age === 0 ? 'now' : `${age} s ago`));
        fill(this.axes, lines, times);
        if (this.#readings.length) this.#draw(performance.now() / 1000);
    }

    /**
     * Adds a reading at the current time.
     *
     * @param {{share: ?number, newest: string}} reading Share from 0 to 1 of the connections with
     *     the newest version, and that version; null without a connection, which leaves a gap.
     * @param {string} sentence The reading as text, the plot's accessible name.
     */
    add({share, newest}, sentence) {
        const now = performance.now() / 1000;
        this.#measure(now, share, newest);
        this.#readings.push({time: now, share, newest});
        this.#readings = this.#readings.filter(({time}) => now - time <= span + 2);
        this.node.setAttribute('aria-label', sentence);
        this.#draw(now);
        this.#slide();
    }

    /**
     * Measures the time from the first sight of a new version until all connections have it.
     *
     * @param {number} now
     * @param {number | null} share
     * @param {string} newest
     */
    #measure(now, share, newest) {
        if (this.#newest?.version !== newest) {
            const isFirst = this.#newest === null;
            this.#newest = {version: newest, since: now};
            this.delivery = isFirst ? null : {seconds: 0, isComplete: share === 1};
        } else if (this.#newest && this.delivery && !this.delivery.isComplete) {
            this.delivery = {seconds: now - this.#newest.since, isComplete: share === 1};
        }
    }

    /**
     * Horizontal coordinate of an age in seconds.
     *
     * @param {number} age
     */
    #x(age) {
        return margin.left + this.innerWidth * (1 - age / span);
    }

    /**
     * Draws the readings; `now` is in seconds.
     *
     * @param {number} now
     */
    #draw(now) {
        /** @type {[left: number, top: number][]} */
        let piece = [];
        const pieces = [piece];
        for (const {time, share} of this.#readings) {
            if (share !== null) piece.push([this.#x(now - time), y(share)]);
            else if (piece.length) {
                piece = [];
                pieces.push(piece);
            }
        }
        /** @param {[left: number, top: number][]} points */
        const path = (points) => points.map(([left, top], index) => (
            `${index ? 'L' : 'M'}${left.toFixed(1)} ${top.toFixed(1)}`)).join('');
        const drawn = pieces.filter((points) => points.length);
        this.line.setAttribute('d', drawn.map(path).join(''));
        this.area.setAttribute('d', drawn.map((points) => `${path(points)}`
            + `L${points[points.length - 1][0].toFixed(1)} ${y(0)}`
            + `L${points[0][0].toFixed(1)} ${y(0)}Z`).join(''));
        const last = this.#readings[this.#readings.length - 1];
        this.dot.style.display = last.share === null ? 'none' : '';
        if (last.share !== null) this.dot.setAttribute('cy', String(y(last.share)));
        this.#drawVersions(now);
    }

    /**
     * Marks each time at which the newest version changed.
     *
     * @param {number} now
     */
    #drawVersions(now) {
        const changes = this.#readings.filter(({newest}, index) => (
            index > 0 && newest !== this.#readings[index - 1].newest));
        fill(this.marks, changes.map(({time, newest}) => [
            svg('line', {class: 'plot-version', x1: this.#x(now - time),
                x2: this.#x(now - time),
                y1: margin.top, y2: y(0)}),
            svg('text', {class: 'plot-label', x: this.#x(now - time) - 5, y: margin.top + 12,
                'text-anchor': 'end'}, `version ${newest}`)]));
    }

    /** Animates the scroll by one second, unless the user prefers reduced motion. */
    #slide() {
        if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
        const step = this.innerWidth / span;
        this.moving.animate(
            [{transform: `translateX(${step}px)`}, {transform: 'translateX(0)'}],
            {duration: 900, easing: 'linear'});
    }
}
