/**
 * Every page of the console: `{path, title, show(main, context)}`, where `show` may answer with a
 * function that ends the page's work.
 */

import {auditPage} from './audit-page.js';
import {conditionsPage} from './conditions-page.js';
import {historyPage} from './history-page.js';
import {livePage} from './live-page.js';
import {mergePage} from './merge-page.js';
import {reviewPage} from './review-page.js';
import {settingsPage} from './settings-page.js';
import {tokensPage} from './tokens-page.js';
import {userPage} from './user-page.js';
import {webhooksPage} from './webhooks-page.js';

/** The pages. */
export const pages = [
    settingsPage, conditionsPage, reviewPage, mergePage, userPage, livePage, historyPage, auditPage,
    tokensPage, webhooksPage,
];

/** The groups of the navigation; the merge is reached from the review only. */
export const pageGroups = [
    {name: 'Configure', paths: ['settings', 'conditions', 'review']},
    {name: 'Watch', paths: ['user', 'live', 'history', 'audit']},
    {name: 'Connect', paths: ['tokens', 'webhooks']},
];
