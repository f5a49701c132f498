/**
 * Differences grouped by section, counted, and reduced to one line each.
 */

import {valueText} from '../controls/value-view.js';
import {numberText} from '../text/formats.js';
import {naturalOrder} from '../text/natural-order.js';
import {hasWords} from '../text/search.js';

/** @type {Record<Difference['change'], string>} */
export const changeNames = {ADDED: 'Added', REMOVED: 'Removed', CHANGED: 'Changed'};

/** Number of differences, and of their parts, beyond which a diff is folded. */
const mostDifferences = 50;
const mostParts = 300;

/** Maximum length of the texts in a line. */
const lineLength = 200;

/**
 * True for differences too numerous to be shown in full.
 *
 * @param {Differences} differences
 */
export function isLarge({parameters, conditions, groups}) {
    const all = [...parameters, ...conditions, ...groups];
    return all.length > mostDifferences
        || all.reduce((sum, {parts}) => sum + parts.length, 0) > mostParts;
}

/**
 * The differences by section of the settings, then those of conditions and of sections.
 *
 * @param {Differences} differences
 */
export function sectionsOf({parameters, conditions, groups}) {
    /** @type {Map<string, DifferenceSection>} */
    const sections = new Map();
    /**
     * @param {DifferenceKind} kind
     * @param {string} title
     * @param {string} name
     * @param {string} label
     * @param {Difference} difference
     */
    const add = (kind, title, name, label, difference) => {
        const key = `${kind} ${title}`;
        const section = sections.get(key)
            ?? {kind, title, items: [], counts: {ADDED: 0, CHANGED: 0, REMOVED: 0}};
        section.items.push({kind, name, label, difference});
        section.counts[difference.change] += 1;
        sections.set(key, section);
    };
    for (const found of parameters) {
        add('setting', found.section, found.key, `${found.section}.${found.key}`, found);
    }
    for (const found of conditions) add('condition', 'Conditions', found.name, found.name, found);
    for (const found of groups) add('group', 'Sections', found.name, found.name, found);
    const all = [...sections.values()];
    return [...all.filter(({kind}) => kind === 'setting')
        .sort((left, right) => naturalOrder(left.title, right.title)),
    ...all.filter(({kind}) => kind !== 'setting')];
}

/**
 * Numbers of changes by kind, such as "97 changed, 3 added".
 *
 * @param {DifferenceSection['counts']} counts
 */
export function countsText({CHANGED, ADDED, REMOVED}) {
    /** @type {[number, string][]} */
    const all = [[CHANGED, 'changed'], [ADDED, 'added'], [REMOVED, 'removed']];
    return all.filter(([number]) => number > 0)
        .map(([number, word]) => `${numberText(number)} ${word}`).join(', ');
}

/**
 * A value on one line.
 *
 * @param {unknown} value
 */
function lineText(value) {
    if (value === undefined) return null;
    const text = valueText(value);
    return text.slice(0, lineLength).replace(/\s+/g, ' ') || '(empty)';
}

/**
 * The part of a difference that stands for it in a line: the default value, or the first one.
 *
 * @param {Difference} difference
 */
export function lineOf({parts}) {
    const part = parts.find(({name}) => name === 'defaultValue' || name === 'expression')
        ?? parts[0];
    return {name: part?.name ?? null, old: lineText(part?.old), now: lineText(part?.new),
        others: Math.max(0, parts.length - 1)};
}

/**
 * True if a difference has all words of a search in its name or those of its parts.
 *
 * @param {ListedDifference} listed
 * @param {string[]} words
 */
export function isFound({label, difference}, words) {
    return hasWords(
        [label, ...difference.parts.map(({name}) => name)].join('\n').toLowerCase(), words);
}
