/**
 * Event, state and outcome of a delivery to a webhook.
 */

import {capitalized} from '../text/formats.js';

/** @type {Record<string, [text: string, kind: string]>} */
const states = {
    PENDING: ['Waiting', 'waiting'], DELIVERED: ['Delivered', 'good'], FAILED: ['Failed', 'bad'],
    SUPERSEDED: ['Superseded', ''],
};

/** @type {Record<string, string>} */
const steps = {
    opened: 'opened', edited: 'edited', approved: 'approved', changesRequested: 'changes requested',
    published: 'published', bypassed: 'published without approval', closed: 'closed',
    scheduled: 'scheduled', scheduleCancelled: 'schedule cancelled',
    approvalsLacking: 'scheduled, approvals lacking',
    scheduleFailed: 'not published as scheduled', takenBack: 'taken back',
    rolloutStep: 'rolled out further', rolloutHeld: 'rollout held',
    rolloutResumed: 'rollout resumed', rolloutEnded: 'rollout ended',
    expired: 'expired',
};

/**
 * What a delivery is about, to follow other words.
 *
 * @param {Pick<WebhookDelivery, 'versionNumber' | 'changeRequest' | 'step'>} delivery
 */
export function eventText({versionNumber, changeRequest, step = ''}) {
    if (versionNumber) return `version ${versionNumber}`;
    return `change request ${changeRequest} ${steps[step] ?? step}`;
}

/**
 * What a webhook gets besides versions, or instead of them, as phrases; none for versions only.
 *
 * @param {string[]} [events] Missing from an earlier server.
 * @returns {string[]}
 */
export function eventsTexts(events = ['publish']) {
    const texts = [
        events.includes('changeRequest') ? 'steps of change requests' : '',
        events.includes('rolloutStep') ? 'asked before each step of a rollout' : '',
    ].filter(Boolean);
    return events.includes('publish') ? texts.map((text) => `Also ${text}`)
        : texts.map((text) => `${capitalized(text)}, not versions`);
}

/**
 * Text and kind of the badge for a delivery; one that waits after a failed attempt is failing.
 *
 * @param {Pick<WebhookDelivery, 'state' | 'statusCode' | 'error'>} delivery
 * @returns {[text: string, kind: string]}
 */
export function deliveryState({state, statusCode, error}) {
    if (state === 'PENDING' && (statusCode || error)) return ['Failing', 'bad'];
    return states[state] ?? [state, ''];
}

/**
 * Status and error of a delivery's last attempt, without repeating the status; "" before it.
 *
 * @param {Pick<WebhookDelivery, 'statusCode' | 'error'>} delivery
 */
export function attemptText({statusCode, error = ''}) {
    const reason = error.replace(/\.$/, '');
    if (!statusCode) return reason;
    if (!reason || reason === `The receiver answered ${statusCode}`) return `Status ${statusCode}`;
    return reason.includes(String(statusCode)) ? reason : `Status ${statusCode}: ${reason}`;
}
