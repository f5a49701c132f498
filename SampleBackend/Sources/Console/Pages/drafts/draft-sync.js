/**
 * How a tab's draft and the server's are kept the same: a state machine without a page, a server or
 * a clock. An event results in the next state, and in effects, which the workspace carries out.
 *
 * | phase   | the server's draft                      | left by                                  |
 * | ------- | --------------------------------------- | ---------------------------------------- |
 * | saved   | is the draft as shown                   | an edit → saving                         |
 * | saving  | is being stored or deleted              | an answer → saved, saving again, merging, |
 * |         |                                         | waiting or refused                       |
 * | merging | is being read, since it is another one  | an answer → saved, saving, waiting or    |
 * |         |                                         | refused                                  |
 * | waiting | differs, after a failure                | time, an edit or a check → saving        |
 * | refused | differs: this draft is not accepted     | an edit, a retry, another token → saving |
 * | stopped | differs or not; nothing more is sent    | nothing                                  |
 *
 * One request runs at a time. An edit during a request is saved after it. Answers to requests with
 * an earlier token of the user are dropped. A 412 means that another tab or browser has saved
 * meanwhile: both are merged, and the merge is saved.
 */

import {differenceCount, reportedChanges} from '../server/server-draft.js';
import {isUnsaved, mergedDrafts, patchedBy, withoutEmpty} from './draft-state.js';
import {UnansweredSaves} from './unanswered-saves.js';

/** @typedef {{state: SyncState, effects: SyncEffect[]}} Transition */

/**
 * @param {SyncState} state
 * @param {...SyncEffect} effects
 * @returns {Transition}
 */
const to = (state, ...effects) => ({state, effects});

/** @type {SyncEffect} */
const keep = {type: 'keep'};
/** @type {SyncEffect} */
const change = {type: 'change'};

/**
 * Begins to save the draft: stores it, deletes the server's, or reads that first if a save without
 * an answer may have created it.
 *
 * @param {SyncState} state
 * @param {...SyncEffect} effects
 */
function save(state, ...effects) {
    const {draft, saved, token} = state;
    if (!draft && !saved) {
        return to({...state, phase: 'merging', sent: null}, ...effects, {type: 'read', token});
    }
    return to({...state, phase: 'saving', sent: draft}, ...effects, draft
        ? {type: 'store', draft, patched: patchedBy(state), token}
        : {type: 'delete', tag: saved?.tag ?? '', token});
}

/**
 * Continues when no request is running: saves what differs.
 *
 * @param {SyncState} state
 * @param {...SyncEffect} effects
 */
function proceed(state, ...effects) {
    return isUnsaved(state) ? save(state, ...effects)
        : to({...state, phase: 'saved', sent: null, problem: null}, ...effects, keep, change);
}

/**
 * @param {SyncState} state
 * @param {SyncEvents['edit']} event
 * @returns {SyncState}
 */
function edited(state, {draft, overwritten = [], replaced = null, left = []}) {
    return {...state, draft: withoutEmpty(draft), overwritten, replaced, left};
}

/** @param {SyncState} state @returns {SyncState} */
const renewed = (state) => ({...state, token: state.token + 1, saved: null, unanswered: []});

/**
 * The state after the server has stored the draft that was sent. If it reports no differences, the
 * draft ends.
 *
 * @param {SyncState} state
 * @param {SyncEvents['stored']} event
 * @returns {SyncState}
 */
function stored(state, {answer, tag}) {
    const {draft, sent} = state;
    if (!sent) return state;
    const saved = {template: sent.template, base: sent.base, tag};
    const isSame = answer.changes && !differenceCount(answer.changes);
    return {...state, saved, unanswered: [], draft: draft !== sent ? draft
        : isSame ? null : {...sent, ...reportedChanges(answer)}};
}

/**
 * @param {SyncState} state
 * @param {SyncEvents['failed']} event
 */
function failed(state, {reason, message, token}) {
    const {draft, sent, phase} = state;
    const isCurrent = token === state.token;
    /** @type {SyncState} */
    let next = state;
    if (reason === 'unanswered' && phase === 'saving' && sent && isCurrent) {
        const unanswered = new UnansweredSaves(state.unanswered);
        unanswered.add(sent);
        next = {...state, unanswered: unanswered.list};
    }
    if (reason === 'conflict' && phase === 'saving') {
        return to({...next, phase: 'merging'}, {type: 'read', token: state.token});
    }
    // What was sent went with its project.
    if (!isUnsaved(next)) return proceed(next);
    if (reason !== 'refused' && reason !== 'gone') {
        return to({...next, phase: 'waiting', problem: message}, {type: 'wait'}, keep, change);
    }
    // The refusal concerns an earlier draft, or another token.
    if (draft !== sent || !isCurrent) return proceed(next);
    // Reading the project shows whether it was deleted.
    return to({...next, phase: 'refused', problem: message}, keep, change,
        ...reason === 'gone' ? [/** @type {SyncEffect} */ ({type: 'load'})] : []);
}

/**
 * Merges this tab's edits with the draft that was saved elsewhere meanwhile. Keeps a draft that one
 * side discarded and the other edited. The server's draft can be one that this tab has sent; its
 * edits then continue from there.
 *
 * @param {SyncState} state
 * @param {SyncEvents['read']} event
 */
function merged(state, {draft: theirs, saved, token}) {
    if (token !== state.token) return proceed(state);
    const {draft: mine, saved: before} = state;
    /** @type {SyncState} */
    const next = {...state, saved, unanswered: []};
    if (new UnansweredSaves(state.unanswered).has(saved)) return proceed(next);
    if (!theirs || !mine) return proceed({...next, draft: mine ?? theirs}, change);
    const {template, base, conflicts, replaced} = mergedDrafts(
        before?.template ?? mine.baseTemplate, mine, theirs);
    const {baseTemplate, etag, isBaseGone} = base === theirs.base ? theirs : mine;
    const isTheirs = template === theirs.template && base === theirs.base;
    return proceed({...next, overwritten: conflicts, replaced, draft: {template, base,
        baseTemplate, etag, changes: isTheirs ? theirs.changes : null, isBaseGone}},
    ...replaced ? [/** @type {SyncEffect} */ ({type: 'record', replaced})] : [], change);
}

/**
 * True if nothing has changed since the server's draft was asked for: its answer is not older than
 * the tab's state.
 *
 * @param {SyncState} state
 * @param {SyncState} seen State when it was asked for.
 */
function isUnchanged(state, seen) {
    return state.draft === seen.draft && state.saved === seen.saved && state.token === seen.token;
}

/**
 * Adopts the draft that another tab or browser has saved. One that ended may have been published,
 * so the version is read again.
 *
 * @param {SyncState} state
 * @param {SyncEvents['found']} event
 */
function adopted(state, {found, seen}) {
    if (!found || !isUnchanged(state, seen)) return to(state);
    const next = {...state, ...found};
    if (!state.saved && !found.saved) return to(next);
    return to(next, state.draft && !found.draft ? {type: 'load'} : change);
}

/**
 * Shows the version that was read, and the draft that was read with it.
 *
 * @param {SyncState} state
 * @param {SyncEvents['loaded']} event
 */
function loaded(state, {current, found, seen}) {
    const isTaken = found && state.phase === 'saved' && isUnchanged(state, seen);
    return to({...state, current, newestVersion: current.version, ...isTaken ? found : {}});
}

/**
 * The state of another project of the same name: what the tab has of the deleted one ends, also the
 * answers to its requests.
 *
 * @param {SyncState} state
 * @param {SyncEvents['replaced']} event
 * @returns {SyncState}
 */
function replaced(state, {current, found, dropped}) {
    return {...renewed(state), current, newestVersion: current.version, draft: found?.draft ?? null,
        saved: found?.saved ?? null, overwritten: [], replaced: null, left: [], dropped};
}

/**
 * What every phase does alike.
 *
 * @type {SyncHandlers}
 */
const always = {
    loaded,
    newest: (state, {version}) => (
        version?.versionNumber === state.newestVersion?.versionNumber ? to(state)
            : to({...state, newestVersion: version}, change)),
    noted: (state) => to({...state, dropped: []}, change),
    publishing: (state, {isPublishing}) => to({...state, isPublishing}, change),
    published: (state, {publish}) => to({...state, publish}, change),
    stop: (state) => to({...state, phase: 'stopped'}),
};

/**
 * While a request runs.
 *
 * @type {SyncHandlers}
 */
const running = {
    ...always, failed,
    edit: (state, event) => to(edited(state, event), keep, change),
    renew: (state) => to(renewed(state), keep),
    replaced: (state, event) => to(replaced(state, event), keep, change),
};

/**
 * While none runs.
 *
 * @type {SyncHandlers}
 */
const resting = {
    ...always,
    edit: (state, event) => proceed(edited(state, event), keep, change),
    renew: (state) => proceed(renewed(state), keep),
    replaced: (state, event) => proceed(replaced(state, event)),
};

/**
 * What an event does in a phase; an event that is not listed changes nothing.
 *
 * @type {Record<SyncPhase, SyncHandlers>}
 */
export const table = {
    saved: {
        ...resting, found: adopted,
        check: (state, {hasDialog}) => (
            hasDialog ? to(state) : to(state, {type: 'look', tag: state.saved?.tag})),
    },
    saving: {
        ...running,
        stored: (state, event) => (event.token === state.token
            ? proceed({...stored(state, event), problem: null}, {type: 'notify'})
            : proceed(state)),
        deleted: (state, {token}) => (token === state.token
            ? proceed({...state, saved: null, unanswered: [], problem: null}, {type: 'notify'})
            : proceed(state)),
    },
    merging: {...running, read: merged},
    waiting: {
        ...resting,
        check: (state) => save(state), retry: (state) => save(state),
        waited: (state) => save(state),
    },
    refused: {...resting, retry: (state) => save(state)},
    stopped: {
        ...always,
        edit: (state, event) => to(edited(state, event), keep, change),
        renew: (state) => to(renewed(state)),
        stored: (state, event) => (
            event.token === state.token ? to(stored(state, event), keep) : to(state)),
        deleted: (state, {token}) => (
            token === state.token ? to({...state, saved: null, unanswered: []}, keep) : to(state)),
    },
};

/**
 * The state after an event, and the effects to carry out in their order.
 *
 * @param {SyncState} state
 * @param {SyncEvent} event
 * @returns {Transition}
 */
export function afterEvent(state, event) {
    /** @type {any} */
    const handler = table[state.phase][event.type];
    return handler ? handler(state, event) : to(state);
}
