/**
 * The steps of a rollout as a table, and its percentage as a bar.
 */

import {badge, table} from '../controls/controls.js';
import {h} from '../controls/dom.js';
import {address} from '../routing/router.js';
import {stepLines, stepTime} from './rollout-texts.js';

/** @param {Rollout} rollout @param {string} [zone] */
export function stepsTable(rollout, zone) {
    return table(`Steps of the rollout of ${rollout.condition}`,
        ['Percentage', 'Time', 'State', 'Version'],
        stepLines(rollout).map(({percent, time, state, kind, versionNumber}) => h('tr', {},
            h('th', {scope: 'row', class: 'number'}, `${percent}%`),
            h('td', {}, time && stepTime(time, zone)),
            h('td', {}, badge(state, kind)),
            h('td', {class: 'number'}, versionNumber && h('a', {
                href: address('history', {to: versionNumber}),
                'data-focus': `step ${versionNumber}`}, versionNumber)))));
}

/**
 * The percentage that is live, as a bar; null before the start.
 *
 * @param {Rollout} rollout
 */
export function rolloutBar({condition, percent, takenBackVersionNumber}) {
    return percent === undefined || takenBackVersionNumber ? null
        : h('meter', {class: 'rollout-bar', min: '0', max: '100', value: String(percent),
            'aria-label': `${condition}: ${percent}%`});
}
