/**
 * Sliders for the numbers of `percent` rules; each rewrites its number in the expression.
 */

import {field} from '../controls/controls.js';
import {fill, h} from '../controls/dom.js';
import {problemList} from '../controls/problem-list.js';
import {percentNumbers, percentProblem, withPercentNumber} from '../template/percent.js';

/**
 * Creates the sliders of an expression.
 *
 * @param {HTMLTextAreaElement} expression Control with the expression.
 * @param {function(): void} changed Called after a slider has rewritten the expression.
 * @returns {{node: HTMLElement, update: function(): void, isInvalid: () => boolean}} `update`
 *     updates the sliders for the expression; call it after typing. `isInvalid` is true while a
 *     number is entered that the expression cannot have.
 */
export function percentSliders(expression, changed) {
    const node = h('div', {class: 'sliders'});
    /**
     * @type {{label: string, range: HTMLInputElement, exact: HTMLInputElement,
     *     place: HTMLElement, showProblem: () => void, shown: number}[]}
     */
    let controls = [];

    /**
     * Rewrites one number; parses again, since other edits can have moved it in the text.
     *
     * @param {number} index
     * @param {number} value
     */
    const write = (index, value) => {
        const number = percentNumbers(expression.value)[index];
        if (!number || !Number.isFinite(value)) return;
        expression.value = withPercentNumber(expression.value, number, value);
        changed();
    };

    /**
     * @param {{label: string}} value
     * @param {number} index
     */
    const make = ({label}, index) => {
        const range = h('input', {type: 'range', min: '0', max: '100', step: '1',
            'aria-label': `${label}, slider`, oninput: () => {
                exact.value = range.value;
                write(index, Number(range.value));
            }});
        // Text: a numeric input drops a comma, so that `2,5` becomes 25.
        const exact = h('input', {type: 'text', inputmode: 'decimal', autocomplete: 'off',
            oninput: () => {
                showProblem();
                if (percentProblem(exact.value)) {
                    changed();
                    return;
                }
                range.value = String(Number(exact.value));
                write(index, Number(exact.value));
            }});
        const problems = problemList();
        const showProblem = () => {
            const message = percentProblem(exact.value);
            problems.show(message ? [{message}] : [], exact);
        };
        const place = h('div', {class: 'slider'},
            field(label, exact, {problems: problems.node}), range);
        return {label, range, exact, place, showProblem, shown: NaN};
    };

    const update = () => {
        const numbers = percentNumbers(expression.value);
        const isSame = numbers.length === controls.length
            && numbers.every(({label}, index) => controls[index].label === label);
        // Keep the sliders while only numbers change, so that none loses the focus.
        if (!isSame) {
            controls = numbers.map(make);
            fill(node, controls.map(({place}) => place));
        }
        numbers.forEach(({value, start, end}, index) => {
            const control = controls[index];
            const {range, exact, showProblem} = control;
            const isMoved = control.shown !== value;
            control.shown = value;
            range.value = String(value);
            // A number that the expression cannot have stays until it is corrected.
            if (document.activeElement === exact || (percentProblem(exact.value) && !isMoved)) {
                return;
            }
            exact.value = expression.value.slice(start, end);
            showProblem();
        });
    };
    update();
    const isInvalid = () => controls.some(({exact}) => percentProblem(exact.value));
    return {node, update, isInvalid};
}
