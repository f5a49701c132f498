/**
 * Effect of a draft on users: those connected now, and those entered by ID.
 */

import {count, field, message, settingName} from './controls.js';
import {fill, h} from './dom.js';
import {entries, member} from './json.js';
import {jsonText, parseJSON} from './json-text.js';
import {previewDraft} from './proposal.js';
import {refusal} from './session.js';
import {assumption, signalFields} from './signal-fields.js';

/** Version that the draft is compared with, and whether the draft was merged with it. */
function basisView({versionNumber, isMerged, conflictCount}) {
    if (versionNumber === undefined) {
        return h('p', {class: 'hint'}, 'Nothing is published yet.');
    }
    const both = `${count(conflictCount, 'thing')} that you both changed`;
    return h('p', {class: 'hint'}, `Compared with version ${versionNumber}, which is current`
        + (isMerged ? ': your draft is put together with it, as before it is published.' : '.')
        + (conflictCount ? ` Of ${both}, yours counts here; you choose before you publish.` : ''));
}

/** Share of the connected users who change; null when the server did not report any. */
function connectedView(connected) {
    if (!connected) return null;
    const {evaluated, changed, isComplete, users = []} = connected;
    const sentence = evaluated === 0 ? 'No user is connected now.'
        : `Of ${count(evaluated, 'connected user')} ${new Intl.NumberFormat().format(changed)} `
            + `${changed === 1 ? 'changes' : 'change'}.`;
    return h('div', {class: 'stack tight'},
        h('p', {class: 'figure'}, sentence),
        evaluated > 0 && h('meter', {min: '0', max: String(evaluated), value: String(changed),
            'aria-label': 'Share of the connected users who change'}),
        !isComplete && h('p', {class: 'hint'},
            'Not all could be looked at: there are more than this server evaluates for a preview.'),
        users.length > 0 && h('details', {}, h('summary', {},
            users.length < changed ? `${users.length} of those who change` : 'Who changes'),
        h('ul', {class: 'plain users'}, users.map((user) => h('li', {}, h('code', {}, user))))));
}

/** Value of a setting in a user's configuration document, as JSON text. */
function valueIn(document, section, key) {
    const settings = member(document?.config_sections, section)?.settings;
    const value = member(settings, key)?.value;
    return value === undefined ? 'Not there' : jsonText(value);
}

/** Settings that change for one user, before and after. */
function userView(user) {
    const {userID, current, proposed, changes, missingSignals = []} = user;
    const same = missingSignals.length ? 'Nothing changes as far as is known' : 'Nothing changes';
    const changed = entries(changes ?? {})
        .flatMap(([section, keys]) => keys.map((key) => [section, key]));
    return h('li', {class: 'difference'},
        h('div', {class: 'difference-head'}, h('code', {}, userID ?? 'Users without an ID'),
            h('span', {class: 'muted'}, changed.length ? count(changed.length, 'setting') : same)),
        assumption(user),
        h('dl', {class: 'parts'}, changed.map(([section, key]) => h('div', {},
            h('dt', {}, settingName(section, key)),
            h('dd', {},
                h('div', {class: 'side old'}, h('span', {class: 'side-label'}, 'Before'),
                    h('code', {}, valueIn(current, section, key))),
                h('div', {class: 'side new'}, h('span', {class: 'side-label'}, 'After'),
                    h('code', {}, valueIn(proposed, section, key))))))));
}

/**
 * Card that shows which users the draft changes. The entered users and signals are kept in
 * `sessionStorage`.
 *
 * @param {object} context Page context.
 * @param {AbortSignal} signal Aborts the requests.
 */
export function impactView({session, workspace, project}, signal) {
    const place = h('div', {class: 'stack', 'aria-live': 'polite'},
        h('p', {class: 'muted'}, 'Looking …'));
    const key = `activeconfig.impact.${project}`;
    const kept = parseJSON(sessionStorage.getItem(key) ?? '{"users": "", "signals": {}}');
    const input = h('input', {type: 'text', autocomplete: 'off', spellcheck: 'false',
        value: kept.users});
    const signals = signalFields(kept.signals);
    const refused = refusal(session, 'editor');
    const look = async () => {
        const users = [...new Set(input.value.split(/[,\s]+/).filter(Boolean))].slice(0, 100);
        const values = signals.values();
        sessionStorage.setItem(key, jsonText({users: input.value, signals: values}));
        try {
            const answer = await previewDraft(
                workspace, users.map((userID) => ({userID, signals: values})), signal);
            fill(place, basisView(answer), connectedView(answer.connected), answer.users.length
                ? h('ul', {class: 'plain'}, answer.users.map(userView))
                : !answer.connected && h('p', {class: 'muted'},
                    'Name some users to see what changes for them.'));
        } catch (error) {
            if (!signal.aborted) fill(place, message('warning', error.message));
        }
    };
    if (refused) fill(place, message('info', refused));
    else look();
    return h('section', {class: 'card', 'aria-labelledby': 'impact'},
        h('div', {class: 'card-head'}, h('h2', {id: 'impact'}, 'Who changes')),
        h('div', {class: 'card-body'}, place,
            !refused && h('form', {class: 'form', onsubmit: (event) => {
                event.preventDefault();
                look();
            }},
            h('div', {class: 'with-button'}, field('Also look at these users', input,
                {hint: 'User IDs with commas between them.'}),
            h('button', {type: 'submit'}, 'Look')),
            h('details', {}, h('summary', {}, 'What their apps say about themselves'),
                h('div', {class: 'form'}, signals.node)))));
}
