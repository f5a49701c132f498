/**
 * The search of the audit trail, and the texts of its entries.
 */

import {administratorName} from '../controls/controls.js';
import {capitalized} from '../text/formats.js';

/** Prefix of the name of a session, which the server treats as a token. */
const sessionPrefix = 'Console session of ';

/**
 * Actions that the server searches for, with their texts, by which it finds them too.
 *
 * @type {Choice[]}
 */
export const actions = [
    ['PUBLISH', 'Publish'], ['ROLLBACK', 'Rollback'], ['UNDO', 'Undo'],
    ['SET_OVERRIDES', 'Pin values'],
    ['REMOVE_OVERRIDES', 'Remove pinned values'], ['SIGN_IN', 'Sign in'], ['SIGN_OUT', 'Sign out'],
    ['FAILED_SIGN_IN', 'Failed sign-in'], ['RAISE_VERSIONS', 'Raise versions'],
    ['CREATE_TOKEN', 'Create token'],
    ['REVOKE_TOKEN', 'Revoke token'], ['CREATE_WEBHOOK', 'Add webhook'],
    ['REMOVE_WEBHOOK', 'Remove webhook'], ['CREATE_PROJECT', 'Create project'],
    ['SET_PROJECT_DETAILS', 'Change project details'], ['DELETE_PROJECT', 'Delete project'],
    ['CREATE_CHANGE_REQUEST', 'Make change request'],
    ['EDIT_CHANGE_REQUEST', 'Edit change request'],
    ['APPROVE_CHANGE_REQUEST', 'Approve change request'],
    ['REJECT_CHANGE_REQUEST', 'Request changes'],
    ['COMMENT_CHANGE_REQUEST', 'Comment on change request'],
    ['CLOSE_CHANGE_REQUEST', 'Close change request'],
    ['SCHEDULE_PUBLISH', 'Schedule publish'],
    ['CANCEL_SCHEDULED_PUBLISH', 'Cancel scheduled publish'],
    ['WARN_OF_LACKING_APPROVALS', 'Scheduled, approvals lacking'],
    ['END_SCHEDULED_PUBLISH', 'Not published as scheduled'],
    ['HOLD_ROLLOUT', 'Hold rollout'], ['RESUME_ROLLOUT', 'Resume rollout'],
    ['END_ROLLOUT', 'End rollout'],
    ['EXPIRE_CHANGE_REQUEST', 'Change request expired'],
];

/**
 * @typedef {{text: string, actor: string, action: string, from: string, to: string}} AuditFilter
 */

/** @type {AuditFilter} */
export const everything = {text: '', actor: '', action: '', from: '', to: ''};

/**
 * Text of an entry's action; one that this console does not know is shown in words.
 *
 * @param {{action: string, subject: string}} entry
 */
export function actionText({action, subject}) {
    if (subject.startsWith(sessionPrefix)) {
        return action === 'CREATE_TOKEN' ? 'Sign in' : 'Sign out';
    }
    const known = actions.find(([name]) => name === action);
    if (known) return known[1];
    return capitalized(action.replaceAll(/[_-]/g, ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2')
        .toLowerCase());
}

/**
 * True for actions whose subject is the number of a version.
 *
 * @param {string} action
 */
export function isOfVersion(action) {
    return ['PUBLISH', 'ROLLBACK', 'UNDO'].includes(action);
}

/**
 * The filter in an address; unknown actions and invalid days are left out.
 *
 * @param {URLSearchParams} query
 * @returns {AuditFilter}
 */
export function filterIn(query) {
    /** @param {string} name */
    const day = (name) => {
        const text = query.get(name) ?? '';
        return /^\d{4}-\d\d-\d\d$/.test(text) && startOf(text) ? text : '';
    };
    const action = query.get('action') ?? '';
    return {
        text: query.get('text') ?? '', actor: query.get('actor') ?? '',
        action: actions.some(([name]) => name === action) ? action : '',
        from: day('from'), to: day('to'),
    };
}

/**
 * The members of a filter that are given, for the address.
 *
 * @param {AuditFilter} filter
 * @returns {Record<string, string>}
 */
export function given(filter) {
    return Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, value.trim()])
        .filter(([, value]) => value));
}

/**
 * Query of the request for a filter; days are those of the browser's time zone.
 *
 * @param {AuditFilter} filter
 * @returns {Record<string, string>}
 */
export function searchParameters(filter) {
    const {from, to, ...texts} = given(filter);
    const [startTime, endTime] = [startOf(from), startOf(to, 1)];
    return {...texts, ...startTime && {startTime}, ...endTime && {endTime}};
}

/**
 * Time at which a day begins, or one some days later; undefined without a valid day.
 *
 * @param {string | undefined} day
 * @param {number} [later]
 */
function startOf(day, later = 0) {
    const date = new Date(`${day}T00:00:00`);
    if (Number.isNaN(date.getTime())) return undefined;
    // Adding hours would be wrong where clocks change.
    date.setDate(date.getDate() + later);
    return date.toISOString();
}

/**
 * Display name of what an entry is about.
 *
 * @param {string} subject
 */
export function subjectText(subject) {
    return subject.startsWith(sessionPrefix)
        ? sessionPrefix + administratorName(subject.slice(sessionPrefix.length)) : subject;
}
