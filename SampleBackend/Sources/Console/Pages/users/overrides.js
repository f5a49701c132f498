/**
 * The server's pinned values of a user: reading them, and changing one.
 */

import {jsonText} from '../json/json-text.js';
import {isEqual, member, withMember} from '../json/json.js';
import {call, isMissing, projectPath} from '../server/api.js';

/**
 * Path of a user's pinned values.
 *
 * @param {string} project
 * @param {string} userID
 */
function overridesPath(project, userID) {
    return projectPath(project, `users/${encodeURIComponent(userID)}/overrides`);
}

/**
 * Reads a user's pinned values; empty and without an entity tag when there are none.
 *
 * @param {string} project
 * @param {string} userID
 * @param {CallOptions} [options]
 * @returns {Promise<{overrides: Overrides, etag: ?string}>}
 */
export async function readOverrides(project, userID, options) {
    try {
        const {body, etag} = await call('GET', overridesPath(project, userID), options);
        return {overrides: body, etag};
    } catch (error) {
        if (isMissing(error)) return {overrides: {}, etag: null};
        throw error;
    }
}

/** Maximum number of attempts to pin a value while others pin values for the same user. */
const attempts = 5;

/**
 * Text about the pinned value of a setting.
 *
 * @param {unknown} value
 */
function pinnedText(value) {
    return value === undefined ? 'It is no longer pinned.' : `It is ${jsonText(value)} now.`;
}

/** A value other than the one that a form showed is pinned: `value`; undefined means none. */
export class ChangedPinError extends Error {
    /** @param {unknown} value */
    constructor(value) {
        super(`Someone else has changed this pin meanwhile. ${pinnedText(value)} Save again to `
            + 'replace it with yours.');
        this.value = value;
    }
}

/**
 * True if two pinned values are equal; undefined means none.
 *
 * @param {unknown} left
 * @param {unknown} right
 */
function isSamePin(left, right) {
    return left === undefined || right === undefined ? left === right : isEqual(left, right);
}

/**
 * The stored value of a pin; `sent` if that cannot be read or is gone.
 *
 * @param {string} project
 * @param {string} userID
 * @param {string} section
 * @param {string} key
 * @param {unknown} sent
 */
async function storedValue(project, userID, section, key, sent) {
    try {
        const {overrides} = await readOverrides(project, userID);
        return member(member(overrides, section), key) ?? sent;
    } catch {
        // The value is stored even if this request fails.
        return sent;
    }
}

/**
 * Pins a value; undefined removes it. The server stores all values of a user at once; the request
 * replaces only the values that were read, so that no other pin is lost.
 *
 * @param {string} project
 * @param {string} userID
 * @param {string} section
 * @param {string} key
 * @param {unknown} value
 * @param {{value: unknown}} [shown] The value that the user saw, undefined for none; without it,
 *     any value is replaced.
 * @returns {Promise<*>} The value as the server keeps it, which may round a number.
 * @throws ChangedPinError if another value than `shown` is pinned; nothing is stored then.
 */
export async function savePin(project, userID, section, key, value, shown) {
    const path = overridesPath(project, userID);
    for (let attempt = 1; ; attempt += 1) {
        const {overrides, etag} = await readOverrides(project, userID);
        const now = member(member(overrides, section), key);
        // An equal value can be from an earlier attempt whose response was lost.
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
            // 404: someone else has removed the last one.
            if (attempt === attempts || ![404, 412].includes(error.status)) throw error;
        }
    }
}
