/**
 * Merge page: merges the draft with the versions published since it began; the user resolves the
 * conflicts.
 */

import {message, nothing, pageHead, publisherName} from '../controls/controls.js';
import {announce, fill, h, newID} from '../controls/dom.js';
import {folded} from '../controls/folded.js';
import {placed} from '../controls/problem-list.js';
import {failedReading} from '../controls/shown-answer.js';
import {valueText} from '../controls/value-view.js';
import {differenceSummary, diffView} from '../differences/diff-view.js';
import {partNames, partValue} from '../differences/difference-parts.js';
import {differingLines} from '../differences/line-diff.js';
import {jsonText} from '../json/json-text.js';
import {entries, isEqual, member} from '../json/json.js';
import {needsLines} from '../json/line-differences.js';
import {address, go} from '../routing/router.js';
import {call, projectPath} from '../server/api.js';
import {sentence} from '../server/validation.js';
import {count} from '../text/formats.js';
import {KeptChoices} from './kept-choices.js';

/** Conflicts shown before the rest is folded. */
const shownConflicts = 50;

/**
 * Display name of the conflicting item.
 *
 * @param {Conflict} conflict
 * @returns {string | undefined}
 */
export function conflictName({kind, section, key, name, field, condition}) {
    switch (kind) {
    case 'PARAMETER':
        if (condition !== undefined) return `${section}.${key}, value for “${condition}”`;
        return field ? `${section}.${key}, ${lowercaseName(field)}` : `${section}.${key}`;
    case 'CONDITION': return `The condition ${name}`;
    case 'GROUP': return `The section ${name}`;
    case 'CONDITION_ORDER': return 'The order of the conditions';
    default: return name;
    }
}

/**
 * Name of a field within a sentence.
 *
 * @param {string} field
 */
function lowercaseName(field) {
    return partNames[field]?.toLowerCase() ?? field;
}

/**
 * True for the value of a setting, which is shown whole.
 *
 * @param {any} tree
 */
function isValue(tree) {
    return Boolean(tree) && (member(tree, 'value') !== undefined
        || member(tree, 'useInAppDefault') !== undefined);
}

/**
 * Parts of one side of a conflict; highlights those that differ from `other`.
 *
 * @param {any} side
 * @param {any} other
 */
function sideView(side, other) {
    if (side === undefined) return h('p', {class: 'muted'}, 'Not present.');
    if (Array.isArray(side)) {
        return h('ol', {class: 'names'}, side.map((name) => h('li', {}, valueText(name))));
    }
    if (typeof side !== 'object' || isValue(side) || isValue(other)) {
        const [own, another] = [valueText(side), valueText(other)];
        if (other !== undefined && own !== another && needsLines(another, own)) {
            return differingLines(another, own);
        }
        return h('p', {}, h('code', {class: 'value'}, own || '(empty)'));
    }
    /**
     * @param {any} tree
     * @returns {[string, unknown][]}
     */
    const parts = (tree) => entries(tree ?? {}).flatMap(([name, value]) => (
        name === 'conditionalValues'
            ? entries(value).map(([condition, inner]) => (
                /** @type {[string, unknown]} */ ([`For “${condition}”`, inner])))
            : [/** @type {[string, unknown]} */ (
                [partNames[name] ?? name, partValue(name, value)])]));
    const others = new Map(parts(other).map(([name, value]) => [name, jsonText(value)]));
    return h('dl', {class: 'side-parts'}, parts(side).map(([name, value]) => {
        const differs = others.get(name) !== jsonText(value);
        return h('div', {class: differs ? 'differs' : ''}, h('dt', {}, name),
            h('dd', {}, h('code', {class: 'value'}, valueText(value)),
                differs && h('span', {class: 'visually-hidden'}, ' (differs)')));
    }));
}

/**
 * Conflict with a choice between both sides; stores the choice in `choices` by the conflict's path.
 *
 * @param {Conflict} conflict
 * @param {string} theirName
 * @param {Record<string, string>} choices
 * @param {() => void} changed
 */
function conflictView(conflict, theirName, choices, changed) {
    const group = newID('conflict');
    /**
     * @param {string} side
     * @param {string} label
     * @param {unknown} tree
     * @param {unknown} other
     */
    const option = (side, label, tree, other) => h('label', {class: 'option'},
        h('span', {class: 'check'}, h('input', {type: 'radio', name: group, value: side,
            checked: choices[conflict.path] === side, onchange: () => {
                choices[conflict.path] = side;
                changed();
            }}), h('strong', {}, label)),
        sideView(tree, other));
    const version = conflict.changedBy;
    const theirs = publisherName(version, theirName);
    return h('fieldset', {class: 'card conflict'},
        h('legend', {class: 'key'}, conflictName(conflict)),
        h('details', {}, h('summary', {}, 'What it was when your draft began'),
            sideView(conflict.base, conflict.base)),
        h('div', {class: 'options'},
            option('theirs', `${theirs}, published${version ? ` in version ${version.versionNumber}`
                : ''}`, conflict.theirs, conflict.mine),
            option('mine', 'Yours, in the draft', conflict.mine, conflict.theirs)));
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const {workspace, project} = context;
    const left = new AbortController();
    const body = h('div', {class: 'stack'});
    const kept = new KeptChoices(project, workspace.draft?.base);
    const {choices} = kept;
    fill(main, pageHead('Merge', 'Another version was published since your draft began. '
        + 'Changes that only one side made are kept.'), body);

    /**
     * Merges on the server with the choices made so far; the server stores nothing. Adds `mine`,
     * the merged template of the draft, to the response.
     *
     * @returns {Promise<DraftMerge>}
     */
    const merge = async () => {
        if (!workspace.draft) throw new Error('The draft was discarded or published meanwhile.');
        const {base, template: mine} = workspace.draft;
        const {body} = await call('POST', projectPath(project, 'remoteConfig:merge'), {
            signal: left.signal, body: {base, mine, resolutions: choices}});
        return {...body, mine};
    };

    /**
     * Makes the merged template the draft. Merges again first; shows the result instead if another
     * version was published since `shown`, or a conflict is unresolved.
     *
     * @param {DraftMerge} shown
     * @param {HTMLElement} place
     */
    const take = async (shown, place) => {
        const answer = await merge();
        const isNewer = answer.versionNumber !== shown.versionNumber;
        const isOther = !isEqual(answer.mine, shown.mine);
        if (isNewer || isOther || answer.conflicts.some(({path}) => !choices[path])) {
            await draw(answer);
            announce(isOther ? 'Your draft was changed meanwhile. Review it again.'
                : 'Another version was published meanwhile. Review it again.');
            return;
        }
        if (answer.problems?.length) {
            fill(place, message('error', h('p', {}, 'The merged template cannot be published:'),
                h('ul', {}, answer.problems.map((problem) => h('li', {},
                    placed(problem), sentence(problem))))));
            return;
        }
        const {template} = await workspace.fetchTemplate(answer.versionNumber);
        if (left.signal.aborted) return;
        if (workspace.draft?.template !== answer.mine) {
            await draw(await merge());
            announce('Your draft was changed meanwhile. Review it again.');
            return;
        }
        const {version} = answer.mine;
        workspace.rebase(version ? {...answer.template, version} : answer.template, {
            versionNumber: answer.versionNumber, etag: answer.etag, baseTemplate: template});
        await workspace.load();
        kept.forget();
        announce('Merged into your draft.');
        if (!left.signal.aborted) go('review');
    };

    /**
     * Renders a merge response.
     *
     * @param {DraftMerge} answer
     */
    const draw = async (answer) => {
        const {version} = await workspace.fetchTemplate(answer.versionNumber);
        if (left.signal.aborted) return;
        const theirName = publisherName(version, 'Someone else');
        const place = h('div', {});
        const open = h('p', {class: 'muted', role: 'status'});
        const button = h('button', {type: 'button', class: 'primary', onclick: async () => {
            button.disabled = true;
            await take(answer, place)
                .catch((error) => fill(place, message('error', error.message)));
            update();
        }}, 'Take this into the draft');
        const update = () => {
            const number = answer.conflicts.filter(({path}) => !choices[path]).length;
            button.disabled = number > 0;
            open.textContent = number ? `${count(number, 'choice')} left`
                : 'Nothing is published yet: you review it once more.';
        };
        update();
        fill(body,
            message('info', `${theirName} published version ${answer.versionNumber}`
                + `${version?.description ? `: “${version.description}”` : ''}. `
                + (answer.conflicts.length
                    ? `${count(answer.conflicts.length, 'thing')} you both changed: choose below.`
                    : 'You changed different things, so there is nothing to choose.')),
            folded(answer.conflicts, (some) => h('div', {class: 'stack'}, some.map((conflict) => (
                conflictView(conflict, theirName, choices, () => {
                    kept.keep();
                    update();
                })))), shownConflicts),
            h('div', {class: 'actions'}, button, open), place,
            h('div', {class: 'two'},
                changesView(`What ${theirName} changed`, answer.changes.theirs),
                changesView('What you changed', answer.changes.mine)));
    };

    let isBegun = false;
    const begin = () => {
        if (workspace.draft?.isBaseGone) {
            fill(body, message('warning', h('p', {}, `Version ${workspace.draft.base}, which your `
                + 'draft began with, is no longer kept, so the two cannot be merged.'),
            h('a', {class: 'button', href: address('review')}, 'Go to the review')));
        } else if (!workspace.draft || !workspace.isOutdated) {
            fill(body, h('section', {class: 'card'}, nothing(
                'Nobody has published since your draft began.',
                h('a', {class: 'button', href: address('review')}, 'Go to the review'))));
        } else {
            isBegun = true;
            fill(body, h('p', {class: 'muted', role: 'status'}, 'Merging …'));
            merge().then(draw).catch((error) => {
                if (!left.signal.aborted) fill(body, failedReading(error, left.signal, begin));
            });
        }
    };
    begin();
    // A version can be published while the page says that there is none.
    workspace.addEventListener('change', () => {
        if (!isBegun && workspace.isOutdated) begin();
    }, {signal: left.signal});
    return () => left.abort();
}

/**
 * @param {string} title
 * @param {Differences} difference
 */
function changesView(title, difference) {
    return h('section', {class: 'card'},
        h('div', {class: 'card-head'}, h('h2', {}, title),
            h('p', {class: 'muted'}, differenceSummary(difference))),
        h('div', {class: 'card-body'}, diffView(difference)));
}
