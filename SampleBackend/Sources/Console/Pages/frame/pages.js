/**
 * The pages of the console, which load when they are first shown: `{path, title, load}`.
 *
 * A page's module exports `show(main, context)`, which renders it into `main`, and can return a
 * function that stops its requests, timers and listeners.
 */

/** @type {Page[]} */
export const pages = [
    {path: 'settings', title: 'Settings', load: () => import('../settings/settings-page.js')},
    {path: 'conditions', title: 'Conditions',
        load: () => import('../conditions/conditions-page.js')},
    {path: 'review', title: 'Review and publish', role: 'editor',
        load: () => import('../review/review-page.js')},
    {path: 'change-requests', title: 'Change requests',
        load: () => import('../requests/requests-page.js')},
    {path: 'change-request', title: 'Change request', group: 'change-requests',
        load: () => import('../requests/request-page.js')},
    {path: 'merge', title: 'Merge', load: () => import('../merge/merge-page.js')},
    {path: 'user', title: 'Try as a user', load: () => import('../users/user-page.js')},
    {path: 'live', title: 'Live', load: () => import('../live/live-page.js')},
    {path: 'usage', title: 'Usage', load: () => import('../usage/usage-page.js')},
    {path: 'history', title: 'History', load: () => import('../history/history-page.js')},
    {path: 'audit', title: 'Audit', load: () => import('../history/audit-page.js')},
    {path: 'projects', title: 'Projects', load: () => import('../projects/projects-page.js')},
    {path: 'tokens', title: 'Tokens', role: 'publisher',
        load: () => import('../access/tokens-page.js')},
    {path: 'transfer', title: 'Import and export',
        load: () => import('../transfer/transfer-page.js')},
    {path: 'webhooks', title: 'Webhooks', load: () => import('../access/webhooks-page.js')},
];

/**
 * Modules of pages by path.
 *
 * @type {Map<string, PageModule>}
 */
const loaded = new Map();

/**
 * The module of a page; undefined until `loadPage` has loaded it.
 *
 * @param {Page} page
 */
export function loadedPage(page) {
    return loaded.get(page.path);
}

/**
 * Loads the module of a page. Throws when the server does not answer, or when it has been updated
 * since the console was opened: modules of two versions do not work together.
 *
 * @param {Page} page
 */
export async function loadPage(page) {
    loaded.set(page.path, await page.load());
}

/**
 * Loads all pages that are not loaded yet when the browser has nothing else to do, so that they can
 * be shown also without a server. A failure is reported by the page that is opened then.
 */
export function loadPagesWhenIdle() {
    const load = async () => {
        for (const page of pages) {
            if (!loaded.has(page.path)) await loadPage(page);
        }
    };
    const start = () => load().catch(() => {});
    if (window.requestIdleCallback) window.requestIdleCallback(start);
    else setTimeout(start, 1000);
}

/** Paths of the pages that show published content, which are empty without a version. */
export const pathsOfPublished = ['live', 'usage', 'history'];

/**
 * Navigation groups. They omit the merge page, which is reached only from the review, and the page
 * of a change request, which is reached from their list.
 */
export const pageGroups = [
    {name: 'Configure', paths: ['settings', 'conditions', 'review', 'change-requests']},
    {name: 'Watch', paths: ['user', 'live', 'usage', 'history', 'audit']},
    {name: 'Connect', paths: ['projects', 'transfer', 'tokens', 'webhooks']},
];

/** The pages of the navigation, in its order. */
export const linkedPages = pageGroups.flatMap(({paths}) => (
    paths.flatMap((path) => pages.find((page) => page.path === path) ?? [])));
