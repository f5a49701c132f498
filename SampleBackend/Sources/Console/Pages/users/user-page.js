/**
 * User page: a user's configuration now and with the draft, or at an earlier time, with the reason
 * for each value.
 */

import {knownSignals} from '../conditions/known-signals.js';
import {field, guarded, message, pageHead} from '../controls/controls.js';
import {copyButton} from '../controls/copy-button.js';
import {announce, fill, h} from '../controls/dom.js';
import {showResult} from '../controls/focus.js';
import {PageInput} from '../controls/page-input.js';
import {jsonText, storedObject} from '../json/json-text.js';
import {member} from '../json/json.js';
import {fragment, wholeAddress} from '../routing/address-bar.js';
import {address, go, setQuery} from '../routing/router.js';
import {call, projectPath} from '../server/api.js';
import {newestRequest} from '../server/newest-request.js';
import {refusal} from '../server/session.js';
import {readVersion} from '../server/versions.js';
import {ownKey} from '../storage/stored-data.js';
import {withLocalTimes} from '../text/formats.js';
import {hiddenCharacters, marked} from '../text/hidden-characters.js';
import {connectedOffer} from './connected-signals.js';
import {overridesView} from './overrides-view.js';
import {pastHead, pastTimeField} from './past-view.js';
import {previewDraft} from './proposal.js';
import {assumption, signalFields, signalParameters, signalsOf} from './signal-fields.js';
import {userView} from './user-view.js';

/**
 * User and signals that were entered last at this address, else those in the address, else those
 * that the tab previewed last. A time, as the text of its field, is only in the first.
 *
 * @param {URLSearchParams} query
 * @param {string} key
 * @param {PageInput} input
 * @returns {{userID: string, signals: SignalValues, at?: string}}
 */
function initialUser(query, key, input) {
    const {content} = input;
    if (content && (!query.size || content.place === fragment())) return content;
    const signals = signalsOf(query);
    if (query.has('id') || Object.keys(signals).length) {
        return {userID: query.get('id') ?? '', signals};
    }
    return {userID: '', signals: {}, ...storedObject(sessionStorage.getItem(key))};
}

/**
 * Stores the user that the tab previews.
 *
 * @param {string} key
 * @param {PreviewUser} user
 */
function keepUser(key, user) {
    try {
        sessionStorage.setItem(key, jsonText(user));
    } catch {
        // The storage is full: the address still has the user.
    }
}

/** @param {PreviewUser} user */
function nameOf({userID}) {
    return userID === null ? 'users without an ID' : `user ${marked(userID)}`;
}

/**
 * Heading of the result, with what is unusual about the ID.
 *
 * @param {PreviewUser} user
 */
function userHead({userID}) {
    const hidden = hiddenCharacters(userID ?? '');
    return [
        h('div', {class: 'page-head'},
            h('h2', {}, userID === null ? 'Users without an ID' : `User ${marked(userID)}`),
            h('div', {class: 'actions'}, copyButton('Copy link', wholeAddress))),
        hidden && message('warning', `This ID ${hidden}. It is another user than the one `
            + 'without it.'),
        /[,;]\s/.test(userID ?? '') && message('warning', 'This is one user ID. '
            + 'Enter the ID of one user at a time.'),
    ];
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const {session, workspace, project} = context;
    const left = new AbortController();
    const nextRequest = newestRequest(left.signal);
    const refused = refusal(session, 'editor');
    const key = ownKey('user', workspace);
    const input = new PageInput('user', workspace);
    const kept = initialUser(context.query, key, input);
    const userID = h('input', {type: 'text', autocomplete: 'off', spellcheck: 'false',
        value: kept.userID,
        // What is typed or pasted; an ID of an address is exact.
        onchange: () => {
            userID.value = userID.value.trim();
        },
        // A field of one line would join the lines of a pasted list by spaces.
        onpaste: (/** @type {ClipboardEvent} */ event) => {
            const text = event.clipboardData?.getData('text').trim() ?? '';
            if (!/[\r\n]/.test(text)) return;
            event.preventDefault();
            document.execCommand('insertText', false, text.replace(/\s*[\r\n]\s*/g, ', '));
        }});
    const outcome = h('div', {class: 'stack'});
    const overrides = h('div', {});
    const filter = {text: '', isDifferentOnly: false, conditions: {text: ''}};
    const pinSearch = {text: ''};
    const signals = signalFields(kept.signals,
        knownSignals(workspace.template, left.signal, project));
    const past = pastTimeField(context.query.get('at'), kept.at);

    /**
     * @param {PreviewUser} user
     * @param {AbortSignal} signal
     * @param {?string} [at]
     * @returns {Promise<Preview>}
     */
    const preview = async (user, signal, at = null) => (await call(
        'POST', projectPath(project, 'remoteConfig:preview'),
        {signal, body: {users: [user], ...at && {at}}})).body;

    /**
     * Shows what a user got at an earlier time.
     *
     * @param {PreviewUser} user
     * @param {string} at
     * @param {AbortSignal} signal
     */
    const showPast = async (user, at, signal) => {
        try {
            const then = await preview(user, signal, at);
            const {template} = await readVersion(project, then.versionNumber);
            if (signal.aborted) return;
            fill(outcome, userHead(user), pastHead(then), assumption(then.users[0]),
                userView({workspace, now: then, draft: null, filter, template}));
            announce(`Showing what ${nameOf(user)} got at version ${then.versionNumber}.`);
        } catch (error) {
            if (signal.aborted) return;
            fill(outcome, message('error', withLocalTimes(error.message)));
        }
    };

    /** Keeps what was entered but not previewed. */
    const keepInput = () => input.keep(
        {place: fragment(), userID: userID.value, signals: signals.entered(), at: past.text()});
    /** @type {Promise<?Preview>} */
    let previewNow = Promise.resolve(null);
    /** @type {ReasonOf} */
    const reasonOf = async (section, key) => (
        member(member((await previewNow)?.users[0].settings, section), key));
    // A link to a connected user leads to what its app gets.
    let isConnected = context.query.has('connected');
    let looked = '';
    const entered = () => jsonText([userID.value, signals.values(), past.text()]);
    /**
     * Shows the entered user.
     *
     * @param {{isAsked?: boolean, change?: PinChange}} [reason] `isAsked` is true for a press of
     *     the button, and `change` a pin that was changed: what the user looks for then.
     */
    const look = async (reason = {}) => {
        const {isAsked = false, change} = reason;
        // A pin may have been stored after the page was left.
        if (left.signal.aborted) return;
        const signal = nextRequest();
        looked = entered();
        const user = {userID: userID.value || null, signals: signals.values()};
        const at = refused ? null : past.time();
        keepUser(key, {...user, userID: userID.value});
        // The address is a link to this user. An empty ID means users without an ID.
        setQuery({id: userID.value, at: at ?? undefined, ...signalParameters(user.signals)});
        // What is incomplete now belongs to this address.
        if (input.content) keepInput();
        const asked = refused || at || workspace.version === null ? null : preview(user, signal);
        previewNow = Promise.resolve(asked).catch(() => null);
        // Pins are those of now.
        fill(overrides, user.userID !== null && !at
            && overridesView(context, user.userID, pinSearch,
                (done) => look({change: done}), signal, {change, reasonOf}));
        if (refused) {
            if (isAsked) showResult(overrides.querySelector('h2'));
            return;
        }
        if (at) {
            await showPast(user, at, signal);
            if (isAsked && !signal.aborted) showResult(outcome.querySelector('h2'));
            return;
        }
        try {
            const [now, draft] = await Promise.all([
                asked, workspace.draft && previewDraft(workspace, [user], signal)]);
            if (signal.aborted) return;
            if (!now && !draft) {
                fill(outcome, message('info', 'Nothing is published yet, and there is no draft.'));
                return;
            }
            const [previewed] = (draft ?? /** @type {Preview} */ (now)).users;
            // Without signals, the address would stay the same.
            const sent = previewed.connectedSignals?.find((each) => Object.keys(each).length);
            if (isConnected && sent) {
                location.replace(address(
                    'user', {id: user.userID ?? '', ...signalParameters(sent)}));
                return;
            }
            isConnected = false;
            const view = userView({workspace, now, draft, filter});
            fill(outcome, userHead(user), assumption(previewed),
                connectedOffer(previewed, user.signals, (taken) => go(
                    'user', {id: user.userID ?? '', ...signalParameters(taken)})), view);
            if (isAsked) showResult(outcome.querySelector('h2'));
            // The change of a pin is announced already.
            if (!change) announce(`Showing what ${nameOf(user)} `
                + `${user.userID === null ? 'get' : 'gets'}.`);
        } catch (error) {
            if (!signal.aborted) fill(outcome, message('error', error.message));
        }
    };
    fill(main,
        pageHead('Try as a user', refused ? 'The values that are pinned for a user. Editors also '
            + 'see what a user gets, and why.' : 'What a user gets, and why.'),
        h('section', {class: 'card', 'aria-labelledby': 'who'},
            h('div', {class: 'card-head'}, h('h2', {id: 'who'}, 'Who')),
            h('div', {class: 'card-body'}, h('form', {class: 'form', oninput: keepInput,
                onchange: keepInput, onsubmit: (event) => {
                event.preventDefault();
                if (!signals.check()) return;
                input.forget();
                look({isAsked: true});
            }},
            field('User ID', userID, {hint: refused
                ? 'Values can be pinned for users with an ID.'
                : 'Empty means users without an ID.'}),
            !refused && [signals.node, past.node], h('div', {class: 'actions'},
                refused && h('button', {type: 'submit', class: 'primary'}, 'Show pinned values'),
                guarded(refused, h('button', {type: refused ? 'button' : 'submit',
                    class: refused ? '' : 'primary'}, 'Preview')))))),
        overrides, outcome);
    // Keep input that has not been previewed yet.
    workspace.addEventListener('versionchange', () => looked === entered() && look(), {
        signal: left.signal});
    if (kept.userID || context.query.has('id') || Object.keys(kept.signals).length) look();
    return () => left.abort();
}
