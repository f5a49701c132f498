/**
 * The choice of settings and sections to copy from another project.
 */

import {isEqual} from '../json/json.js';
import {changeKey} from '../template/chosen-changes.js';
import {count, numberText} from '../text/formats.js';

/**
 * The part of a difference that a copy takes over: without deletions, what only this project has
 * stays. Null if nothing of it is left.
 *
 * @param {Difference} difference
 * @param {boolean} deletions
 * @returns {?Difference}
 */
function copied(difference, deletions) {
    if (deletions) return difference;
    if (difference.change === 'REMOVED') return null;
    const parts = difference.parts.filter((part) => part.new !== undefined);
    return parts.length || !difference.parts.length ? {...difference, parts} : null;
}

/** @param {Difference} [difference] */
function isRemoval(difference) {
    return difference?.change === 'REMOVED';
}

/**
 * Settings, and sections with what differs of their own, such as the description. A section is
 * copied with all of its settings, so it is chosen only along with all of them.
 */
export class PromotionChoice {
    #comparison;
    #affected;
    #deletions = false;
    /**
     * Keys of what is chosen, of `changeKey`.
     *
     * @type {Set<string>}
     */
    #chosen = new Set();
    /** @type {{parameters: Difference[], groups: Difference[]}} */
    #offered = {parameters: [], groups: []};

    /**
     * Chooses all that differs, and removes nothing.
     *
     * @param {Comparison} comparison
     * @param {Difference[]} affected Settings that differ only through a condition; not chosen.
     */
    constructor(comparison, affected) {
        this.#comparison = comparison;
        this.#affected = affected;
        this.#offer();
        const {parameters, groups} = this.#offered;
        for (const found of parameters) {
            if (!affected.includes(found)) this.#chosen.add(changeKey('setting', found));
        }
        for (const found of groups) this.#chosen.add(changeKey('group', found));
        this.#dropIncomplete();
    }

    /**
     * Chooses what an earlier comparison had chosen, of what still differs, and nothing else. What
     * was to be copied is not removed instead.
     *
     * @param {PromotionChoice} earlier
     */
    takeOver(earlier) {
        this.#deletions = earlier.deletions;
        this.#offer();
        const before = earlier.#differences;
        this.#chosen = new Set([...this.#differences].filter(([key, found]) => (
            earlier.#chosen.has(key)
                && isRemoval(before.get(key)) === isRemoval(found))).map(([key]) => key));
        this.#dropIncomplete();
    }

    /**
     * What can be chosen now and could not before, what could and cannot any more, and what is
     * chosen and differs in another way.
     *
     * @param {PromotionChoice} earlier
     * @returns {Record<'added' | 'gone' | 'changed', Difference[]>}
     */
    newsSince(earlier) {
        const [before, now] = [earlier.#differences, this.#differences];
        /** @param {Map<string, Difference>} some @param {Map<string, Difference>} others */
        const without = (some, others) => [...some].filter(([key]) => !others.has(key))
            .map(([, found]) => found);
        return {added: without(now, before), gone: without(before, now),
            changed: [...now].filter(([key, {change, parts}]) => {
                const old = before.get(key);
                return old && earlier.#chosen.has(key)
                    && !isEqual([change, parts], [old.change, old.parts]);
            }).map(([, found]) => found)};
    }

    /** True if what only this project has of the chosen settings and sections is removed. */
    get deletions() {
        return this.#deletions;
    }

    /** Nothing becomes chosen by it; what only this project has can be. */
    set deletions(deletions) {
        this.#deletions = deletions;
        this.#offer();
        const offered = new Set(this.#differences.keys());
        for (const key of this.#chosen) if (!offered.has(key)) this.#chosen.delete(key);
        this.#dropIncomplete();
    }

    /** True if only this project has something that could be removed. */
    get canDelete() {
        const {parameters, groups} = this.#comparison;
        return [...parameters, ...groups].some(({change, parts}) => change === 'REMOVED'
            || (change === 'CHANGED' && parts.some((part) => part.new === undefined)));
    }

    /** Number of settings that differ only by what this project has. */
    get removableCount() {
        return this.#comparison.parameters.filter((found) => !copied(found, false)).length;
    }

    /** What can be chosen, as differences. */
    get offered() {
        const {omitted} = this.#comparison;
        return {conditions: [], ...this.#offered, ...omitted && {omitted}};
    }

    /** What differs, too, and cannot be chosen: conditions come along with settings. */
    get others() {
        const offered = new Set(this.#offered.groups.map(({name}) => name));
        return {conditions: this.#comparison.conditions, parameters: [],
            groups: this.#comparison.groups.filter(({name}) => !offered.has(name))};
    }

    /** True if nothing is chosen. */
    get isEmpty() {
        return !this.#chosen.size;
    }

    /** What is chosen, such as "2 settings and 1 section". */
    get text() {
        const [settings, sections] = this.#counts;
        return [settings.chosen || !sections.chosen ? count(settings.chosen, 'setting') : [],
            sections.chosen ? count(sections.chosen, 'section') : []].flat().join(' and ');
    }

    /** What is chosen of all, such as "1 of 3 settings and 0 of 1 section". */
    get status() {
        const [settings, sections] = this.#counts.map(({chosen, all, thing}) => (
            all ? [`${numberText(chosen)} of ${count(all, thing)}`] : []));
        return [settings, sections].flat().join(' and ');
    }

    get #counts() {
        /** @param {DifferenceKind} kind @param {Difference[]} list @param {string} thing */
        const counted = (kind, list, thing) => ({thing, all: list.length,
            chosen: list.filter((found) => this.isChosen(kind, found)).length});
        return [counted('setting', this.#offered.parameters, 'setting'),
            counted('group', this.#offered.groups, 'section')];
    }

    /**
     * Members of the request that choose.
     *
     * @returns {PromotionRequest}
     */
    get request() {
        const {parameters, groups} = this.#offered;
        const sections = groups.filter((found) => this.isChosen('group', found))
            .map(({name}) => name);
        return {deletions: this.#deletions, sections,
            settings: parameters.filter((found) => this.isChosen('setting', found)
                && !sections.includes(found.section)).map(({section, key}) => ({section, key}))};
    }

    /** @param {DifferenceKind} kind @param {Difference} found */
    isChosen(kind, found) {
        return this.#chosen.has(changeKey(kind, found));
    }

    /**
     * Chooses a difference or not; a section along with its settings.
     *
     * @param {DifferenceKind} kind
     * @param {Difference} found
     * @param {boolean} isChosen
     */
    choose(kind, found, isChosen) {
        if (kind === 'group' && isChosen) this.chooseSection(found.name, true);
        else this.#set(kind, found, isChosen);
        this.#dropIncomplete();
    }

    /**
     * How much of a section is chosen.
     *
     * @param {string} name
     * @returns {'all' | 'some' | 'none'}
     */
    stateOf(name) {
        const all = this.#within(name);
        const chosen = all.filter(([kind, found]) => this.isChosen(kind, found)).length;
        if (!chosen) return 'none';
        return chosen === all.length ? 'all' : 'some';
    }

    /**
     * Chooses all of a section, or nothing of it.
     *
     * @param {string} name
     * @param {boolean} isChosen
     */
    chooseSection(name, isChosen) {
        for (const [kind, found] of this.#within(name)) this.#set(kind, found, isChosen);
    }

    /** @param {boolean} isChosen */
    chooseAll(isChosen) {
        this.#chosen = new Set(isChosen ? this.#differences.keys() : []);
    }

    /**
     * The settings of a section, and the section if it differs itself.
     *
     * @param {string} section
     * @returns {[DifferenceKind, Difference][]}
     */
    #within(section) {
        const {parameters, groups} = this.#offered;
        return [
            ...parameters.filter((found) => found.section === section)
                .map((found) => /** @type {[DifferenceKind, Difference]} */ (['setting', found])),
            ...groups.filter(({name}) => name === section)
                .map((found) => /** @type {[DifferenceKind, Difference]} */ (['group', found]))];
    }

    /**
     * What can be chosen, by its key.
     *
     * @returns {Map<string, Difference>}
     */
    get #differences() {
        const {parameters, groups} = this.#offered;
        return new Map([
            ...parameters.map((found) => /** @type {[string, Difference]} */ (
                [changeKey('setting', found), found])),
            ...groups.map((found) => /** @type {[string, Difference]} */ (
                [changeKey('group', found), found]))]);
    }

    /** @param {DifferenceKind} kind @param {Difference} found @param {boolean} isChosen */
    #set(kind, found, isChosen) {
        const key = changeKey(kind, found);
        if (isChosen) this.#chosen.add(key);
        else this.#chosen.delete(key);
    }

    /** Drops sections of which a setting is not chosen. */
    #dropIncomplete() {
        for (const found of this.#offered.groups) {
            const isComplete = this.#within(found.name)
                .every(([kind, other]) => this.isChosen(kind, other));
            if (!isComplete) this.#set('group', found, false);
        }
    }

    /** Determines what can be chosen. */
    #offer() {
        const {parameters, groups, omitted} = this.#comparison;
        /** @param {Difference[]} list */
        const left = (list) => list.flatMap((found) => copied(found, this.#deletions) ?? []);
        const settings = left(parameters);
        this.#offered = {parameters: [...settings, ...this.#affected],
            // A new section comes along with its settings. Of one with settings that are not
            // listed, too much would be copied.
            groups: omitted ? [] : left(groups).filter(({change, name}) => change !== 'ADDED'
                || !settings.some(({section}) => section === name))};
    }
}
