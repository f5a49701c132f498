/**
 * Renders the differences between two templates.
 */

import {badge, settingName} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {differenceCount} from '../server/server-draft.js';
import {settingAt} from '../template/template.js';
import {count} from '../text/formats.js';
import {DifferenceList} from './difference-list.js';
import {actButton, choiceBox, concernedView, partsView, revertButton, sectionBox}
    from './difference-parts.js';
import {changeNames, isLarge, sectionsOf} from './difference-sections.js';

/** @type {Record<DifferenceKind, string>} */
const headings = {setting: 'Settings', condition: 'Conditions', group: 'Sections'};

/**
 * Item of one difference with all of its parts.
 *
 * @param {ListedDifference} listed
 * @param {DifferenceOptions} options
 */
function item({kind, label, difference}, options) {
    const {note, valueType} = options;
    const {change, section, key, parts} = difference;
    return h('li', {class: 'difference'},
        h('div', {class: 'difference-head'}, choiceBox(label, options),
            badge(changeNames[change], change.toLowerCase()),
            kind === 'setting' ? settingName(section, key) : h('span', {}, label),
            revertButton(label, options), actButton(label, options)),
        partsView(parts, valueType), note?.());
}

/**
 * Differences counted by kind, such as "2 settings, 1 condition".
 *
 * @param {Differences} difference
 */
export function differenceSummary(difference) {
    const texts = [
        {number: difference.parameters.length, thing: 'setting'},
        {number: difference.conditions.length, thing: 'condition'},
        {number: difference.groups.length, thing: 'section'},
    ].filter(({number}) => number > 0).map(({number, thing}) => count(number, thing));
    return texts.join(', ') || 'Nothing';
}

/**
 * A difference of a condition; an added condition has its position as a part, if known.
 *
 * @param {Difference} found
 * @param {((name: string) => string)} [placeOf]
 */
function withPlace(found, placeOf) {
    const place = found.change === 'ADDED' && placeOf?.(found.name);
    return place ? {...found, parts: [...found.parts, {name: 'position', new: place}]} : found;
}

/**
 * Renders differences: all of them as lists by kind, or thousands folded by section.
 *
 * @param {Differences} difference Response of `remoteConfig:diff`, or the `changes` of a draft.
 * @param {{revert?: function(DifferenceKind, Difference): void, usesOf?: function(string):
 *     string[], placeOf?: function(string): string, template?: Template, opened?: Set<string>,
 *     search?: {text: string}, choose?: {verbOf?: function(DifferenceKind, Difference): string,
 *     isChosen: function(DifferenceKind, Difference): boolean, set: function(DifferenceKind,
 *     Difference, boolean): void, ofSection?: function(string): SectionChoice},
 *     noteOf?: function(DifferenceKind, Difference): unknown, act?: function(DifferenceKind,
 *     Difference): ?DifferenceAct}} [options]
 *     `revert` takes back a difference of the kind `setting`, `condition` or `group`; `choose` adds
 *     boxes that choose differences, by default for a publish, with `ofSection` also all settings
 *     of a section; `usesOf` names the settings with a
 *     value for a condition; `placeOf` returns the position of an added condition, such as "1 of
 *     3"; `template` has the types of the settings; without it, texts that look like JSON are
 *     compared as JSON; `opened` and `search` keep what is unfolded and searched for another view;
 *     `noteOf` is shown below a difference, `act` returns a button beside it.
 */
export function diffView(difference, options = {}) {
    const {revert, choose, usesOf, placeOf, template, opened = new Set(), search, noteOf, act}
        = options;
    /** @type {WeakSet<Difference>} */
    const reverted = new WeakSet();
    const {omitted = 0} = difference;
    /** @param {Difference} difference */
    const typeOf = ({section, key}) => {
        const found = template ? settingAt(template, section, key) : undefined;
        return found && (found.parameter.valueType ?? 'STRING');
    };
    /**
     * @param {ListedDifference} listed
     * @returns {DifferenceOptions}
     */
    const optionsOf = ({kind, difference: found}) => ({
        revert: revert && (() => {
            reverted.add(found);
            revert(kind, found);
        }),
        isReverted: () => reverted.has(found),
        choose: choose && {verb: choose.verbOf?.(kind, found),
            isChosen: () => choose.isChosen(kind, found),
            set: (isChosen) => choose.set(kind, found, isChosen)},
        valueType: kind === 'setting' ? typeOf(found) : undefined,
        act: act?.(kind, found) ?? undefined,
        note: kind === 'condition' && usesOf ? () => concernedView(usesOf(found.name))
            : noteOf && (() => noteOf(kind, found))});
    if (!differenceCount(difference)) {
        return h('p', {class: 'muted'}, 'The settings, conditions and sections are the same.');
    }
    const placed = {...difference,
        conditions: difference.conditions.map((found) => withPlace(found, placeOf))};
    const ofSection = choose?.ofSection;
    return h('div', {class: 'diff'},
        isLarge(placed) ? new DifferenceList(placed, optionsOf, opened, search, ofSection).node
            : listsByKind(placed, optionsOf, ofSection),
        omitted > 0 && h('p', {class: 'muted'},
            `${count(omitted, 'more change')} of this very large template cannot be shown.`));
}

/**
 * @param {Differences} differences
 * @param {(listed: ListedDifference) => DifferenceOptions} optionsOf
 * @param {(title: string) => SectionChoice} [ofSection]
 */
function listsByKind(differences, optionsOf, ofSection) {
    const all = sectionsOf(differences);
    /** @param {ListedDifference[]} items */
    const list = (items) => h('ul', {class: 'plain'},
        items.map((listed) => item(listed, optionsOf(listed))));
    return /** @type {DifferenceKind[]} */ (['setting', 'condition', 'group']).map((kind) => {
        const found = all.filter((section) => section.kind === kind);
        if (!found.length) return false;
        return h('section', {class: 'difference-group'}, h('h3', {}, headings[kind]),
            ofSection && kind === 'setting'
                ? found.map(({title, items}) => h('div', {role: 'group', 'aria-label': title},
                    sectionBox(title, ofSection(title), true), list(items)))
                : list(found.flatMap(({items}) => items)));
    });
}
