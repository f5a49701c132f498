/**
 * Event, state and outcome of a delivery to a webhook.
 */

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
    scheduleFailed: 'not published as scheduled', takenBack: 'taken back',
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
