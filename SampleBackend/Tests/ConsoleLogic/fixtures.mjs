/**
 * Fixtures of the Swift tests, for what the server and the console decide alike.
 */

import {readFileSync} from 'node:fs';

/** Text of a file, such as `TemplatesTests/Fixtures/merged-orders.json`. */
export function fixtureText(path) {
    return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}

export function fixture(path) {
    return JSON.parse(fixtureText(path));
}
