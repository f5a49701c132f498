/**
 * User page: the configuration of a user, with the reason for each value.
 */

import {call, projectPath} from './api.js';
import {badge, choice, field, message, pageHead, settingName, table} from './controls.js';
import {announce, fill, h} from './dom.js';
import {entries} from './json.js';
import {jsonText, parseJSON} from './json-text.js';
import {overridesView} from './overrides-view.js';
import {previewDraft} from './proposal.js';
import {refusal} from './session.js';
import {assumption, signalFields} from './signal-fields.js';

/** Reason for a setting's value: override, condition or default. */
function reasonText({source, condition, falseConditions = []}) {
    const others = falseConditions.length
        ? `, since ${falseConditions.map((name) => `“${name}”`).join(', ')} `
            + `${falseConditions.length === 1 ? 'is' : 'are'} false` : '';
    switch (source) {
    case 'OVERRIDE': return 'Pinned for this user';
    case 'CONDITION': return `Condition “${condition}” is true${others}`;
    default: return `Default value${others}`;
    }
}

function settingsTable(settings) {
    const rows = entries(settings ?? {}).flatMap(([section, reasons]) => (
        entries(reasons).map(([key, reason]) => h('tr', {},
            h('th', {scope: 'row'}, settingName(section, key)),
            h('td', {}, reason.value === undefined
                ? h('span', {class: 'muted'}, 'Left out: the app uses its own default')
                : h('code', {class: 'value'}, jsonText(reason.value))),
            h('td', {class: 'wide'}, reasonText(reason))))));
    return table('Settings of the user', ['Setting', 'Value', 'Why'], rows);
}

/** Percentile of a user for a seed, which decides `percent` rules. */
function percentileText({seed, percentile}) {
    return h('div', {class: 'muted'}, `The user's place${seed ? ` for “${seed}”` : ''} is `
        + `${percentile} of 100.`);
}

function conditionsTable(conditions) {
    return table('Conditions of the user', ['Condition', 'Result', 'Why'],
        (conditions ?? []).map(({name, result, failedRule, reason, percentiles = []}) => h('tr', {},
            h('th', {scope: 'row'}, name),
            h('td', {}, badge(result ? 'True' : 'False', result ? 'good' : '')),
            h('td', {class: 'wide'}, failedRule && h('div', {}, h('code', {}, failedRule)),
                reason && h('div', {class: 'muted'}, `${reason}.`),
                // A rule that is false because of its percentile says so in its reason.
                !reason && percentiles.map(percentileText)))));
}

/** Version or draft that a preview is based on. */
function basis(isDraft, {versionNumber, isMerged}) {
    if (!isDraft) return `By version ${versionNumber}`;
    return isMerged ? `By the draft, put together with version ${versionNumber}` : 'By the draft';
}

function show(main, context) {
    const {session, workspace, project} = context;
    const left = new AbortController();
    const refused = refusal(session, 'editor');
    const key = `activeconfig.user.${project}`;
    const kept = parseJSON(sessionStorage.getItem(key) ?? '{"userID": "", "signals": {}}');
    const userID = h('input', {type: 'text', autocomplete: 'off', spellcheck: 'false',
        value: context.query.get('id') ?? kept.userID});
    const which = choice([['published', 'What is published'], ['draft', 'The draft']],
        workspace.draft ? 'draft' : 'published');
    const outcome = h('div', {class: 'stack'});
    const overrides = h('div', {});
    const signals = signalFields(kept.signals);

    const look = async () => {
        const user = {userID: userID.value || null, signals: signals.values()};
        sessionStorage.setItem(key, jsonText({...user, userID: userID.value}));
        fill(overrides, user.userID !== null
            && overridesView(context, user.userID, () => look(), left.signal));
        if (refused) return;
        try {
            const isDraft = workspace.draft && which.value === 'draft';
            const body = isDraft ? await previewDraft(workspace, [user], left.signal)
                : (await call('POST', projectPath(project, 'remoteConfig:preview'), {
                    signal: left.signal, body: {users: [user]}})).body;
            const [answer] = body.users;
            const document = isDraft ? answer.proposed : answer.current;
            fill(outcome,
                h('h2', {}, user.userID === null ? 'Users without an ID' : `User ${user.userID}`,
                    ' ', badge(basis(isDraft, body))),
                assumption(answer),
                settingsTable(answer.settings),
                h('h2', {}, 'Conditions'), conditionsTable(answer.conditions),
                h('details', {class: 'card document'}, h('summary', {}, 'The document as JSON'),
                    h('pre', {tabindex: '0'}, jsonText(document, '  '))));
            announce(`This is what ${user.userID === null ? 'users without an ID get'
                : `user ${user.userID} gets`}.`);
        } catch (error) {
            if (!left.signal.aborted) fill(outcome, message('error', error.message));
        }
    };
    fill(main,
        pageHead('Try as a user', 'What a user gets, and why.'),
        h('section', {class: 'card', 'aria-labelledby': 'who'},
            h('div', {class: 'card-head'}, h('h2', {id: 'who'}, 'Who')),
            h('div', {class: 'card-body'}, h('form', {class: 'form', onsubmit: (event) => {
                event.preventDefault();
                look();
            }},
            h('div', {class: 'pair'},
                field('User ID', userID, {hint: 'Empty stands for users without an ID.'}),
                workspace.draft && field('By', which)),
            signals.node, h('div', {class: 'actions'},
                h('button', {type: 'submit', class: 'primary'}, 'Look'))))),
        refused && message('info', refused), outcome, overrides);
    if (context.query.get('id') || kept.userID) look();
    return () => left.abort();
}

export const userPage = {path: 'user', title: 'Try as a user', show};
