/**
 * Settings, conditions and sections that both a project and a file have.
 */

import {h} from '../controls/dom.js';
import {folded} from '../controls/folded.js';
import {valueText} from '../controls/value-view.js';
import {entries, isEqual, member, names} from '../json/json.js';
import {conditions, sections, settingAt} from '../template/template.js';
import {count} from '../text/formats.js';

/** Characters of a value that are shown. */
const shownLength = 60;

/** @type {Record<string, string>} */
const partNames = {conditionalValues: 'conditional values', valueType: 'type', tagColor: 'colour'};

/** @param {unknown} value */
function shownText(value) {
    const text = valueText(value) || 'nothing';
    return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}

/**
 * What differs between two settings, conditions or sections, in words; empty if they are equal. A
 * setting without a type is a text.
 *
 * @param {any} own
 * @param {any} given
 */
function differenceText(own, given) {
    const parts = [...new Set([...names(own), ...names(given)])].filter((name) => !isEqual(
        member(own, name) ?? (name === 'valueType' ? 'STRING' : undefined),
        member(given, name) ?? (name === 'valueType' ? 'STRING' : undefined)));
    return parts.map((name) => {
        if (name === 'defaultValue') {
            return `${shownText(own[name])} in the project, ${shownText(given[name])} in the file`;
        }
        return `${member(partNames, name) ?? name} ${
            name === 'conditionalValues' ? 'differ' : 'differs'}`;
    }).join('; ');
}

/**
 * What a project and a file have both; without conditions with different expressions, for which
 * `ConditionChoices` asks.
 *
 * @param {Template} template
 * @param {Template} file
 * @returns {{equal: string[], differing: {name: string, difference: string}[]}}
 */
export function commonItems(template, file) {
    const known = new Map(conditions(template).map((condition) => [condition.name, condition]));
    /** @type {[string, any, any][]} */
    const both = [];
    for (const given of conditions(file)) {
        const own = known.get(given.name);
        if (own && own.expression === given.expression) {
            both.push([`the condition ${given.name}`, own, given]);
        }
    }
    for (const {name: section, settings} of sections(file)) {
        for (const {key, parameter} of settings) {
            const own = settingAt(template, section, key)?.parameter;
            if (own) both.push([`${section}.${key}`, own, parameter]);
        }
    }
    for (const [name, {description}] of entries(file.parameterGroups ?? {})) {
        const own = member(template.parameterGroups, name);
        // A section is one of the items only if its description differs.
        if (own && description && own.description !== description) {
            both.push([`the section ${name}`, {description: own.description}, {description}]);
        }
    }
    const compared = both.map(([name, own, given]) => (
        {name, difference: differenceText(own, given)}));
    return {equal: compared.filter(({difference}) => !difference).map(({name}) => name),
        differing: compared.filter(({difference}) => difference)};
}

/**
 * View of what both have: equal items are folded, differing ones are listed with what differs.
 *
 * @param {ReturnType<typeof commonItems>} items
 */
export function commonItemsView({equal, differing}) {
    return [
        equal.length > 0 && h('details', {}, h('summary', {},
            `${count(equal.length, 'thing')} of the file ${equal.length === 1 ? 'is' : 'are'} in `
                + 'the project already, and equal'),
        folded(equal, (some) => h('ul', {class: 'remarks'},
            some.map((name) => h('li', {}, name))))),
        differing.length > 0 && h('div', {class: 'differing'},
            h('p', {}, `${count(differing.length, 'thing')} of the file `
                + `${differing.length === 1 ? 'differs' : 'differ'} from the project’s. `
                + '“Add what is new” keeps the project’s:'),
            folded(differing, (some) => h('ul', {class: 'remarks'},
                some.map(({name, difference}) => h('li', {}, `${name}: ${difference}`))))),
    ];
}
