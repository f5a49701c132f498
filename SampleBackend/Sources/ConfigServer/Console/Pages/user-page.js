/**
 * A user's configuration, and why each value is what it is.
 */

import {call, projectPath} from './api.js';
import {badge, choice, field, message, pageHead, settingName, table} from './controls.js';
import {announce, fill, h} from './dom.js';
import {objectOf} from './json.js';
import {overridesView} from './overrides-view.js';
import {refusal} from './session.js';

const standardSignals = [
    ['app.version', 'App version'], ['app.build', 'Build'], ['device.os', 'System'],
    ['device.country', 'Country'], ['device.language', 'Language'], ['app.id', 'App ID'],
];

/** Why a setting has its value, as a sentence. */
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

/** The settings of an answer. */
function settingsTable(settings) {
    const rows = Object.entries(settings ?? {}).flatMap(([section, reasons]) => (
        Object.entries(reasons).map(([key, reason]) => h('tr', {},
            h('th', {scope: 'row'}, settingName(section, key)),
            h('td', {}, reason.value === undefined
                ? h('span', {class: 'muted'}, 'Left out: the app uses its own default')
                : h('code', {class: 'value'}, JSON.stringify(reason.value))),
            h('td', {class: 'wide'}, reasonText(reason))))));
    return table('Settings of the user', ['Setting', 'Value', 'Why'], rows);
}

/** A user's place among all, which `percent` rules look at. */
function percentileText({seed, percentile}) {
    return h('div', {class: 'muted'}, `The user's place${seed ? ` for “${seed}”` : ''} is `
        + `${JSON.stringify(percentile)} of 100.`);
}

/** The conditions of an answer. */
function conditionsTable(conditions) {
    return table('Conditions of the user', ['Condition', 'Result', 'Why'],
        (conditions ?? []).map(({name, result, failedRule, reason, percentiles = []}) => h('tr', {},
            h('th', {scope: 'row'}, name),
            h('td', {}, badge(result ? 'True' : 'False', result ? 'good' : '')),
            h('td', {class: 'wide'}, failedRule && h('div', {}, h('code', {}, failedRule)),
                reason && h('div', {class: 'muted'}, `${reason}.`),
                // A rule that is false on account of it says it in its reason.
                !reason && percentiles.map(percentileText)))));
}

/** The signals that one types. */
function signalFields(kept, submit) {
    const standard = standardSignals.map(([name, label]) => {
        const input = h('input', {type: 'text', autocomplete: 'off', spellcheck: 'false',
            value: kept[name] ?? ''});
        return {name, input, node: field(label, input)};
    });
    const own = Object.entries(kept).filter(([name]) => (
        !standardSignals.some(([known]) => known === name)));
    const custom = h('textarea', {class: 'code', rows: '2', spellcheck: 'false',
        placeholder: 'plan = gold', value: own.map((pair) => pair.join(' = ')).join('\n')});
    const values = () => objectOf([
        ...standard.map(({name, input}) => [name, input.value.trim()]),
        ...custom.value.split('\n').filter((line) => line.trim())
            .map((line) => {
                const [name, ...rest] = line.split('=');
                return [name.trim(), rest.join('=').trim()];
            }),
    ].filter(([name, value]) => name && value !== ''));
    return {values, node: [h('div', {class: 'grid'}, standard.map(({node}) => node)),
        field('Custom signals', custom, {hint: 'One a line, as name = value.'}), submit]};
}

/** Shows the page. */
function show(main, context) {
    const {session, workspace, project} = context;
    const left = new AbortController();
    const refused = refusal(session, 'editor');
    const key = `activeconfig.user.${project}`;
    const kept = JSON.parse(sessionStorage.getItem(key) ?? '{"userID": "", "signals": {}}');
    const userID = h('input', {type: 'text', autocomplete: 'off', spellcheck: 'false',
        value: context.query.get('id') ?? kept.userID});
    const which = choice([['published', 'What is published'], ['draft', 'The draft']],
        workspace.draft ? 'draft' : 'published');
    const outcome = h('div', {class: 'stack'});
    const overrides = h('div', {});
    const signals = signalFields(kept.signals, h('div', {class: 'actions'},
        h('button', {type: 'submit', class: 'primary'}, 'Look')));

    const look = async () => {
        const user = {userID: userID.value || null, signals: signals.values()};
        sessionStorage.setItem(key, JSON.stringify({...user, userID: userID.value}));
        fill(overrides, user.userID !== null
            && overridesView(context, user.userID, () => look(), left.signal));
        if (refused) return;
        try {
            const isDraft = workspace.draft && which.value === 'draft';
            const {body} = await call('POST', projectPath(project, 'remoteConfig:preview'), {
                signal: left.signal, body: {users: [user],
                    ...(isDraft ? {template: workspace.draft.template} : {})}});
            const [answer] = body.users;
            const document = isDraft ? answer.proposed : answer.current;
            fill(outcome,
                h('h2', {}, user.userID === null ? 'Users without an ID' : `User ${user.userID}`,
                    ' ', badge(isDraft ? 'By the draft' : `By version ${body.versionNumber}`)),
                settingsTable(answer.settings),
                h('h2', {}, 'Conditions'), conditionsTable(answer.conditions),
                h('details', {class: 'card document'}, h('summary', {}, 'The document as JSON'),
                    h('pre', {tabindex: '0'}, JSON.stringify(document, null, 2))));
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
            signals.node))),
        refused && message('info', refused), outcome, overrides);
    if (context.query.get('id') || kept.userID) look();
    return () => left.abort();
}

/** The page of a user. */
export const userPage = {path: 'user', title: 'Try as a user', show};
