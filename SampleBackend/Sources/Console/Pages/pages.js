/**
 * The pages of the console: `{path, title, show(main, context)}`. `show` renders the page into
 * `main`, and can return a function that stops its requests, timers and listeners.
 */

import {auditPage} from './audit-page.js';
import {conditionsPage} from './conditions-page.js';
import {historyPage} from './history-page.js';
import {livePage} from './live-page.js';
import {mergePage} from './merge-page.js';
import {projectsPage} from './projects-page.js';
import {reviewPage} from './review-page.js';
import {settingsPage} from './settings-page.js';
import {tokensPage} from './tokens-page.js';
import {transferPage} from './transfer-page.js';
import {userPage} from './user-page.js';
import {webhooksPage} from './webhooks-page.js';

/** @type {Page[]} */
export const pages = [
    settingsPage, conditionsPage, reviewPage, mergePage, userPage, livePage, historyPage, auditPage,
    projectsPage, tokensPage, transferPage, webhooksPage,
];

/**
 * Pages that show published content, which are empty without a version.
 *
 * @type {Page[]}
 */
export const pagesOfPublished = [livePage, historyPage];

/** Navigation groups. They omit the merge page, which is reached only from the review. */
export const pageGroups = [
    {name: 'Configure', paths: ['settings', 'conditions', 'review']},
    {name: 'Watch', paths: ['user', 'live', 'history', 'audit']},
    {name: 'Connect', paths: ['projects', 'transfer', 'tokens', 'webhooks']},
];
