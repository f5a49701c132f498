/**
 * What another comparison of two projects finds, after one of them has changed.
 */

import {count} from '../text/formats.js';

/** Names that a sentence has. */
const shownNumber = 3;

/** @typedef {Record<'added' | 'gone' | 'changed', Difference[]>} ChoiceNews */

/**
 * Names of settings and sections, the first ones.
 *
 * @param {Difference[]} found
 */
function names(found) {
    const rest = found.length - shownNumber;
    return `${found.slice(0, shownNumber).map(({section, key, name}) => (
        key ? `${section}.${key}` : name)).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/**
 * A sentence about what was found, with the verb for one and for many; none for nothing.
 *
 * @param {Difference[]} found
 * @param {[one: string, many: string]} verbs
 * @param {string} [adjective] With a space behind it.
 */
function sentence(found, [one, many], adjective = '') {
    if (!found.length) return [];
    const settings = found.filter(({key}) => key).length;
    const counts = [[settings, 'setting'], [found.length - settings, 'section']]
        .flatMap(([number, thing]) => (number ? [count(number, `${adjective}${thing}`)] : []));
    return [`${counts.join(' and ')} ${found.length === 1 ? one : many}: ${names(found)}.`];
}

/**
 * True if two comparisons are not of the same versions.
 *
 * @param {Comparison} before
 * @param {Comparison} after
 */
export function hasMoved(before, after) {
    return before.withETag !== after.withETag || before.etag !== after.etag;
}

/**
 * Which of two compared projects has changed, such as "staging has changed".
 *
 * @param {Comparison} before
 * @param {Comparison} after
 */
function moved(before, after) {
    const both = [
        ...before.withETag === after.withETag ? [] : [after.with],
        ...before.etag === after.etag ? [] : [before.withETag === after.withETag
            ? 'This project' : 'this project']];
    return `${both.join(' and ')} ${both.length > 1 ? 'have' : 'has'} changed: compared again.`;
}

/**
 * What another comparison has found, and what became of the choice, as sentences.
 *
 * @param {Comparison} before
 * @param {Comparison} after
 * @param {ChoiceNews} news
 * @param {number} reopened Number of decisions that are open again.
 * @param {boolean} [isCopying] False if the user did something else than to copy.
 */
export function comparisonNews(
    before, after, {added, gone, changed}, reopened, isCopying = true) {
    return [
        hasMoved(before, after) ? moved(before, after) : 'Compared again.',
        ...sentence(gone, ['no longer differs', 'no longer differ']),
        ...sentence(added, ['differs now, too, and is not chosen',
            'differ now, too, and are not chosen']),
        ...sentence(changed, ['differs otherwise now', 'differ otherwise now'], 'chosen '),
        ...reopened ? [`${count(reopened, 'decision')} ${reopened === 1
            ? 'is open again, since what it is between has changed.'
            : 'are open again, since what they are between has changed.'}`] : [],
        ...isCopying ? ['Look at what is copied, then press the button again.'] : [],
    ].join(' ');
}
