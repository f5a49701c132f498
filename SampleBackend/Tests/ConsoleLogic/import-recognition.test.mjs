import assert from 'node:assert/strict';
import {test} from 'node:test';

import {parseJSON} from '../../Sources/Console/Pages/json/json-text.js';
import {recognition} from '../../Sources/Console/Pages/transfer/import-recognition.js';

for (const [format, file, words] of [
    ['ACTIVECONFIG', {hello: {}}, 'none of “conditions”, “parameters”'],
    ['FIREBASE', {hello: {}}, 'not a template of Firebase Remote Config'],
    ['FIREBASE', {params: {}}, 'but “params”'],
    ['PARSE', {hello: {}}, 'none of “params”, but “hello”'],
    ['PARSE', {parameters: {}}, 'but “parameters”'],
    ['LAUNCHDARKLY', {params: {}}, 'not the flags of LaunchDarkly: it has none of “items”'],
    ['ACTIVECONFIG', {}, 'none of “conditions”'],
    ['ACTIVECONFIG', [], 'not a template of ActiveConfig: expected a JSON object, found a list.'],
    ['PARSE', null, 'expected a JSON object, found null.'],
    ['FIREBASE', 'x', 'expected a JSON object, found a string.'],
    ['FIREBASE', parseJSON('12345678901234567890'), 'expected a JSON object, found a number.'],
    ['FIREBASE', 1, 'expected a JSON object, found a number.'],
    ['PARSE', true, 'expected a JSON object, found a Boolean.'],
]) {
    test(`${JSON.stringify(file)} is no file of ${format}`, () => {
        const {text, problem} = recognition(file, format);
        assert.ok(problem?.includes(words), String(problem));
        assert.equal(text, '');
    });
}

for (const [format, file, words] of [
    ['ACTIVECONFIG', {parameters: {}}, 'a template of ActiveConfig, by “parameters”.'],
    ['ACTIVECONFIG', {config_sections: {}, meta: {}}, 'document, by “config_sections”, “meta”.'],
    ['FIREBASE', {etag: 'e', conditions: []}, 'Firebase Remote Config, by “conditions”, “etag”.'],
    ['FIREBASE', {parameters: {}, hello: 1}, 'Not known, and without effect: “hello”.'],
    ['LAUNCHDARKLY', {items: [], _links: {}}, 'the flags of LaunchDarkly, by “items”, “_links”.'],
    ['LAUNCHDARKLY', {flags: {}, segments: {}}, 'by “flags”, “segments”.'],
    ['PARSE', {params: {}, masterKeyOnly: {}}, 'Parse Config, by “params”, “masterKeyOnly”.'],
    ['ACTIVECONFIG', {version: {versionNumber: '3'}}, 'by “version”.'],
]) {
    test(`${JSON.stringify(file)} is recognized as a file of ${format}`, () => {
        const {text, problem} = recognition(file, format);
        assert.equal(problem, null);
        assert.ok(text.includes(words), text);
    });
}
