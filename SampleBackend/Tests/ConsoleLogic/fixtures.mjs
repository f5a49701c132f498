/**
 * Fixtures of the Swift tests, for rules that the server and the console share.
 */

import {readFileSync} from 'node:fs';

/** Text of a file, such as `TemplatesTests/Fixtures/merged-orders.json`. */
export function fixtureText(path) {
    return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}

export function fixture(path) {
    return JSON.parse(fixtureText(path));
}
