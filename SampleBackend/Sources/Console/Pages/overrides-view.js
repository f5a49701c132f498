/**
 * Overrides: values pinned for one user, which take precedence over every condition.
 */

import {call, isMissing, projectPath} from './api.js';
import {badge, guarded, message, nothing, settingName, table} from './controls.js';
import {ask} from './dialog.js';
import {announce, fill, h} from './dom.js';
import {entries, isEqual, member, withMember} from './json.js';
import {jsonText} from './json-text.js';
import {isOfType, openPin, typeOf} from './pin-dialog.js';
import {productionNotice} from './project-details.js';
import {refusal} from './session.js';
import {sections} from './template.js';
import {typeName} from './value-types.js';

/** Why a pinned value has no effect; false when it has. */
function fault(template, section, key, value) {
    const valueType = typeOf(template, section, key);
    if (valueType === undefined) {
        return ['No such setting', 'It was renamed or removed, so the pin has no effect.'];
    }
    return !isOfType(value, valueType)
        && ['Another type', `The setting is of the type ${typeName(valueType)} now.`];
}

/** Path of a user's overrides. */
function overridesPath(project, userID) {
    return projectPath(project, `users/${encodeURIComponent(userID)}/overrides`);
}

/** Reads a user's overrides; empty and without an entity tag when nothing is pinned. */
async function readOverrides(project, userID, options) {
    try {
        const {body, etag} = await call('GET', overridesPath(project, userID), options);
        return {overrides: body, etag};
    } catch (error) {
        if (isMissing(error)) return {overrides: {}, etag: null};
        throw error;
    }
}

/** The most attempts to pin a value while others pin some for the same user. */
const attempts = 5;

/** Text of what is pinned for a setting. */
function pinnedText(value) {
    return value === undefined ? 'It is not pinned any more.' : `It is ${jsonText(value)} now.`;
}

/** Another value is pinned than the one that a form showed: `value`; undefined is none. */
class ChangedPinError extends Error {
    constructor(value) {
        super(`Somebody else has changed this pin meanwhile. ${pinnedText(value)} Save again to `
            + 'pin yours in its place.');
        this.value = value;
    }
}

/** True if two pinned values are the same; undefined is none. */
function isSamePin(left, right) {
    return left === undefined || right === undefined ? left === right : isEqual(left, right);
}

/** Value that the server has stored for a pin; `sent` if that cannot be read or is gone. */
async function storedValue(project, userID, section, key, sent) {
    try {
        const {overrides} = await readOverrides(project, userID);
        return member(member(overrides, section), key) ?? sent;
    } catch {
        // The value is stored, whatever becomes of this request.
        return sent;
    }
}

/**
 * Pins a value; undefined removes it. The server stores all values of a user at once, in place of
 * those that were read, so that no other pin gets lost.
 *
 * @param {{value: *}} shown The value that the user saw, undefined for none; without it, any value
 *     is replaced.
 * @returns {Promise<*>} The value as the server keeps it, which may round a number.
 * @throws ChangedPinError if another value than `shown` is pinned; nothing is stored then.
 */
async function savePin(project, userID, section, key, value, shown) {
    const path = overridesPath(project, userID);
    for (let attempt = 1; ; attempt += 1) {
        const {overrides, etag} = await readOverrides(project, userID);
        const now = member(member(overrides, section), key);
        // The same value may be an earlier attempt whose answer was lost.
        if (shown && !isSamePin(now, shown.value) && !isSamePin(now, value)) {
            throw new ChangedPinError(now);
        }
        const values = withMember(member(overrides, section), key, value);
        const body = withMember(
            overrides, section, Object.keys(values).length ? values : undefined);
        const condition = etag ? {ifMatch: etag} : {ifNoneMatch: '*'};
        try {
            if (Object.keys(body).length) {
                await call('PUT', path, {body, ...condition});
                return await storedValue(project, userID, section, key, value);
            } else if (etag) {
                await call('DELETE', path, condition);
            }
            return undefined;
        } catch (error) {
            // 404: somebody else has removed the last one.
            if (attempt === attempts || ![404, 412].includes(error.status)) throw error;
        }
    }
}

/** Opens the unfinished form of a pin again, over what is pinned now. */
export async function resumePin({workspace, project, details, redraw}, userID, pinned, kept) {
    const {overrides} = await readOverrides(project, userID);
    const name = await openPin(workspace, userID, overrides,
        (...change) => savePin(project, userID, ...change),
        {pinned, kept, notice: productionNotice(details, 'This pins a value in')});
    if (!name) return;
    announce(`${name} is pinned.`);
    redraw();
}

/**
 * Table of a user's overrides, with buttons to pin and remove values.
 *
 * @param {object} context Page context.
 * @param {string} userID The user.
 * @param {function(): void} changed Called after a change was stored.
 * @param {AbortSignal} signal Aborts reading the overrides.
 */
export function overridesView(context, userID, changed, signal) {
    const {workspace, project} = context;
    const refused = refusal(context.session, 'publisher');
    const save = (...change) => savePin(project, userID, ...change);
    const place = h('div', {}, h('p', {class: 'muted'}, 'Loading …'));
    const actions = h('div', {class: 'actions'});

    /** Removes one value after a confirmation. */
    const remove = async (section, key) => {
        const name = `${section}.${key}`;
        if (!await ask({title: `No longer pin ${name}?`, action: 'Remove', isDangerous: true,
            text: [h('p', {}, `User ${userID} then gets what the conditions say.`),
                productionNotice(context.details, 'This changes')]})) return;
        try {
            await save(section, key, undefined);
            announce(`${name} is no longer pinned.`);
            changed();
        } catch (error) {
            fill(place, message('error', error.message));
        }
    };

    /** Pins a value: of any setting, or of the pinned one. */
    const pin = async (overrides, pinned = null) => {
        const name = await openPin(workspace, userID, overrides, save, {pinned,
            notice: productionNotice(context.details, 'This pins a value in')});
        if (!name) return;
        announce(`${name} is pinned.`);
        changed();
    };

    const draw = (overrides) => {
        const rows = entries(overrides).flatMap(([section, values]) => (
            entries(values).map(([key, value]) => {
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
            })));
        fill(place, rows.length ? table('Pinned values', ['Setting', 'Value', ''], rows)
            : h('section', {class: 'card'}, nothing('Nothing is pinned for this user.')));
        const hasSettings = sections(workspace.published).some(({settings}) => settings.length);
        fill(actions, hasSettings && guarded(refused, h('button', {type: 'button',
            'data-focus': 'pin', onclick: () => pin(overrides)}, 'Pin a value')));
    };
    readOverrides(project, userID, {signal}).then(({overrides}) => draw(overrides)).catch((error) => {
        if (!signal.aborted) fill(place, message('error', error.message));
    });
    return h('section', {class: 'stack', 'aria-labelledby': 'pinned'},
        h('div', {class: 'page-head'}, h('h2', {id: 'pinned'}, 'Pinned for this user'), actions),
        place);
}
