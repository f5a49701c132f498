/**
 * Search of the command palette: which entries have all words, in any order, and which come first.
 */

import {searchWords} from '../text/search.js';

/** Order of kinds among equal matches; settings and conditions can be thousands. */
const kinds = ['Page', 'Action', 'Project', 'Section', 'Setting', 'Condition'];

/**
 * True if a word of a text starts at an index: after another character than a letter or digit, or
 * at a hump, as in `refreshInterval` and `HTTPRetries`.
 *
 * @param {string} text
 * @param {number} index
 */
function startsWord(text, index) {
    if (index === 0) return true;
    return /[^\p{L}\p{N}]|\P{Lu}(?=\p{Lu})|\p{Lu}(?=\p{Lu}\p{Ll})/uy
        .test(text.slice(index - 1, index + 2));
}

/**
 * Rank of a match of a word in a title: 0 at its start, 1 at the start of a word, 2 inside of a
 * word; -1 for no match.
 *
 * @param {string} title
 * @param {string} lower The title in lower case.
 * @param {string} word In lower case.
 */
function rankInTitle(title, lower, word) {
    let index = lower.indexOf(word);
    if (index <= 0) return index;
    // Lower case can have another length, as that of İ: humps are then unknown.
    const text = lower.length === title.length ? title : lower;
    for (; index > 0; index = lower.indexOf(word, index + 1)) {
        if (startsWord(text, index)) return 1;
    }
    return 2;
}

/**
 * Entry with its texts in lower case.
 *
 * @typedef {{entry: PaletteEntry, title: string, rest: string, isRecent: boolean}} Prepared
 */

/** Entries of a palette, prepared for search: a search itself sorts nothing. */
export class PaletteSearch {
    /** @type {PaletteEntry[]} */
    #all;
    /**
     * In the order of equally good matches.
     *
     * @type {Prepared[]}
     */
    #prepared;

    /**
     * @param {PaletteEntry[]} entries
     * @param {string[]} recent IDs of the entries that were chosen last, the newest first.
     */
    constructor(entries, recent = []) {
        const recency = new Map(recent.map((id, index) => [id, index - recent.length]));
        const keyed = entries.map((entry) => ({entry, recency: recency.get(entry.id) ?? 0,
            kind: 2 * kinds.indexOf(entry.kind) + (entry.refusal ? 1 : 0)}));
        keyed.sort((left, right) => left.recency - right.recency || left.kind - right.kind);
        this.#all = keyed.map(({entry}) => entry);
        keyed.sort((left, right) => left.recency - right.recency || left.kind - right.kind
            || left.entry.title.length - right.entry.title.length);
        this.#prepared = keyed.map(({entry, recency: age}) => ({
            entry, title: entry.title.toLowerCase(), isRecent: age < 0,
            rest: `${entry.kind}\n${entry.detail ?? ''}\n${entry.words ?? ''}`.toLowerCase()}));
    }

    /**
     * The entries in whose texts all words of the query occur, the best first; all entries for an
     * empty query.
     *
     * An entry is as good as its worst word: at the start of a word of the title, elsewhere in the
     * title, or in the other texts. Recent choices come first among equally good ones, then those
     * that have more words at better places.
     *
     * @param {string} query
     * @returns {PaletteEntry[]}
     */
    find(query) {
        const words = searchWords(query);
        if (!words.length) return this.#all;
        /**
         * Entries by their place.
         *
         * @type {PaletteEntry[][]}
         */
        const places = [];
        for (const prepared of this.#prepared) {
            const place = placeOf(prepared, words);
            if (place >= 0) (places[place] ??= []).push(prepared.entry);
        }
        return places.flat();
    }
}

/**
 * Place of an entry among others, smaller for better ones; -1 if a word does not occur in it.
 *
 * @param {Prepared} prepared
 * @param {string[]} words
 */
function placeOf({entry, title, rest, isRecent}, words) {
    let [worst, sum] = [1, 0];
    for (const word of words) {
        let rank = rankInTitle(entry.title, title, word);
        if (rank < 0) {
            if (!rest.includes(word)) return -1;
            rank = 3;
        }
        worst = Math.max(worst, rank);
        sum += rank;
    }
    return worst * (3 * words.length + 2) + (isRecent ? 0 : sum + 1);
}
