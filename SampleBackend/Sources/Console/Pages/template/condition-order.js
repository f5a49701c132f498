/**
 * Order of the conditions after a merge, by the rules of the server's `MergedConditionOrder.swift`.
 *
 * The order of two conditions decides values where they meet: where a setting has a value for each.
 */

import {mergedOrder, orderLedBy} from '../json/tree-merge.js';

/**
 * The pairs of numbers that occur in one of the groups, each once, the lower number first.
 *
 * @param {number[][]} groups
 * @param {number} count Limit of the numbers.
 * @returns {[number, number][]}
 */
function pairsOf(groups, count) {
    const words = Math.ceil(count / 32);
    const rows = Array.from({length: count}, () => new Uint32Array(words));
    for (const group of groups) {
        const all = new Uint32Array(words);
        for (const number of group) all[number >> 5] |= 1 << (number & 31);
        for (const number of group) all.forEach((word, index) => { rows[number][index] |= word; });
    }
    return rows.flatMap((row, first) => {
        /** @type {[number, number][]} */
        const pairs = [];
        for (let second = first + 1; second < count; second += 1) {
            if (row[second >> 5] & (1 << (second & 31))) pairs.push([first, second]);
        }
        return pairs;
    });
}

/** The known order of pairs of conditions, which are numbers. */
class KnownOrder {
    /**
     * Places of the conditions by number; undefined where a side does not have one.
     *
     * @type {(number | undefined)[][]}
     */
    #places;
    /**
     * By the number of a condition of `mine`: the last place in `theirs` of what precedes it, and
     * the first place of what follows it.
     *
     * @type {number[][]}
     */
    #bounds;

    /**
     * @param {string[]} names
     * @param {string[][]} sides The names of base, mine and theirs.
     */
    constructor(names, sides) {
        this.#places = sides.map((list) => {
            const places = new Map(list.map((name, place) => [name, place]));
            return names.map((name) => places.get(name));
        });
        const [, , theirs] = this.#places;
        const numbers = new Map(names.map((name, number) => [name, number]));
        const mine = sides[1].map((name) => /** @type {number} */ (numbers.get(name)));
        /** @type {number[]} */
        const lastAbove = [];
        /** @type {number[]} */
        const firstBelow = [];
        let bound = -1;
        for (const number of mine) {
            lastAbove[number] = bound;
            bound = Math.max(bound, theirs[number] ?? -1);
        }
        bound = Infinity;
        for (const number of [...mine].reverse()) {
            firstBelow[number] = bound;
            bound = Math.min(bound, theirs[number] ?? Infinity);
        }
        this.#bounds = [lastAbove, firstBelow];
    }

    /**
     * True if `mine` has the condition of a number.
     *
     * @param {number} number
     */
    isMine(number) {
        return this.#places[1][number] !== undefined;
    }

    /**
     * True if the first of two conditions precedes the second one; undefined if a side must be
     * chosen.
     *
     * @param {number} first
     * @param {number} second
     * @returns {boolean | undefined}
     */
    of(first, second) {
        const [base, mine, theirs] = this.#places.map((places) => {
            const [before, after] = [places[first], places[second]];
            return before === undefined || after === undefined ? undefined : before < after;
        });
        if (mine === undefined || theirs === undefined || mine === theirs) {
            return mine ?? theirs ?? base ?? this.#byOthers(first, second);
        }
        return base === undefined ? undefined : base === mine ? theirs : mine;
    }

    /**
     * The order that conditions of both sides give, which are between a condition of each.
     *
     * @param {number} first
     * @param {number} second
     * @returns {boolean | undefined}
     */
    #byOthers(first, second) {
        if (!this.isMine(first)) {
            const isReverse = this.isMine(second) ? this.#byOthers(second, first) : undefined;
            return isReverse === undefined ? undefined : !isReverse;
        }
        const place = this.#places[2][second];
        if (place === undefined) return undefined;
        const [lastAbove, firstBelow] = this.#bounds;
        const isAbove = firstBelow[first] < place;
        return isAbove === lastAbove[first] > place ? undefined : isAbove;
    }
}

/**
 * Takes the first of a list that follows nothing that is left, or, in a cycle, nothing that is left
 * of the chosen side.
 *
 * @param {number[]} list
 * @param {[number, number][]} orders Pairs of which the first precedes the second.
 * @param {number[]} chosen The order of the chosen side.
 */
function sequence(list, orders, chosen) {
    /** @type {Map<number, number[]>} */
    const followers = new Map();
    /** @type {Map<number, number>} */
    const waiting = new Map();
    for (const [before, after] of orders) {
        const all = followers.get(before);
        if (all) all.push(after);
        else followers.set(before, [after]);
        waiting.set(after, (waiting.get(after) ?? 0) + 1);
    }
    const previous = new Map(chosen.slice(1).map((number, index) => [number, chosen[index]]));
    const left = new Set(list);
    const isFree = (/** @type {number} */ number) => (
        !left.has(/** @type {number} */ (previous.get(number))));
    const rest = [...list];
    /** @type {number[]} */
    const numbers = [];
    let isForced = false;
    while (rest.length) {
        let index = rest.findIndex((number) => isFree(number) && !waiting.get(number));
        if (index < 0) {
            isForced = true;
            index = rest.findIndex(isFree);
        }
        const [number] = rest.splice(index, 1);
        numbers.push(number);
        left.delete(number);
        for (const follower of followers.get(number) ?? []) {
            waiting.set(follower, (waiting.get(follower) ?? 0) - 1);
        }
        followers.delete(number);
    }
    return {numbers, isForced};
}

/**
 * The names of the conditions of both sides in their order after a merge; `mine` wins a conflict.
 *
 * @param {string[]} base
 * @param {string[]} mine
 * @param {string[]} theirs
 * @param {string[][]} meetings For each setting, the conditions for which it has values.
 */
export function conditionOrder(base, mine, theirs, meetings) {
    const names = [...new Set([...mine, ...theirs])];
    const numbers = new Map(names.map((name, number) => [name, number]));
    const numbersOf = (/** @type {string[]} */ list) => list
        .flatMap((name) => numbers.get(name) ?? []);
    const known = new KnownOrder(names, [base, mine, theirs]);
    const pairs = pairsOf(meetings.map(numbersOf).filter(({length}) => length > 1), names.length);
    const ordered = pairs.map(([first, second]) => ({first, second, is: known.of(first, second)}));
    const preferred = mergedOrder(base, mine, theirs);
    /** @returns {[number, number]} */
    const inOrder = (/** @type {number} */ first, /** @type {number} */ second,
        /** @type {boolean} */ isInOrder) => (isInOrder ? [first, second] : [second, first]);
    if (!preferred.isConflict && ordered.every(({is}) => is !== undefined)) {
        const found = sequence(numbersOf(preferred.names),
            ordered.map(({first, second, is}) => inOrder(first, second, Boolean(is))), []);
        if (!found.isForced) {
            return {names: found.numbers.map((number) => names[number]), isConflict: false};
        }
    }
    const others = ordered.filter(({first, second}) => (
        !known.isMine(first) || !known.isMine(second)));
    const found = sequence(numbersOf(orderLedBy(mine, theirs)),
        others.map(({first, second, is}) => inOrder(first, second, is ?? known.isMine(first))),
        numbersOf(mine));
    return {names: found.numbers.map((number) => names[number]), isConflict: true};
}
