/**
 * Names of the sections beside the list of settings, which scroll to them.
 */

import {arrange, h} from '../controls/dom.js';
import {sectionToken} from './setting-index.js';

/** The names of the sections, each with the number of its settings. */
export class SectionJumps {
    #jumpTo;
    /**
     * Entries by token of the section.
     *
     * @type {Map<string, {node: HTMLElement, number: HTMLElement}>}
     */
    #jumps = new Map();

    /** @param {(token: string) => void} jumpTo */
    constructor(jumpTo) {
        this.#jumpTo = jumpTo;
        this.list = h('ul', {class: 'plain'});
        this.node = h('div', {class: 'jumps', role: 'navigation', 'aria-label': 'Sections'},
            h('p', {class: 'jumps-head'}, 'Sections'), this.list);
    }

    /**
     * Updates the entries; with less than two, they are hidden.
     *
     * @param {Section[]} sections
     * @param {Section[]} shownSections Those of which a setting is shown.
     * @param {Map<string | null, Setting[]>} byGroup Their settings.
     */
    draw(sections, shownSections, byGroup) {
        this.node.hidden = shownSections.length < 2;
        this.#jumps = new Map(sections.map((section) => {
            const token = sectionToken(section.group);
            return [token, this.#jumps.get(token) ?? this.#jump(section.name, token)];
        }));
        const isShown = new Set(shownSections.map(({group}) => sectionToken(group)));
        for (const {group} of sections) {
            const token = sectionToken(group);
            const jump = this.#jumps.get(token);
            if (!jump) continue;
            const {node, number} = jump;
            const text = String(byGroup.get(group)?.length);
            if (number.textContent !== text) number.textContent = text;
            node.hidden = !isShown.has(token);
        }
        arrange(this.list, [...this.#jumps.values()].map(({node}) => node));
    }

    /**
     * @param {string} name
     * @param {string} token
     */
    #jump(name, token) {
        const number = h('span', {class: 'muted'});
        const node = h('li', {}, h('button', {type: 'button', class: 'quiet', title: name,
            onclick: () => this.#jumpTo(token)}, h('span', {class: 'jump-name'}, name), number));
        return {node, number};
    }
}
