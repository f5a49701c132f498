/**
 * Fields for the times of a schedule, which say at once what is meant.
 */

import {choice, field} from '../controls/controls.js';
import {fill, h, newID} from '../controls/dom.js';
import {address} from '../routing/router.js';
import {definedValues, meantValue} from '../template/defined-values.js';
import {isZone, placeOf, readerZone, zonedText} from '../text/time-zones.js';
import {chosenEnd, chosenTimes, firstTimes, timesToSend} from './chosen-times.js';

/** @typedef {import('./chosen-times.js').EnteredTimes} EnteredTimes */
/** @typedef {import('./chosen-times.js').ChosenTime} ChosenTime */

/** The name of a zone, as the lists have it. */
const zoneRule = {element: 'timeZone', key: null};

/** One time, and what it means. */
class TimeField {
    #changed;
    #meaning = h('p', {class: 'hint', role: 'status', id: newID('meaning')});
    #problem = h('p', {class: 'problems', role: 'status', id: newID('problem')});
    #choice = h('div', {});
    #offered = '[]';
    /** @type {?HTMLSelectElement} */
    #select = null;
    input;
    node;
    /** @type {string | undefined} */
    offset;

    /**
     * @param {string} label
     * @param {import('./chosen-times.js').EnteredTime} entered
     * @param {() => void} changed
     */
    constructor(label, {local, offset}, changed) {
        this.#changed = changed;
        this.offset = offset;
        this.input = h('input', {type: 'datetime-local', value: local, required: true,
            'aria-describedby': `${this.#meaning.id} ${this.#problem.id}`,
            oninput: changed});
        this.node = h('div', {class: 'stack tight'}, field(label, this.input), this.#choice,
            this.#problem, this.#meaning);
    }

    /** @returns {import('./chosen-times.js').EnteredTime} */
    get entered() {
        return {local: this.input.value, ...this.offset && {offset: this.offset}};
    }

    /**
     * @param {ChosenTime} time
     * @param {string} zone
     */
    show({problem, choices, timestamp}, zone) {
        this.#problem.textContent = problem;
        this.#meaning.textContent = timestamp ? `${zonedText(timestamp, zone)}.` : '';
        this.input.setAttribute('aria-invalid', String(problem !== '' && !choices.length));
        this.#offer(choices);
        this.#select?.setAttribute('aria-invalid', String(problem !== ''));
    }

    /**
     * Offers the instants that a time can mean.
     *
     * @param {Choice[]} choices
     */
    #offer(choices) {
        const offered = JSON.stringify(choices);
        // Kept, so that the focus stays.
        if (offered === this.#offered) return;
        this.#offered = offered;
        fill(this.#choice);
        this.#select = null;
        if (!choices.length) return;
        const isChosen = choices.some(([offset]) => offset === this.offset);
        const select = choice([['', 'Choose one'], ...choices], isChosen ? this.offset : '', {
            'aria-describedby': this.#problem.id, onchange: () => {
                this.offset = select.value;
                this.#changed();
            }});
        this.#select = select;
        fill(this.#choice, field('Which one', select));
    }
}

/** The fields of a schedule. */
export class ScheduleFields {
    #start;
    #end;
    #hasEnd;
    #endPlace = h('div', {});
    #zone;
    #zoneProblem = h('p', {class: 'problems', role: 'status'});
    #keep;
    node;

    /**
     * @param {?EnteredTimes} kept What was entered before.
     * @param {(entered: EnteredTimes) => void} keep Called with what is entered.
     * @param {{schedule?: Schedule, hasEnds?: boolean}} options The schedule that is moved; false
     *     for times without an end.
     */
    constructor(kept, keep, {schedule, hasEnds = true} = {}) {
        const {start, end, hasEnd, zone} = kept
            ?? firstTimes(meantValue(zoneRule, readerZone()), schedule);
        this.#keep = keep;
        const update = () => {
            this.#keep(this.entered);
            this.#show();
        };
        this.#start = new TimeField('Date and time', start, update);
        this.#end = new TimeField('Date and time of the end', end, update);
        this.#hasEnd = h('input', {type: 'checkbox', checked: hasEnd && hasEnds, onchange: update});
        const list = h('datalist', {id: newID('zones')}, definedValues('timeZone')
            .filter(([name]) => isZone(name)).map(([value, name]) => h('option', {value}, name)));
        this.#zone = h('input', {type: 'text', value: zone, list: list.id, autocomplete: 'off',
            spellcheck: 'false', autocapitalize: 'off', required: true, oninput: update,
            onchange: () => {
                this.#zone.value = meantValue(zoneRule, this.#zone.value.trim());
                update();
            }});
        this.node = h('div', {class: 'stack'}, this.#start.node,
            field('Time zone', this.#zone, {hint: 'The place whose clocks count.',
                problems: this.#zoneProblem}), list,
            hasEnds && [
                h('label', {class: 'check'}, this.#hasEnd, ' Take it back at a later time'),
                this.#endPlace, exactHint()]);
        this.#show();
    }

    /** @returns {EnteredTimes} */
    get entered() {
        return {start: this.#start.entered, end: this.#end.entered, hasEnd: this.#hasEnd.checked,
            zone: this.#zone.value.trim()};
    }

    /**
     * The times as the server takes them.
     *
     * @throws Error with what is missing, after it has focused the field.
     */
    times() {
        try {
            return timesToSend(this.entered);
        } catch (error) {
            this.#show();
            /** @type {?HTMLElement} */ (this.node.querySelector('[aria-invalid=true]'))?.focus();
            throw error;
        }
    }

    /** Shows what is meant. */
    #show() {
        const {entered} = this;
        const {start, end, zoneProblem} = chosenTimes(entered);
        this.#start.show(start, entered.zone);
        if (end) this.#end.show(end, entered.zone);
        this.#zone.setAttribute('aria-invalid', String(zoneProblem !== ''));
        this.#zoneProblem.textContent = zoneProblem;
        if (Boolean(end) === this.#endPlace.hasChildNodes()) return;
        fill(this.#endPlace, end && h('div', {class: 'stack tight'}, this.#end.node,
            h('p', {class: 'hint'}, 'What it changes becomes as before, except what is changed in '
                + 'between.')));
    }
}

/** The field of another end for what was published, in the time zone of its schedule. */
export class EndField {
    #time;
    #zone;
    node;

    /** @param {Schedule} schedule */
    constructor({zone}) {
        this.#zone = zone && isZone(zone) ? zone : readerZone();
        this.#time = new TimeField('Date and time of the end', {local: ''}, () => this.#show());
        this.node = h('div', {class: 'stack tight'}, this.#time.node,
            h('p', {class: 'hint'}, `The clocks in ${placeOf(this.#zone)} count.`));
        this.#show();
    }

    /** Shows what is meant. */
    #show() {
        const time = chosenEnd(this.#time.entered, this.#zone);
        this.#time.show(time, this.#zone);
        return time;
    }

    /**
     * The time as the server takes it.
     *
     * @throws Error with what is missing, after it has focused the field.
     */
    until() {
        const {problem, timestamp} = this.#show();
        if (timestamp && !problem) return timestamp;
        /** @type {?HTMLElement} */ (this.node.querySelector('[aria-invalid=true]'))?.focus();
        throw new Error(`Nothing was scheduled. ${problem}`);
    }
}

/** Says what a condition on the time does better. */
function exactHint() {
    return h('p', {class: 'hint'}, 'The server publishes within some seconds of the time. For a '
        + 'switch at the exact second, publish values for a ',
    h('a', {href: address('conditions')}, 'condition on date and time'), ' before: these change '
        + 'then without a publish.');
}
