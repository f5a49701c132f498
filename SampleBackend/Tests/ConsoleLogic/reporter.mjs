/**
 * Reporter of `node --test` that prints only failures, with their location, and final counts.
 * A file without tests is a failure, and so is a skipped or todo test.
 */

import {relative, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {inspect} from 'node:util';

/** Location in this project's files where an error was thrown; without one, that of the test. */
function placeOf({file, line, details}) {
    const {stack = ''} = details.error?.cause ?? details.error ?? {};
    const [, address, row] = /(file:\/\/\/[^\s)]+?\.m?js):(\d+):\d+/.exec(String(stack)) ?? [];
    const path = address ? fileURLToPath(address) : file;
    if (!path) return '';
    const shown = relative(process.cwd(), path);
    return address ?? line ? `${shown}:${row ?? line}` : shown;
}

/** Message of a failure, without Node's additions. */
function messageOf({error}) {
    const cause = error?.cause ?? error;
    return typeof cause?.message === 'string' ? cause.message : inspect(cause);
}

const isTestFile = (/** @type {string} */ name) => name.endsWith('.test.mjs');

/** True for a failure other than a test's: a file, or a group of tests, fails with its tests. */
function isGroup({name, details}) {
    return details.type === 'suite' || details.error?.failureType === 'subtestsFailed'
        || isTestFile(name);
}

export default async function* report(source) {
    let passed = 0;
    const files = new Set(process.argv.filter(isTestFile).map((path) => resolve(path)));
    const failures = [];
    const output = [];
    for await (const {type, data} of source) {
        if (type === 'test:pass' && !isGroup(data)) {
            files.delete(data.file);
            if (data.skip === undefined && data.todo === undefined) passed += 1;
            else failures.push({...data, details: {error: {message: 'It was not run.'}}});
        }
        if (type === 'test:stderr' || type === 'test:stdout') output.push(data.message);
        if (type !== 'test:fail') continue;
        files.delete(data.file);
        const isOfFile = isTestFile(data.name);
        // A file that exits early fails without a failed test.
        if (!isGroup(data) || (isOfFile && data.details.error?.failureType !== 'subtestsFailed')) {
            failures.push(data);
        }
    }
    if (failures.length) yield output.join('');
    for (const failure of failures) {
        const [first, ...rest] = messageOf(failure.details).split('\n');
        yield `${placeOf(failure)}: error: ${failure.name}: ${first}\n`
            + rest.map((line) => `    ${line}\n`).join('');
    }
    for (const file of files) yield `${relative(process.cwd(), file)}:1: error: no test ran\n`;
    const failed = failures.length + files.size;
    if (failed) process.exitCode = 1;
    yield `${passed} passed, ${failed} failed\n`;
}
