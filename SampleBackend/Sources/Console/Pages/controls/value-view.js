/**
 * Display of values in lists, diffs and conflicts.
 */

import {jsonText} from '../json/json-text.js';
import {firebaseKind} from '../template/firebase-values.js';
import {h} from './dom.js';

/**
 * Text of a parameter value, or of any other JSON in a template.
 *
 * @param {any} value
 */
export function valueText(value) {
    if (value === undefined) return '';
    if (typeof value === 'object' && value !== null) {
        if (typeof value.value === 'string' && Object.keys(value).length === 1) return value.value;
        if (value.useInAppDefault === true) return 'In-app default';
    }
    return typeof value === 'string' ? value : jsonText(value);
}

/** Maximum length of texts in `valueView`. */
const shownLength = 300;

/**
 * Parameter value for a list; longer texts are truncated unless `isWhole`.
 *
 * @param {ParameterValue | undefined} value
 * @param {string | undefined} valueType
 * @param {{isWhole?: boolean}} [options]
 */
export function valueView(value, valueType, options = {}) {
    const {isWhole = false} = options;
    if (value === undefined) return h('span', {class: 'muted'}, 'No value');
    if (value.useInAppDefault === true) return h('span', {class: 'muted'}, 'In-app default');
    if (typeof value.value !== 'string') {
        const kind = firebaseKind(value);
        return [kind && h('span', {class: 'muted'}, `Firebase ${kind}, not evaluated: `),
            h('code', {class: 'value'}, valueText(value))];
    }
    const text = value.value;
    if (text === '') return h('span', {class: 'muted'}, 'Empty text');
    if (valueType === 'BOOLEAN' && /^(true|false)$/i.test(text)) {
        const isOn = text.toLowerCase() === 'true';
        return h('span', {class: `boolean ${isOn ? 'on' : 'off'}`}, isOn ? 'true' : 'false');
    }
    return h('code', {class: 'value'},
        isWhole || text.length <= shownLength ? text : `${text.slice(0, shownLength)}…`);
}
