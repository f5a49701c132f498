/**
 * Usage page: the apps that receive the template, and which settings are used or stale.
 */

import {badge, choice, field, nothing, pageHead, settingName, table, timeText}
    from '../controls/controls.js';
import {announce, fill, h} from '../controls/dom.js';
import {failedReading} from '../controls/shown-answer.js';
import {address, setQuery} from '../routing/router.js';
import {call, projectPath} from '../server/api.js';
import {settingsOf} from '../settings/setting-index.js';
import {count, numberText, percentText} from '../text/formats.js';
import {usagePlot} from './usage-plot.js';
import {
    appName, deliveredText, matching, mostShown, sameText, shareText, staleText,
} from './usage-reading.js';

/**
 * A card with a heading.
 *
 * @param {string} id Identifier of the heading.
 * @param {string} title
 * @param {...unknown} content
 */
function card(id, title, ...content) {
    return h('section', {class: 'card', 'aria-labelledby': id},
        h('div', {class: 'card-head'}, h('h2', {id}, title)),
        h('div', {class: 'card-body'}, content));
}

/** @param {Usage} usage */
function shareCard({now, shares}) {
    const rows = [...shares].reverse().map(({date, version, clients, current}) => h('tr', {},
        h('th', {scope: 'row'}, date), h('td', {class: 'number'}, version),
        h('td', {class: 'number'}, numberText(clients)),
        h('td', {class: 'number'}, percentText(clients ? current / clients : 0))));
    return card('share', 'Clients with the newest version',
        h('p', {}, `Now: ${shareText(now)}`),
        shares.length ? [usagePlot(shares),
            table('Share by day', ['Day', 'Newest version', 'Clients', 'Share'], rows)]
            : nothing('The share is measured once a day.'));
}

/** @param {Usage} usage */
function appsCard({apps}) {
    const rows = apps.map((app) => h('tr', {},
        h('th', {scope: 'row', class: 'name'}, appName(app)),
        h('td', {class: 'name'}, app.version),
        h('td', {}, app.delivered), h('td', {class: 'number'}, app.templateVersion)));
    return card('apps', 'Apps that receive the template', rows.length
        ? table('Apps', ['App', 'Version', 'Last delivery', 'Newest template'], rows)
        : nothing('No delivery was recorded yet.'));
}

/** @param {Usage} usage */
function unknownCard({unknownNames}) {
    if (!unknownNames.length) return false;
    const rows = unknownNames.map(({name, date}) => h('tr', {},
        h('th', {scope: 'row', class: 'name'}, h('code', {}, name)),
        h('td', {}, timeText(date))));
    return card('unknown', 'Names that do not exist',
        h('p', {class: 'hint'}, 'Clients asked this server for them by name within a day.'),
        table('Unknown names', ['Name', 'Last request'], rows));
}

/**
 * @param {SettingUse} setting
 * @param {string} [path] Its place in the template; undefined when the draft does not have it.
 */
function settingRow(setting, path) {
    const {section, key, read, stale, permanentReason} = setting;
    const name = settingName(section, key);
    return h('tr', {},
        h('th', {scope: 'row', class: 'name'},
            path ? h('a', {href: address('settings', {at: path})}, name) : name),
        h('td', {}, deliveredText(setting)), h('td', {}, read),
        h('td', {}, sameText(setting) || false),
        h('td', {class: 'wide'}, stale && [badge('stale', 'warning'), ' ', stale.text],
            permanentReason && [badge('permanent'), ' ', permanentReason]));
}

/**
 * All settings, with a filter and a search.
 *
 * @param {Usage} usage
 * @param {PageContext} context
 */
function settingsCard({settings, staleCount, thresholds}, {query, workspace}) {
    const paths = new Map(settingsOf(workspace.template).map(({name, path}) => [name, path]));
    const list = h('div', {});
    const filter = choice([['', 'All settings'], ['stale', 'Stale settings']],
        query.get('filter') === 'stale' ? 'stale' : '');
    const text = h('input', {type: 'search', value: query.get('text') ?? '', autocomplete: 'off'});
    const draw = () => {
        const found = matching(settings, {filter: filter.value, text: text.value});
        const more = found.length - mostShown;
        fill(list, found.length
            ? table('Settings and their use',
                ['Setting', 'Last delivery', 'Last read', 'Same for everybody since', 'State'],
                found.slice(0, mostShown).map((setting) => (
                    settingRow(setting, paths.get(`${setting.section}.${setting.key}`)))))
            : nothing('No setting is found.'),
        more > 0 && h('p', {class: 'muted'},
            `${count(more, 'more setting')} not shown: search for a part of the name.`));
        return found.length;
    };
    const search = () => {
        setQuery({filter: filter.value || undefined, text: text.value || undefined});
        announce(`${count(draw(), 'setting')} found.`);
    };
    filter.addEventListener('change', search);
    text.addEventListener('input', search);
    draw();
    return card('use', 'Use of the settings',
        h('p', {}, staleText(staleCount, thresholds)),
        h('p', {class: 'hint'}, 'Apps get whole documents: a delivery does not say that a setting '
            + 'is read. Reads are known only of clients that evaluate single flags.'),
        h('div', {class: 'filters', role: 'search'}, field('Show', filter),
            field('Name', text)), list);
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const left = new AbortController();
    const body = h('div', {class: 'stack'});
    const read = async () => {
        fill(body, h('p', {class: 'muted', role: 'status'}, 'Loading …'));
        try {
            const usage = await usageOf(context.project, left.signal);
            fill(body, settingsCard(usage, context), shareCard(usage), appsCard(usage),
                unknownCard(usage));
        } catch (error) {
            if (!left.signal.aborted) fill(body, failedReading(error, left.signal, () => read()));
        }
    };
    fill(main, pageHead('Usage',
        'The apps that receive the settings, and the settings that may no longer be needed.'),
    body);
    read();
    return () => left.abort();
}

/**
 * All pages of the answer as one.
 *
 * @param {string} project
 * @param {AbortSignal} signal
 * @returns {Promise<Usage>}
 */
async function usageOf(project, signal) {
    const {body: usage} = await call('GET',
        projectPath(project, 'usage', {pageSize: 1000}), {signal});
    let {nextPageToken: pageToken} = usage;
    while (pageToken) {
        const {body} = await call('GET',
            projectPath(project, 'usage', {pageSize: 1000, pageToken}), {signal});
        usage.settings.push(...body.settings);
        pageToken = body.nextPageToken;
    }
    return usage;
}
