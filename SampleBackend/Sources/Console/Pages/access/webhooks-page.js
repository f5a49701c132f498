/**
 * Webhooks page: URLs that the server calls after every publish, and if wanted at each step of a
 * change request and before each step of a rollout; publishers change them.
 */

import {badge, field, guarded, message, nothing, pageHead, table, timeText}
    from '../controls/controls.js';
import {confirmRequest, dialogForm} from '../controls/dialog-form.js';
import {openDialog} from '../controls/dialog.js';
import {announce, fill, h, redraw} from '../controls/dom.js';
import {shownAnswer} from '../controls/shown-answer.js';
import {call, isMissing, projectPath, remove} from '../server/api.js';
import {poll} from '../server/poll.js';
import {refusal} from '../server/session.js';
import {Creation} from './creation.js';
import {showSecret} from './secret-dialog.js';
import {listedAddress, shownAddress, withoutSecrets} from './webhook-address.js';
import {attemptText, deliveryState, eventsTexts, eventText} from './webhook-outcome.js';

/** Milliseconds between readings of what was delivered. */
const interval = 5000;

/** @param {string} text */
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {WebhookDelivery} delivery */
function stateBadge(delivery) {
    return badge(...deliveryState(delivery));
}

/**
 * Outcome of a delivery's last attempt, and the time of the next one.
 *
 * @param {WebhookDelivery} delivery
 */
function outcomeText(delivery) {
    const {nextAttemptTime, state} = delivery;
    const text = attemptText(delivery);
    return [text, state === 'PENDING' && nextAttemptTime
        && [text ? ', next attempt at ' : 'Next attempt at ', timeText(nextAttemptTime)]];
}

/**
 * Opens the dialog with a webhook's deliveries.
 *
 * @param {string} project
 * @param {Webhook} webhook
 */
async function openDeliveries(project, webhook) {
    const place = h('div', {}, h('p', {class: 'muted'}, 'Loading …'));
    const left = new AbortController();
    const read = shownAnswer(place, left.signal, async (signal) => {
        const {body} = await call('GET', projectPath(
            project, `webhooks/${encodeURIComponent(webhook.id)}/deliveries`), {signal});
        return body.deliveries.length
            ? table('Deliveries', ['Event', 'State', 'Attempts', 'Outcome', 'Created'],
                /** @type {WebhookDelivery[]} */ (body.deliveries).map((delivery) => h('tr', {},
                    h('th', {scope: 'row'}, sentence(eventText(delivery))),
                    h('td', {}, stateBadge(delivery)),
                    h('td', {class: 'number'}, delivery.attempts),
                    h('td', {class: 'wide'}, outcomeText(delivery)),
                    h('td', {}, timeText(delivery.creationTime)))))
            : nothing('Nothing was delivered yet.');
    });
    read();
    poll(read, interval, left.signal);
    await openDialog('Deliveries', (close) => ({
        body: [h('p', {}, h('code', {}, webhook.url)), place],
        actions: h('button', {type: 'button', onclick: () => close()}, 'Close'),
    }), {isWide: true});
    left.abort();
}

/**
 * Opens the dialog that adds a webhook, then shows its secret.
 *
 * @param {PageContext} context Page context.
 * @param {function(): void} added Called after it was added, to refresh the list.
 * @param {?{url: string, requests?: boolean, steps?: boolean, isShortened?: boolean}} kept Fields
 *     of an unfinished form.
 */
export async function addWebhook({project, session}, added, kept = null) {
    const url = h('input', {type: 'url', required: true, placeholder: 'https://example.com/hook',
        'data-autofocus': true, value: kept?.url ?? '', oninput: () => warn()});
    const requests = h('input', {type: 'checkbox', checked: kept?.requests ?? false});
    const steps = h('input', {type: 'checkbox', checked: kept?.steps ?? false});
    const again = h('div', {'aria-live': 'polite'});
    const left = new AbortController();
    /** @type {string[]} */
    let listed = [];
    /** Warns of an address that a webhook has already: the server allows several. */
    const warn = () => {
        const found = listedAddress(url.value, listed);
        const isSure = found && !found.includes('?');
        fill(again, found && message('warning', isSure
            ? 'This address already receives the events of this project: it would get each twice.'
            : `An address of this form, ${found}, already receives the events of this project. If `
                + 'it is the same one, it would get each event twice.'));
    };
    call('GET', projectPath(project, 'webhooks'), {signal: left.signal}).then(({body}) => {
        listed = /** @type {Webhook[]} */ (body.webhooks).map((webhook) => webhook.url);
        warn();
    }, () => {
        // Without the list, nothing is warned of.
    });
    const creation = new Creation({
        path: projectPath(project, 'webhooks'),
        list: (body) => body.webhooks,
        isSame: (webhook, body) => webhook.url === shownAddress(body.url),
        describe: () => 'The webhook was added, but its secret was lost with the response. Remove '
            + 'it and add it again, or receivers cannot verify its messages.',
        action: 'Remove the added webhook',
        removed: added,
    });
    const made = await openDialog('Add a webhook', (close) => dialogForm({
        fields: [
            kept?.isShortened && message('warning', 'The password and the query of the address '
                + 'were not stored. Enter them again.'),
            field('Address', url, {hint: 'It receives a signed message after every publish. Values '
                + 'in its query, such as ?key=…, are not shown again.', problems: again}),
            h('div', {}, h('label', {class: 'check'}, requests,
                ' Also at each step of a change request'),
            h('p', {class: 'hint'}, 'Such as a new one, an approval and a publish, with the title '
                + 'and who acted; without values.')),
            h('div', {}, h('label', {class: 'check'}, steps, ' Ask before each step of a rollout'),
                h('p', {class: 'hint'}, 'The receiver can refuse the step: it answers with status '
                    + '409 and a reason, and the rollout is held. Without an answer, no step '
                    + 'is published.')),
            creation.node],
        action: 'Add the webhook',
        submit: () => creation.create({url: url.value.trim(),
            ...(requests.checked || steps.checked) && {events: ['publish',
                ...requests.checked ? ['changeRequest'] : [],
                ...steps.checked ? ['rolloutStep'] : []]}}),
        mayLeave: () => creation.isInDoubt,
    }, close), {isDirty: () => Boolean(kept), form: {
        user: session.name, project, kind: 'webhook', arguments: [],
        content: () => ({url: withoutSecrets(url.value), requests: requests.checked,
            steps: steps.checked,
            isShortened: withoutSecrets(url.value) !== url.value.trim()
                || (kept?.isShortened && url.value === kept.url)})}});
    creation.end();
    left.abort();
    if (!made) {
        if (creation.isLost || creation.isInDoubt) added();
        return;
    }
    added();
    await showSecret({title: 'The secret of the webhook', label: 'Secret', secret: made.secret,
        text: 'Copy it now: it is shown only once. The receiver verifies the signatures with it.'});
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const {project} = context;
    const left = new AbortController();
    const refused = refusal(context.session, 'publisher');
    const body = h('div', {class: 'stack'});
    /** @param {Webhook} webhook */
    const askToRemove = async ({id, url}) => {
        const path = projectPath(project, `webhooks/${encodeURIComponent(id)}`);
        if (!await confirmRequest({title: 'Remove this webhook?', action: 'Remove the webhook',
            text: `${url} receives no more messages.`, submit: () => remove(path)})) return;
        announce('Webhook removed.');
        await read();
        main.querySelector('h1')?.focus();
    };
    /** @param {Webhook} webhook */
    const row = (webhook) => h('tr', {},
        h('th', {scope: 'row', class: 'wide'}, h('code', {}, webhook.url),
            eventsTexts(webhook.events).map((text) => h('div', {class: 'muted'}, text))),
        h('td', {}, webhook.lastDelivery ? [stateBadge(webhook.lastDelivery), ' ',
            h('span', {class: 'muted'}, eventText(webhook.lastDelivery)),
            deliveryState(webhook.lastDelivery)[1] === 'bad'
                && h('div', {}, outcomeText(webhook.lastDelivery))]
            : h('span', {class: 'muted'}, 'None yet')),
        h('td', {}, timeText(webhook.creationTime)),
        h('td', {}, h('div', {class: 'actions'},
            h('button', {type: 'button', class: 'quiet', 'data-focus': `deliveries ${webhook.id}`,
                'aria-label': `Deliveries to ${webhook.url}`,
                onclick: () => openDeliveries(project, webhook)}, 'Deliveries'),
            guarded(refused, h('button', {type: 'button', class: 'quiet',
                'data-focus': `remove ${webhook.id}`, 'aria-label': `Remove ${webhook.url}`,
                onclick: () => askToRemove(webhook)},
            'Remove')))));
    /** Text of the shown webhooks, and the number of readings, which supersede refreshes. */
    let shown = '';
    let reads = 0;
    /** @param {AbortSignal} signal */
    const fetchAll = async (signal) => (
        await call('GET', projectPath(project, 'webhooks'), {signal})).body.webhooks;
    /** @param {Webhook[]} webhooks */
    const view = (webhooks) => {
        shown = JSON.stringify(webhooks);
        return webhooks.length
            ? table('Webhooks', ['Address', 'Last delivery', 'Added', ''], webhooks.map(row))
            : h('section', {class: 'card'}, nothing(refused ? 'There are no webhooks.'
                : 'There are no webhooks. Add one to notify another server of every publish.'));
    };
    const read = shownAnswer(body, left.signal, async (signal) => {
        shown = '';
        reads += 1;
        try {
            return view(await fetchAll(signal));
        } catch (error) {
            if (!isMissing(error)) throw error;
            return h('section', {class: 'card'}, nothing('This server has no webhooks.'));
        }
    });
    const refresh = async () => {
        if (!shown) return;
        const own = reads;
        const webhooks = await fetchAll(left.signal);
        if (own === reads && JSON.stringify(webhooks) !== shown) redraw(body, view(webhooks));
    };
    fill(main,
        pageHead('Webhooks', 'Servers that are notified of publishes and change requests.',
            guarded(refused, h('button', {type: 'button', class: 'primary',
                'data-focus': 'add-webhook', onclick: () => addWebhook(context, read)},
            'Add webhook'))),
        body);
    read();
    poll(refresh, interval, left.signal);
    return () => left.abort();
}
