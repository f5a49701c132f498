/**
 * Live page: the connected apps, and the rollout of a new version to them.
 */

import {message, nothing, pageHead, table} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {call, isMissing, projectPath} from '../server/api.js';
import {poll} from '../server/poll.js';
import {count, numberText, percentText} from '../text/formats.js';
import {LivePlot} from './live-plot.js';
import {deliveryText, effectText, reading, sentence} from './live-reading.js';
import {liveUsers} from './live-users.js';

/** Milliseconds between polls. */
const interval = 1000;

/** Minimum milliseconds between announcements to screen readers. */
const spokenInterval = 15000;

/**
 * Number and share of connections by version, newest first.
 *
 * @param {Reading} reading
 */
function versionTable({versions, unknown, connections, newest}) {
    const rows = Object.entries(versions).sort(([a], [b]) => Number(b) - Number(a))
        .map(([version, number]) => h('tr', {},
            h('th', {scope: 'row', class: 'number'}, version,
                version === newest && h('span', {class: 'muted'}, ' newest')),
            h('td', {class: 'number'}, numberText(number)),
            h('td', {class: 'number'}, percentText(connections ? number / connections : 0))));
    if (unknown) {
        rows.push(h('tr', {},
            h('th', {scope: 'row'}, 'Unknown ',
                h('span', {class: 'muted'}, 'never made by this store: was it restored?')),
            h('td', {class: 'number'}, numberText(unknown)),
            h('td', {class: 'number'}, percentText(unknown / connections))));
    }
    return rows.length ? table('Connections by version', ['Version', 'Connections', 'Share'], rows)
        : h('section', {class: 'card'}, nothing('No app is connected now.'));
}

/**
 * The acknowledgements of apps, such as "98 % on version 12" and "3 clients cannot read
 * Checkout.limits"; nothing when the server requests no acknowledgements.
 *
 * @param {Reading} reading
 */
function acknowledgedCard({acknowledgements}) {
    if (!acknowledgements) return false;
    const {clients, versions} = acknowledgements;
    const lines = versions.flatMap(({version, inForce, problems}) => [
        inForce > 0 && h('li', {}, `${percentText(inForce / clients)} on version ${version}`),
        ...problems.map(({section, key, clients: number, message: text}) => h('li', {},
            `${count(number, 'client')} cannot read ${[section, key].filter(Boolean).join('.')} `,
            h('span', {class: 'muted'}, `version ${version}${text ? `: ${text}` : ''}`)))]);
    return h('section', {class: 'card', 'aria-labelledby': 'acknowledged'},
        h('div', {class: 'card-head'},
            h('h2', {id: 'acknowledged'}, 'Acknowledged by apps')),
        h('div', {class: 'card-body'},
            lines.length ? h('ul', {}, lines) : nothing('No app has acknowledged a version.')));
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const {workspace, project} = context;
    const left = new AbortController();
    const plot = new LivePlot();
    const number = h('p', {class: 'figure'});
    const share = h('p', {class: 'figure'});
    const version = h('p', {class: 'muted'});
    const effect = h('p', {class: 'muted'});
    const spoken = h('p', {class: 'visually-hidden', role: 'status'});
    const place = h('div', {});
    const problem = h('div', {});
    const content = h('div', {class: 'stack', hidden: true},
        h('div', {class: 'figures'},
            h('section', {class: 'card tile', 'aria-labelledby': 'now'},
                h('h2', {id: 'now'}, 'Connected now'), number),
            h('section', {class: 'card tile', 'aria-labelledby': 'share'},
                h('h2', {id: 'share'}, 'With the newest version'), share, version, effect)),
        h('section', {class: 'card', 'aria-labelledby': 'arrival'},
            h('div', {class: 'card-head'},
                h('h2', {id: 'arrival'}, 'Share with the newest version, last two minutes')),
            h('div', {class: 'card-body'}, plot.node)),
        place, liveUsers(project, left.signal), spoken);
    fill(main, pageHead('Live', 'The apps that are connected and receive versions immediately.'),
        problem, content);

    let spokenAt = -Infinity;
    let spokenText = '';
    /** @param {Reading} now */
    const draw = (now) => {
        content.hidden = false;
        number.textContent = numberText(now.connections);
        share.textContent = now.connections ? percentText(now.share ?? 0) : '–';
        plot.add(now, sentence(now));
        version.textContent = `Version ${now.newest}${deliveryText(plot.delivery)}`;
        effect.textContent = effectText(now.lastPublish);
        fill(place, versionTable(now), acknowledgedCard(now));
        const isNews = sentence(now) !== spokenText;
        if (isNews && performance.now() - spokenAt > spokenInterval) {
            spokenAt = performance.now();
            spokenText = sentence(now);
            spoken.textContent = spokenText;
        }
        fill(problem);
    };
    const look = async () => {
        try {
            const {body} = await call('GET', projectPath(project, 'connections'),
                {signal: left.signal});
            draw(reading(body, workspace.newestVersion?.versionNumber));
        } catch (error) {
            if (left.signal.aborted) return;
            if (isMissing(error)) left.abort();
            fill(problem, isMissing(error)
                ? h('section', {class: 'card'}, nothing('This server has no realtime connections.'))
                : message('warning', `${error.message} Retrying.`));
        }
    };
    poll(look, interval, left.signal)();
    return () => left.abort();
}
