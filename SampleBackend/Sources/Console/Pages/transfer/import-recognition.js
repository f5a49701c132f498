/**
 * Recognition of a file to import by its members.
 */

import {isObject, names} from '../json/json.js';
import {quoted} from '../text/formats.js';

/**
 * Kinds of files with their members: `needed` are those of which a file has at least one.
 *
 * @type {Record<string, {name: string, needed: string[], others: string[]}>}
 */
const kinds = {
    document: {name: 'a configuration document', needed: ['config_sections'], others: ['meta']},
    template: {name: 'a template of ActiveConfig',
        needed: ['conditions', 'parameters', 'parameterGroups', 'version'], others: ['etag']},
    FIREBASE: {name: 'a template of Firebase Remote Config',
        needed: ['conditions', 'parameters', 'parameterGroups', 'version'], others: ['etag']},
    LAUNCHDARKLY: {name: 'the flags of LaunchDarkly', needed: ['items', 'flags', 'flagValues'],
        others: ['segments', 'totalCount', 'totalCountWithDifferences', '_links']},
    PARSE: {name: 'the parameters of Parse Config', needed: ['params'], others: ['masterKeyOnly']},
};

/**
 * Kind of a JSON value that is not an object.
 *
 * @param {unknown} value
 */
function foundKind(value) {
    if (value === null) return 'null';
    if (Array.isArray(value)) return 'a list';
    if (typeof value === 'string') return 'a string';
    return typeof value === 'boolean' ? 'a Boolean' : 'a number';
}

/**
 * Recognizes a file of a format.
 *
 * @param {unknown} file
 * @param {string} format Format as of `formats`.
 * @returns {{text: string, problem: ?string}} `text` names the kind of the file, its known and its
 *     unknown members; `problem` is the reason why the file is not one of the format.
 */
export function recognition(file, format) {
    const {name, needed, others} = kinds[format !== 'ACTIVECONFIG' ? format
        : isObject(file) && Object.hasOwn(file, 'config_sections') ? 'document' : 'template'];
    if (!isObject(file)) {
        return {text: '', problem: `The file is not ${name}: expected a JSON object, found ${
            foundKind(file)}.`};
    }
    if (!needed.some((known) => Object.hasOwn(file, known))) {
        const found = names(file).slice(0, 5);
        return {text: '', problem: `The file is not ${name}: it has none of ${quoted(needed)}`
            + `${found.length ? `, but ${quoted(found)}` : ''}. Choose another file or format.`};
    }
    const known = [...needed, ...others].filter((each) => Object.hasOwn(file, each));
    const unknown = names(file).filter((each) => ![...needed, ...others].includes(each));
    return {problem: null, text: `Recognized as ${name}, by ${quoted(known)}.`
        + (unknown.length ? ` Not known, and without effect: ${quoted(unknown)}.` : '')};
}
