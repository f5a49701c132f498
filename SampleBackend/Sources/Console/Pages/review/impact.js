/**
 * Effect of a draft or a change request on users: those connected now, and those entered by ID.
 */

import {field, message, settingName} from '../controls/controls.js';
import {announce, fill, focusOn, h} from '../controls/dom.js';
import {folded} from '../controls/folded.js';
import {shownAnswer} from '../controls/shown-answer.js';
import {jsonText} from '../json/json-text.js';
import {entries, member} from '../json/json.js';
import {refusal} from '../server/session.js';
import {pasteListed} from '../template/value-list.js';
import {count} from '../text/formats.js';
import {marked} from '../text/hidden-characters.js';
import {naturalOrder} from '../text/natural-order.js';
import {connectedOffer} from '../users/connected-signals.js';
import {NamedUsers} from '../users/named-users.js';
import {assumption} from '../users/signal-fields.js';
import {connectedText, doubtsView, estimateView, reachView} from './reach-view.js';

/** Maximum number of connected users that the server lists. */
const maximumUsers = 100;

/**
 * What a preview is of. `preview` evaluates users under it; `merged` says what is merged with the
 * current version where that is newer, `conflicting` which side counts for a number of conflicts.
 *
 * @typedef {object} ImpactSource
 * @property {{user: string, project: string}} owner Who enters users, and where.
 * @property {(users: PreviewUser[], signal: AbortSignal) => Promise<DraftPreview>} preview
 * @property {string} merged
 * @property {(conflictCount: number) => string} conflicting
 */

/**
 * The version with which the preview compares, and whether a merge with it is previewed.
 *
 * @param {DraftPreview} draftPreview
 * @param {ImpactSource} source
 */
function basisView({versionNumber, isMerged, conflictCount}, {merged, conflicting}) {
    if (versionNumber === undefined) {
        return h('p', {class: 'hint'}, 'Nothing is published yet.');
    }
    return h('p', {class: 'hint'}, `Compared with version ${versionNumber}, which is current`
        + (isMerged ? `: ${merged}.` : '.')
        + (conflictCount ? ` ${conflicting(conflictCount)}` : ''));
}

/**
 * Share of the connected apps that change, and their users; null when the server reported none. A
 * user with several devices has several apps.
 *
 * @param {ConnectedPreview | undefined} connected
 */
function connectedView(connected) {
    if (!connected) return null;
    const {evaluated, changed, isComplete, users = []} = connected;
    const names = users.flatMap((user) => user ?? []).sort(naturalOrder);
    return h('div', {class: 'stack tight'},
        h('p', {class: 'figure'}, connectedText(connected)),
        evaluated > 0 && h('meter', {min: '0', max: String(evaluated), value: String(changed),
            'aria-label': 'Share of the connected apps that change'}),
        !isComplete && h('p', {class: 'hint'},
            'Not all were evaluated: this server limits their number in a preview.'),
        users.length > 0 && h('details', {}, h('summary', {},
            users.length < maximumUsers ? 'Who changes' : `${maximumUsers} of those who change`),
        h('ul', {class: 'plain users'},
            names.map((user) => h('li', {}, h('code', {}, marked(user)))),
            names.length < users.length && h('li', {}, 'Users without an ID'))));
}

/**
 * Value of a setting in a user's configuration document, as JSON text.
 *
 * @param {ConfigurationDocument | undefined} document
 * @param {string} section
 * @param {string} key
 */
function valueIn(document, section, key) {
    const settings = member(document?.config_sections, section)?.settings;
    const value = member(settings, key)?.value;
    return value === undefined ? 'Not there' : jsonText(value);
}

/**
 * Settings that change for one user, before and after; `offer` is the list of connected signals.
 *
 * @param {PreviewedUser} user
 * @param {?HTMLElement} offer
 */
function userView(user, offer) {
    const {userID, current, proposed, changes, missingSignals = []} = user;
    const same = missingSignals.length ? 'Nothing changes with these signals' : 'Nothing changes';
    const changed = entries(changes ?? {})
        .flatMap(([section, keys]) => keys.map((key) => [section, key]));
    return h('li', {class: 'difference'},
        h('div', {class: 'difference-head', tabindex: '-1', 'data-focus': `user ${userID}`},
            h('code', {}, marked(userID ?? 'Users without an ID')),
            h('span', {class: 'muted'}, changed.length ? count(changed.length, 'setting') : same)),
        assumption(user), offer,
        folded(changed, (some) => h('dl', {class: 'parts'}, some.map(([section, key]) => (
            h('div', {}, h('dt', {}, settingName(section, key)),
                h('dd', {},
                    h('div', {class: 'side old'}, h('span', {class: 'side-label'}, 'Before'),
                        h('code', {}, valueIn(current, section, key))),
                    h('div', {class: 'side new'}, h('span', {class: 'side-label'}, 'After'),
                        h('code', {}, valueIn(proposed, section, key))))))))));
}

/**
 * Card that shows which users a draft or a request changes: connected users, and those entered by
 * ID.
 *
 * @param {Session} session
 * @param {ImpactSource} source
 * @param {AbortSignal} left Aborts the requests.
 */
export function impactView(session, source, left) {
    const place = h('div', {class: 'stack', 'aria-live': 'polite'},
        h('p', {class: 'muted'}, 'Previewing …'));
    const previewed = h('div', {class: 'previewed-users', 'aria-live': 'polite'});
    const named = new NamedUsers(source.owner);
    const number = h('p', {class: 'hint', role: 'status'});
    /** Keeps what is entered but not previewed: a change of the edit draws this card again. */
    const keep = () => {
        named.keep(input.value);
        countUsers();
    };
    const countUsers = () => {
        number.textContent = named.count > 1 ? count(named.count, 'user') : '';
    };
    const input = h('input', {type: 'text', autocomplete: 'off', spellcheck: 'false',
        'data-focus': 'previewed users', value: named.text, onpaste: pasteListed});
    countUsers();
    const refused = refusal(session, 'editor');
    /** @param {PreviewedUser} user */
    const view = (user) => userView(user, connectedOffer(
        user, named.signalsOf(user.userID ?? ''), async (signals) => {
            named.read(input.value);
            named.set(user.userID ?? '', signals);
            await preview();
            focusOn(`user ${user.userID}`, previewed);
            announce(`User ${user.userID} now has the signals of a connected app.`);
        }));
    const preview = shownAnswer(place, left, async (signal) => {
        named.read(input.value);
        const answer = await source.preview(named.list, signal).catch((error) => {
            if (!signal.aborted) fill(previewed);
            throw error;
        });
        fill(previewed, answer.users.length > 0
            && h('ul', {class: 'plain'}, answer.users.map(view)));
        return [named.count > named.list.length && message('warning', 'Only the first '
            + `${named.list.length} of ${count(named.count, 'user')} are previewed.`),
        doubtsView(answer.doubts), reachView(answer.reach), basisView(answer, source),
        estimateView(answer.estimate), connectedView(answer.connected),
        !answer.users.length && !answer.connected && h('p', {class: 'muted'},
            'Enter some users to see what changes for them.')];
    }, 'warning');
    /** @param {SubmitEvent} event */
    const submit = (event) => {
        event.preventDefault();
        if (named.check()) preview();
    };
    if (refused) fill(place, message('info', refused));
    else preview();
    return h('section', {class: 'card', 'aria-labelledby': 'impact'},
        h('div', {class: 'card-head'}, h('h2', {id: 'impact'}, 'Who changes')),
        h('div', {class: 'card-body impact'}, place,
            !refused && h('form', {
                class: 'form', oninput: keep, onchange: keep, onsubmit: submit},
            h('div', {class: 'with-button'}, field('Also preview these users', input,
                {hint: 'User IDs, separated by commas or line breaks.', problems: number}),
            h('button', {type: 'submit'}, 'Preview')), named.node), previewed));
}
