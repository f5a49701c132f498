/**
 * Tokens page: the administrators' access tokens, for publishers only.
 */

import {badge, choice, field, guarded, nothing, pageHead, table, timeText}
    from '../controls/controls.js';
import {confirmRequest, dialogForm} from '../controls/dialog-form.js';
import {openDialog} from '../controls/dialog.js';
import {announce, fill, h} from '../controls/dom.js';
import {searchedRowsView} from '../controls/searched-rows.js';
import {shownAnswer} from '../controls/shown-answer.js';
import {wholeAddress} from '../routing/address-bar.js';
import {call} from '../server/api.js';
import {mayBypass} from '../server/protection.js';
import {serverRefusal} from '../server/session.js';
import {Creation} from './creation.js';
import {showSecret} from './secret-dialog.js';
import {roleText, tokenProjects} from './token-projects.js';

/** @type {Choice[]} */
const roles = [
    ['evaluator', 'Evaluator'], ['viewer', 'Viewer'], ['editor', 'Editor'],
    ['publisher', 'Publisher'],
];

/**
 * What a role may do.
 *
 * @type {Record<string, string>}
 */
const permissions = {
    evaluator: 'For services that evaluate users themselves: reads the template and users\' pins; '
        + 'cannot sign in here.',
    viewer: 'Sees settings, users\' pins, versions and audit; changes nothing.',
    editor: 'Also edits drafts, imports, and previews users.',
    publisher: 'Also publishes, pins, and manages webhooks and tokens.',
};

/**
 * Lifetimes in days; an empty one means no expiry.
 *
 * @type {Choice[]}
 */
const lifetimes = [['0.5', '12 hours'], ['1', '1 day'], ['7', '7 days'], ['30', '30 days'],
    ['90', '90 days'], ['365', 'A year'], ['', 'Never']];

/**
 * Badge for a token: active, expired or revoked.
 *
 * @param {Token} token
 */
function stateBadge({revocationTime, expirationTime}) {
    if (revocationTime) return badge('Revoked', 'removed');
    const isExpired = expirationTime && new Date(expirationTime) <= new Date();
    if (isExpired) return badge('Expired', 'changed');
    return badge('Active', 'good');
}

/**
 * Opens the dialog that creates a token, then shows the token.
 *
 * @param {PageContext} context Page context.
 * @param {function(): void} created Called after it was created, to refresh the list.
 * @param {?{name: string, role: string, lifetime: string, projects?: ?Record<string, string>,
 *     owner?: string, bypass?: boolean}} kept Fields of an unfinished form.
 */
export async function createToken({project, session}, created, kept = null) {
    const name = h('input', {type: 'text', autocomplete: 'off', required: true,
        'data-autofocus': true, value: kept?.name ?? ''});
    const allowed = h('p', {class: 'hint', role: 'status'});
    const showAllowed = () => {
        allowed.textContent = permissions[role.value] ?? '';
    };
    const role = choice(roles, kept?.role ?? 'viewer', {onchange: showAllowed});
    showAllowed();
    const lifetime = choice(lifetimes, kept?.lifetime ?? '90');
    const projects = tokenProjects(
        h('div', {}, field('Role', role), allowed), kept?.projects ?? null);
    const owner = h('input', {type: 'text', autocomplete: 'off', value: kept?.owner ?? ''});
    const bypass = h('input', {type: 'checkbox', checked: kept?.bypass ?? false,
        disabled: !mayBypass(session)});
    const creation = new Creation({
        path: '/v1/tokens',
        list: (body) => /** @type {Token[]} */ (body.tokens)
            .filter(({revocationTime}) => !revocationTime),
        isSame: (token, body) => token.name === body.name,
        describe: (body) => `The token ${body.name} was created, but it was lost with the `
            + 'response: no one has it. Revoke it and create another one.',
        action: 'Revoke the lost token',
        removed: created,
    });
    const made = await openDialog('Create a token', (close) => dialogForm({
        fields: [
            field('Name', name, {hint: 'Who or what uses it. The audit trail shows this name.'}),
            field('Belongs to', owner, {hint: 'Optional: the person who uses it. Approvals count '
                + 'people, so a token without one cannot approve change requests.'}),
            ...projects.nodes, field('Expires after', lifetime),
            h('div', {}, h('label', {class: 'check'}, bypass, ' May publish without approval'),
                h('p', {class: 'hint'}, mayBypass(session)
                    ? 'For emergencies in protected projects: it then gives a reason.'
                    : 'Only a token that may do so itself can create such a token.')),
            creation.node],
        action: 'Create the token',
        submit: async () => {
            /** @type {{name: string, role?: string, projects?: Record<string, string>,
                expirationTime?: string, owner?: string, bypass?: boolean}} */
            const body = {name: name.value.trim()};
            if (owner.value.trim()) body.owner = owner.value.trim();
            if (bypass.checked) body.bypass = true;
            if (projects.value) body.projects = projects.value;
            else body.role = role.value;
            if (body.projects && !Object.keys(body.projects).length) {
                throw new Error('Choose a role in at least one project.');
            }
            if (lifetime.value) {
                const milliseconds = Number(lifetime.value) * 24 * 60 * 60 * 1000;
                body.expirationTime = new Date(Date.now() + milliseconds).toISOString();
            }
            return creation.create(body);
        },
        mayLeave: () => creation.isInDoubt,
    }, close), {isDirty: () => Boolean(kept), form: {
        user: session.name, project, kind: 'token', arguments: [],
        content: () => ({name: name.value, role: role.value, lifetime: lifetime.value,
            projects: projects.value, owner: owner.value, bypass: bypass.checked})}});
    creation.end();
    if (!made) {
        if (creation.isLost || creation.isInDoubt) created();
        return;
    }
    created();
    await showSecret({title: `The token ${made.name}`, label: 'Token', secret: made.token,
        link: new URL(`#token=${encodeURIComponent(made.token)}`, wholeAddress()).href,
        text: 'Copy it now: it is shown only once, and the server stores only its hash.'});
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const left = new AbortController();
    const refused = serverRefusal(context.session);
    const body = h('div', {class: 'stack'});
    /** @param {Token} token */
    const revoke = async ({id, name}) => {
        if (!await confirmRequest({title: `Revoke the token ${name}?`,
            action: 'Revoke the token', text: 'It stops working immediately, and '
                + 'nobody can open its drafts any more. This cannot be undone.',
            submit: () => call('DELETE', `/v1/tokens/${encodeURIComponent(id)}`)})) return;
        announce(`Token ${name} revoked.`);
        await read();
        main.querySelector('h1')?.focus();
    };
    /** @param {Token} token */
    const row = (token) => h('tr', {},
        h('th', {scope: 'row', class: 'wide'}, token.name,
            token.owner && h('div', {class: 'muted'}, `Belongs to ${token.owner}`)),
        h('td', {}, roleText(token), token.bypass && h('div', {class: 'muted'},
            'Publishes without approval')),
        h('td', {}, stateBadge(token)),
        h('td', {}, timeText(token.creationTime)),
        h('td', {}, token.expirationTime ? timeText(token.expirationTime) : 'Never'),
        h('td', {}, token.lastUseTime ? timeText(token.lastUseTime)
            : h('span', {class: 'muted'}, 'Not yet')),
        h('td', {}, h('div', {class: 'actions'}, !token.revocationTime && h('button', {
            type: 'button', class: 'quiet', 'aria-label': `Revoke ${token.name}`,
            'data-focus': `revoke ${token.id}`, onclick: () => revoke(token)}, 'Revoke'))));
    const search = {text: ''};
    const read = shownAnswer(body, left.signal, async (signal) => {
        /** @type {{tokens: Token[]}} */
        const {tokens} = (await call('GET', '/v1/tokens', {signal})).body;
        tokens.sort((left, right) => right.creationTime.localeCompare(left.creationTime));
        return tokens.length ? searchedRowsView(tokens, {
            thing: 'token', search, textOf: (token) => (
                [token.name, token.owner ?? '', roleText(token), stateBadge(token).textContent]
                    .join('\n')),
            view: (some) => table('Tokens',
                ['Name', 'Role', 'State', 'Created', 'Expires', 'Last used', ''], some.map(row))})
            : h('section', {class: 'card'}, nothing('There are no stored tokens. The '
                + 'admin token that the server was started with is not listed.'));
    });
    fill(main,
        pageHead('Tokens', 'Who can view, edit and publish.', guarded(refused, h('button', {
            type: 'button', class: 'primary', 'data-focus': 'create-token',
            onclick: () => createToken(context, read)}, 'Create token'))),
        body);
    if (refused) {
        fill(body, h('section', {class: 'card'}, nothing(
            `Publishers see and manage tokens. ${refused}`)));
    } else read();
    return () => left.abort();
}
