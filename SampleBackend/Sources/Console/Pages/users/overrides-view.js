/**
 * A user's pinned values, which take precedence over all conditions.
 */

import {badge, guarded, message, nothing, settingName, table} from '../controls/controls.js';
import {confirmRequest} from '../controls/dialog-form.js';
import {announce, fill, focusOn, h} from '../controls/dom.js';
import {searchedRowsView} from '../controls/searched-rows.js';
import {failedReading} from '../controls/shown-answer.js';
import {jsonText} from '../json/json-text.js';
import {entries} from '../json/json.js';
import {productionNotice} from '../projects/project-details.js';
import {refusal} from '../server/session.js';
import {isArchived} from '../template/setting-notes.js';
import {sections, settingAt} from '../template/template.js';
import {typeName} from '../template/value-types.js';
import {marked} from '../text/hidden-characters.js';
import {readOverrides, savePin} from './overrides.js';
import {isOfType, openPin, typeOf} from './pin-dialog.js';

/**
 * What is wrong about a pinned value; false when nothing is.
 *
 * @param {Template} template
 * @param {string} section
 * @param {string} key
 * @param {unknown} value
 */
function fault(template, section, key, value) {
    const valueType = typeOf(template, section, key);
    if (valueType === undefined) {
        return ['No such setting',
            'It was renamed or removed, but this user still gets the value.'];
    }
    const parameter = settingAt(template, section, key)?.parameter;
    if (parameter && isArchived(parameter)) {
        return ['Archived', 'The value has no effect until the setting is restored.'];
    }
    return !isOfType(value, valueType)
        && ['Another type', `The setting is of the type ${typeName(valueType)} now.`];
}

/** Who gets a pinned value in production. */
const reach = 'this user gets it immediately';

/**
 * Reopens the unfinished form of a pin over the current pinned value.
 *
 * @param {PageContext} context
 * @param {string} userID
 * @param {?PinnedSetting} pinned
 * @param {{setting: string, text: string}} kept
 */
export async function resumePin({workspace, project, details, redraw}, userID, pinned, kept) {
    const {overrides} = await readOverrides(project, userID);
    const name = await openPin(workspace, userID, overrides,
        (...change) => savePin(project, userID, ...change),
        {pinned, kept, notice: productionNotice(details, 'This pins a value in', reach)});
    if (!name) return;
    announce(`${name} is pinned.`);
    redraw();
}

/**
 * Table of a user's pinned values, with buttons to pin and remove values.
 *
 * @param {PageContext} context Page context.
 * @param {string} userID The user.
 * @param {RowSearch} search Search of the pinned values.
 * @param {(change: PinChange) => void} changed Called after a change was stored.
 * @param {AbortSignal} signal Aborts reading the pinned values.
 * @param {{change?: PinChange, reasonOf?: ReasonOf}} [options] `change` is the last change, which
 *     is reported and focused. `reasonOf` returns the value that the user gets of a setting.
 */
export function overridesView(context, userID, search, changed, signal, options = {}) {
    const {change, reasonOf} = options;
    const {workspace, project} = context;
    const refused = refusal(context.session, 'publisher');
    /**
     * @param {string} section
     * @param {string} key
     * @param {unknown} value
     * @param {{value: unknown}} [shown]
     */
    const save = (section, key, value, shown) => (
        savePin(project, userID, section, key, value, shown));
    const place = h('div', {class: 'stack'}, h('p', {class: 'muted'}, 'Loading …'));
    const actions = h('div', {class: 'actions'});

    /**
     * Asks for confirmation, then removes one value.
     *
     * @param {string} section
     * @param {string} key
     */
    const remove = async (section, key) => {
        const name = `${section}.${key}`;
        const isSetting = typeOf(workspace.published, section, key) !== undefined;
        if (!await confirmRequest({title: `No longer pin ${name}?`, action: 'Remove',
            text: [h('p', {}, `User ${marked(userID)} then gets ${isSetting
                ? 'the value by the conditions.' : 'no value of this name.'}`),
            productionNotice(context.details, 'This changes', reach)],
            submit: () => save(section, key, undefined)})) return;
        changed({text: `${name} is no longer pinned for user ${marked(userID)}.`, focus: 'pin'});
    };

    /**
     * Pins a value, either of any setting or of the pinned one.
     *
     * @param {Overrides} overrides
     * @param {?PinnedSetting} [pinned]
     */
    const pin = async (overrides, pinned = null) => {
        const name = await openPin(workspace, userID, overrides, save, {pinned,
            reasonOf, notice: productionNotice(context.details, 'This pins a value in', reach)});
        if (!name) return;
        changed({text: `${name} is pinned for user ${marked(userID)}.`, focus: `change ${name}`});
    };

    /** @param {Overrides} overrides */
    const draw = (overrides) => {
        const pins = entries(overrides).flatMap(([section, values]) => (
            entries(values).map(([key, value]) => ({section, key, value}))));
        /** @param {typeof pins[number]} pinned */
        const row = ({section, key, value}) => {
            const wrong = fault(workspace.published, section, key, value);
            const name = `${section}.${key}`;
            return h('tr', {},
                h('th', {scope: 'row'}, settingName(section, key)),
                h('td', {}, h('code', {class: 'value'}, jsonText(value)),
                    wrong && h('div', {}, badge(wrong[0], 'bad'), ' ',
                        h('span', {class: 'muted'}, wrong[1]))),
                h('td', {}, h('div', {class: 'actions'},
                    typeOf(workspace.published, section, key) !== undefined
                        && guarded(refused, h('button', {type: 'button', class: 'quiet',
                            'aria-label': `Change ${name}`, 'data-focus': `change ${name}`,
                            onclick: () => pin(overrides, {section, key})}, 'Change')),
                    guarded(refused, h('button', {type: 'button', class: 'quiet',
                        'aria-label': `Remove ${name}`,
                        onclick: () => remove(section, key)}, 'Remove')))));
        };
        fill(place, pins.length ? searchedRowsView(pins, {thing: 'pinned value', search,
            textOf: ({section, key, value}) => `${section}.${key}\n${jsonText(value)}`,
            view: (some) => table('Pinned values', ['Setting', 'Value', ''], some.map(row))})
            : h('section', {class: 'card'}, nothing('Nothing is pinned for this user.')));
        const hasSettings = sections(workspace.published).some(({settings}) => settings.length);
        fill(actions, hasSettings && guarded(refused, h('button', {type: 'button',
            'data-focus': 'pin', onclick: () => pin(overrides)}, 'Pin a value')));
        if (!change) return;
        announce(change.text);
        // A long list does not show all rows.
        if (!focusOn(change.focus, place)) focusOn('pin', actions);
        document.activeElement?.scrollIntoView({block: 'nearest'});
    };
    const read = () => readOverrides(project, userID, {signal})
        .then(({overrides}) => draw(overrides))
        .catch((error) => {
            if (!signal.aborted) fill(place, failedReading(error, signal, read));
        });
    read();
    return h('section', {class: 'stack', 'aria-labelledby': 'pinned'},
        h('div', {class: 'page-head'}, h('h2', {id: 'pinned'}, 'Pinned for this user'), actions),
        change && message('success', change.text), place);
}
