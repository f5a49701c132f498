/**
 * Values as they are shown: in a list, in a diff, in a document.
 */

import {h} from './dom.js';
import {jsonText} from './json-text.js';

/** The text of a tree of JSON that is a value of a template. */
export function valueText(value) {
    if (value === undefined) return '';
    if (typeof value === 'object' && value !== null) {
        if (typeof value.value === 'string' && Object.keys(value).length === 1) return value.value;
        if (value.useInAppDefault === true) return 'In-app default';
    }
    return typeof value === 'string' ? value : jsonText(value);
}

/** A value of a parameter, short enough for a list. */
export function valueView(value, valueType) {
    if (value === undefined) return h('span', {class: 'muted'}, 'No value');
    if (value.useInAppDefault === true) return h('span', {class: 'muted'}, 'In-app default');
    if (typeof value.value !== 'string') return h('code', {class: 'value'}, valueText(value));
    const text = value.value;
    if (text === '') return h('span', {class: 'muted'}, 'Empty text');
    if (valueType === 'BOOLEAN' && /^(true|false)$/i.test(text)) {
        const isOn = text.toLowerCase() === 'true';
        return h('span', {class: `boolean ${isOn ? 'on' : 'off'}`}, isOn ? 'true' : 'false');
    }
    return h('code', {class: 'value'}, text.length > 300 ? `${text.slice(0, 300)}…` : text);
}
