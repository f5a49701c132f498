/**
 * Fields of a rollout, which say at once what is meant.
 */

import {choice, field} from '../controls/controls.js';
import {fill, h, newID} from '../controls/dom.js';
import {ScheduleFields} from '../schedules/schedule-fields.js';
import {rolloutMeaning, rolloutProblems, rolloutToSend} from './rollout-input.js';

/** @typedef {import('./rollout-input.js').EnteredRollout} EnteredRollout */
/** @typedef {import('./rollout-input.js').RolloutTarget} RolloutTarget */

/** Fields with a text, and where their problems are shown. */
class TextField {
    #problem = h('p', {class: 'problems', role: 'status', id: newID('problem')});
    input;
    node;

    /**
     * @param {string} label
     * @param {string} value
     * @param {() => void} changed
     * @param {{hint?: string, mode?: string, isFirst?: boolean}} options
     */
    constructor(label, value, changed, {hint, mode = 'decimal', isFirst = false} = {}) {
        this.input = h('input', {type: 'text', inputmode: mode, autocomplete: 'off', value,
            'data-autofocus': isFirst, oninput: changed});
        this.node = field(label, this.input, {hint, problems: this.#problem});
    }

    get text() {
        return this.input.value;
    }

    /** @param {string} problem */
    show(problem) {
        this.#problem.textContent = problem;
        this.input.setAttribute('aria-invalid', String(problem !== ''));
    }
}

/** The fields of a rollout. */
export class RolloutFields {
    #target;
    #keep;
    #condition;
    #percents;
    #meaning = h('p', {class: 'hint', role: 'status'});
    #interval;
    #unit;
    #start;
    #times;
    #timesPlace = h('div', {});
    #maximum;
    #minimum;
    #response;
    node;

    /**
     * @param {EnteredRollout} entered
     * @param {RolloutTarget} target
     * @param {(entered: EnteredRollout) => void} keep Called with what is entered.
     */
    constructor(entered, target, keep) {
        const {conditions} = target;
        this.#target = target;
        this.#keep = keep;
        const update = () => {
            this.#keep(this.entered);
            this.#show();
        };
        this.#condition = choice(conditions.map(({name}) => /** @type {Choice} */ ([name, name])),
            entered.condition, {onchange: update});
        this.#percents = new TextField('Percentages', entered.percents, update,
            {hint: 'Of the users, in their order. Each step is published by the server.',
                mode: 'text', isFirst: true});
        this.#interval = new TextField('Time between two steps', entered.interval, update);
        this.#unit = choice([['minutes', 'minutes'], ['hours', 'hours'], ['days', 'days']],
            entered.unit, {onchange: update});
        this.#start = choice([['now', 'Now'], ['at', 'At a time …']], entered.isNow ? 'now' : 'at',
            {onchange: update});
        this.#times = new ScheduleFields(entered.times, update, {hasEnds: false});
        this.#maximum = new TextField('Apps with new problems at most, in percent',
            entered.maximum, update, {hint: 'Of the apps that a step has reached and that report. '
                + 'Empty: what apps report does not hold the rollout.'});
        this.#minimum = new TextField('Apps that have to report before a step', entered.minimum,
            update, {mode: 'numeric'});
        this.#response = choice([['hold', 'Hold the rollout'],
            ['takeBack', 'Take back the last step, and hold']], entered.onProblems,
        {onchange: update});
        this.node = h('div', {class: 'stack'},
            conditions.length > 1 && field('Condition', this.#condition),
            this.#percents.node,
            h('div', {class: 'pair'}, this.#interval.node, field('Unit', this.#unit)),
            this.#meaning,
            field('Start', this.#start), this.#timesPlace, this.#maximum.node,
            this.#minimum.node, field('If there are more problems', this.#response));
        this.#show();
    }

    /** @returns {EnteredRollout} */
    get entered() {
        return {condition: this.#condition.value, percents: this.#percents.text,
            interval: this.#interval.text, unit: this.#unit.value,
            isNow: this.#start.value === 'now', times: this.#times.entered,
            maximum: this.#maximum.text, minimum: this.#minimum.text,
            onProblems: this.#response.value === 'takeBack' ? 'takeBack' : 'hold'};
    }

    /**
     * The rollout as the server takes it.
     *
     * @throws Error with what is missing, after it has focused the field.
     */
    rollout() {
        try {
            if (this.#start.value === 'at') this.#times.times();
            return rolloutToSend(this.entered, this.#target);
        } catch (error) {
            this.#show();
            /** @type {?HTMLElement} */ (this.node.querySelector('[aria-invalid=true]'))?.focus();
            throw error;
        }
    }

    /** Shows what is meant, and what is wrong. */
    #show() {
        const {entered} = this;
        const problems = rolloutProblems(entered, this.#target);
        this.#percents.show(problems.percents);
        this.#interval.show(problems.interval);
        this.#maximum.show(problems.maximum);
        this.#minimum.show(problems.minimum);
        this.#meaning.textContent = rolloutMeaning(entered);
        if (entered.isNow !== this.#timesPlace.hasChildNodes()) return;
        fill(this.#timesPlace, !entered.isNow && this.#times.node);
    }
}
