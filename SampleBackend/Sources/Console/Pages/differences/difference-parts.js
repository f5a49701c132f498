/**
 * Renders the parts of one difference, before and after.
 */

import {h} from '../controls/dom.js';
import {folded, unfolding} from '../controls/folded.js';
import {valueText} from '../controls/value-view.js';
import {member} from '../json/json.js';
import {needsLines} from '../json/line-differences.js';
import {colorName} from '../template/template.js';
import {typeName} from '../template/value-types.js';
import {count} from '../text/formats.js';
import {lineDiff} from './line-diff.js';

/**
 * Display names of the parts of settings, conditions and sections.
 *
 * @type {Record<string, string>}
 */
export const partNames = {
    defaultValue: 'Default value', valueType: 'Type', description: 'Description',
    expression: 'Expression', condition: 'Condition', tagColor: 'Colour', name: 'Name',
    value: 'Value', position: 'Place among the conditions',
    masterKeyOnly: 'Only with the master key', owner: 'Owner', tags: 'Tags',
    permanent: 'Permanent, because', archived: 'Archived',
};

/**
 * Display name of a part.
 *
 * @param {string} name
 */
export function partName(name) {
    const conditional = 'conditionalValues.';
    if (name.startsWith(conditional)) return `Value for “${name.slice(conditional.length)}”`;
    return member(partNames, name) ?? name;
}

/**
 * Value of a part before (`old`) or after (`new`); null when absent.
 *
 * @param {'old' | 'new'} kind
 * @param {unknown} value
 */
function side(kind, value) {
    const label = kind === 'old' ? 'Before' : 'After';
    if (value === undefined) return null;
    return h('div', {class: `side ${kind}`},
        h('span', {class: 'side-label'}, label), h('code', {}, valueText(value) || '(empty)'));
}

/**
 * Both sides of a part: line by line when one is long, else one below the other.
 *
 * @param {PartDifference} partDifference
 * @param {boolean} isText
 */
function sides({old, new: now}, isText) {
    const [before, after] = [valueText(old), valueText(now)];
    if (needsLines(before, after)) return lineDiff(before, after, {isText});
    return [side('old', old), side('new', now)];
}

/**
 * A value of a part as it is called in the forms.
 *
 * @param {string} name
 * @param {unknown} value
 */
export function partValue(name, value) {
    if (name === 'archived') return value === true ? 'Yes: nobody gets it' : value;
    if (name === 'tags' && Array.isArray(value)) return value.join(', ');
    if (typeof value !== 'string') return value;
    if (name === 'valueType') return typeName(value);
    return name === 'tagColor' ? colorName(value) : value;
}

/**
 * The parts of a difference; `valueType` is the type of a setting, if known.
 *
 * @param {PartDifference[]} list
 * @param {string} [valueType]
 */
export function partsView(list, valueType) {
    /** @param {string} name */
    const isText = (name) => valueType === 'STRING'
        || ['description', 'owner', 'tags', 'permanent'].includes(name);
    return folded(list, (parts) => h('dl', {class: 'parts'}, parts.map((part) => h('div', {},
        h('dt', {}, partName(part.name)), h('dd', {}, sides({...part,
            old: partValue(part.name, part.old), new: partValue(part.name, part.new),
        }, isText(part.name)))))));
}

/**
 * The settings that a changed condition affects.
 *
 * @param {string[]} names
 */
export function concernedView(names) {
    if (!names.length) return h('p', {class: 'hint'}, 'No setting has a value for it.');
    return unfolding(`Concerns ${count(names.length, 'setting')}`, () => folded(names, (some) => (
        h('ul', {class: 'plain'}, some.map((name) => h('li', {}, h('code', {}, name))))), 100));
}

/**
 * Box that chooses a difference, by default for a publish; false without the option `choose`. The
 * event `choice` lets it show the choice again.
 *
 * @param {string} label
 * @param {DifferenceOptions} options
 */
export function choiceBox(label, {choose}) {
    if (!choose) return false;
    const box = h('input', {type: 'checkbox', class: 'choose', checked: choose.isChosen(),
        'aria-label': `${choose.verb ?? 'Publish'} ${label}`,
        'data-focus': `choose ${label}`, onchange: () => choose.set(box.checked), onchoice: () => {
            box.checked = choose.isChosen();
        }});
    return h('label', {class: 'choose-place'}, box);
}

/**
 * Box that chooses all of a section, with its name unless that stands beside it.
 *
 * @param {string} title
 * @param {SectionChoice} choice
 * @param {boolean} isNamed
 */
export function sectionBox(title, {state, set}, isNamed) {
    const name = `All of ${title}`;
    const show = () => {
        box.checked = state() === 'all';
        box.indeterminate = state() === 'some';
    };
    const box = h('input', {type: 'checkbox', class: 'choose', 'aria-label': isNamed ? null : name,
        'data-focus': `choose ${name}`, onchange: () => set(box.checked), onchoice: show});
    show();
    return h('label', {class: isNamed ? 'check' : 'choose-place'}, box, isNamed && ` ${name}`);
}

/**
 * Line above differences with boxes: what is chosen, and buttons that choose all or none.
 *
 * @param {HTMLElement} status
 * @param {(isChosen: boolean) => void} chooseAll
 */
export function choiceTools(status, chooseAll) {
    /** @param {boolean} isChosen @param {string} text */
    const all = (isChosen, text) => h('button', {type: 'button', class: 'quiet',
        'data-focus': text, onclick: () => chooseAll(isChosen)}, text);
    return h('div', {class: 'choose-all'}, status,
        h('div', {class: 'actions'}, all(true, 'Choose all'), all(false, 'Choose none')));
}

/** Lets the boxes of all differences show the choice again. */
export function showChoices() {
    for (const box of document.querySelectorAll('.choose')) box.dispatchEvent(new Event('choice'));
}

/**
 * Button that takes back a difference, and then says so until the new differences are shown; false
 * without the option `revert`.
 *
 * @param {string} label
 * @param {DifferenceOptions} options
 */
export function revertButton(label, {revert, isReverted}) {
    if (!revert) return false;
    const button = h('button', {type: 'button', class: 'quiet revert',
        'data-focus': `revert ${label}`, 'aria-label': `Revert ${label}`, onclick: () => {
            if (isReverted?.()) return;
            revert();
            show();
        }}, 'Revert');
    const show = () => {
        if (!isReverted?.()) return;
        button.textContent = 'Reverted';
        button.setAttribute('aria-label', `Reverted ${label}`);
        // Disabling it would take the focus away.
        button.setAttribute('aria-disabled', 'true');
    };
    show();
    return button;
}

/**
 * Button that does something with a difference; false without the option `act`.
 *
 * @param {string} label
 * @param {DifferenceOptions} options
 */
export function actButton(label, {act}) {
    return Boolean(act) && h('button', {type: 'button', class: 'quiet revert',
        'data-focus': `act ${label}`, 'aria-label': `${act?.text} ${label}`,
        onclick: () => act?.run()}, act?.text);
}
