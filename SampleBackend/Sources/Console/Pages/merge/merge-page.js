/**
 * Merge page: merges the draft with the versions published since it began; the user resolves the
 * conflicts.
 */

import {message, nothing, pageHead, publisherName} from '../controls/controls.js';
import {announce, fill, h} from '../controls/dom.js';
import {folded} from '../controls/folded.js';
import {placed} from '../controls/problem-list.js';
import {failedReading} from '../controls/shown-answer.js';
import {differenceSummary, diffView} from '../differences/diff-view.js';
import {isEqual} from '../json/json.js';
import {address, go} from '../routing/router.js';
import {call, projectPath} from '../server/api.js';
import {sentence} from '../server/validation.js';
import {count} from '../text/formats.js';
import {conflictName, conflictView} from './conflict-view.js';
import {conflictSummary, dependentValues, leftOut} from './dependent-values.js';
import {KeptChoices} from './kept-choices.js';
import {mergeState, undonePublish} from './merge-state.js';

const draftChanged = 'Your draft was changed meanwhile.';

/** Conflicts shown before the rest is folded. */
const shownConflicts = 50;

/**
 * Sentences about what has changed, and the choices that are to be made again.
 *
 * @param {string} news
 * @param {Conflict[]} outdated
 */
function outdatedText(news, outdated) {
    const start = news || 'The conflicts have changed.';
    return outdated.length ? `${start} Choose again: ${outdated.map(conflictName).join('; ')}.`
        : `${start} Review it again: nothing was taken into the draft yet.`;
}

/**
 * @param {HTMLElement} main
 * @param {PageContext} context
 */
export function show(main, context) {
    const {workspace, project} = context;
    const left = new AbortController();
    const body = h('div', {class: 'stack'});
    const kept = new KeptChoices(workspace, workspace.draft?.base);
    fill(main, pageHead('Merge', 'Combines your draft with what was published after it '
        + 'began. Changes that only one side made are kept.'), body);

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
            signal: left.signal, body: {base, mine, resolutions: kept.resolutions}});
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
        if (isNewer || isOther) {
            await draw(answer, isOther ? draftChanged
                : `Version ${answer.versionNumber} was published meanwhile.`);
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
            await draw(await merge(), draftChanged);
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
     * Renders a merge response. A choice whose sides have changed is to be made again.
     *
     * @param {DraftMerge} answer
     * @param {string} [news] What has changed since the last response was shown.
     */
    const draw = async (answer, news = '') => {
        const current = await workspace.fetchTemplate(answer.versionNumber);
        const undone = await undonePublish(workspace, current).catch(() => null);
        if (left.signal.aborted || !workspace.draft || state !== 'open') return;
        const {version, template: theirs} = current;
        const templates = {base: workspace.draft.baseTemplate, mine: answer.mine, theirs};
        const items = answer.conflicts.map((conflict) => (
            {conflict, dependents: dependentValues(conflict, templates)}));
        const theirName = publisherName(version, 'Someone else');
        const outdated = kept.dropOutdated(items);
        const notice = (news || outdated.length > 0) && h('div', {tabindex: '-1'},
            message('warning', h('p', {}, outdatedText(news, outdated))));
        const place = h('div', {});
        const open = h('p', {class: 'muted', role: 'status'});
        const button = h('button', {type: 'button', class: 'primary', onclick: async () => {
            button.disabled = true;
            isTaking = true;
            await take(answer, place)
                .catch((error) => fill(place, message('error', error.message)));
            isTaking = false;
            update();
        }}, 'Take this into the draft');
        const omitted = h('div', {'aria-live': 'polite'});
        const update = () => {
            const lost = leftOut(items, (item) => kept.of(item), theirName);
            fill(omitted, lost.length > 0 && message('warning', h('p', {}, 'The merge leaves out:'),
                h('ul', {class: 'remarks'}, lost.map((text) => h('li', {}, text)))));
            const number = items.filter((item) => !kept.of(item)).length;
            button.disabled = number > 0;
            open.textContent = number ? `${count(number, 'choice')} left`
                : 'Nothing is published yet: you review it once more.';
        };
        update();
        fill(body, notice, undone !== null && message('warning', undone),
            message('info', `${theirName} published version ${answer.versionNumber}`
                + `${version?.description ? `: “${version.description}”` : ''}. `
                + conflictSummary(answer.conflicts)),
            folded(items, (some) => h('div', {class: 'stack'}, some.map((item) => (
                conflictView(item, theirName, kept.of(item), (side) => {
                    kept.choose(item, side);
                    update();
                })))), shownConflicts),
            omitted,
            h('div', {class: 'actions'}, button, open), place,
            h('div', {class: 'two'},
                changesView(`What ${theirName} changed`, answer.changes.theirs),
                changesView('What you changed', answer.changes.mine)));
        if (notice) notice.focus();
    };

    let isTaking = false;
    /** @type {?ReturnType<typeof mergeState>} */
    let state = null;
    const begin = () => {
        state = mergeState(workspace);
        const {draft} = workspace;
        if (state === 'baseGone') {
            fill(body, message('warning', h('p', {}, `Version ${draft?.base}, which your `
                + 'draft began with, is no longer kept, so the two cannot be merged.'),
            h('a', {class: 'button', href: address('review')}, 'Go to the review')));
        } else if (state !== 'open') {
            fill(body, h('section', {class: 'card'}, nothing(
                state === 'none' ? 'There is no draft to merge.'
                    : `Your draft continues from version ${draft?.base}, which is current: there `
                        + 'is nothing to merge.',
                h('a', {class: 'button', href: address('review')}, 'Go to the review'))));
        } else {
            fill(body, h('p', {class: 'muted', role: 'status'}, 'Merging …'));
            merge().then(draw).catch((error) => {
                if (left.signal.aborted || state !== 'open') return;
                fill(body, failedReading(error, left.signal, begin));
            });
        }
    };
    begin();
    // A version can be published here or elsewhere while the page is shown.
    workspace.addEventListener('change', () => {
        if (!isTaking && mergeState(workspace) !== state) begin();
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
