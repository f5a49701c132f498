import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';
import {test} from 'node:test';

const root = new URL('../../Sources/Console/Pages/', import.meta.url).pathname;

const modules = readdirSync(root, {recursive: true}).filter((path) => path.endsWith('.js')).map(
    (path) => {
        const text = readFileSync(join(root, path), 'utf8');
        const imports = [...text.matchAll(/(?: from |\bimport\()'(\.[^']+)'/g)].map(
            ([, address]) => normalize(join(dirname(path), address)));
        return {path, imports, lines: text.split('\n').slice(0, -1)};
    });

test('the folders of the modules use each other in no circle', () => {
    /** Folders that a folder uses. */
    const uses = new Map();
    for (const {path, imports} of modules) {
        const folder = dirname(path);
        const others = uses.get(folder) ?? new Set();
        imports.map(dirname).filter((other) => other !== folder).forEach((other) => others.add(other));
        uses.set(folder, others);
    }
    while (uses.size) {
        const free = [...uses.keys()].filter(
            (folder) => [...uses.get(folder)].every((other) => !uses.has(other)));
        assert.ok(free.length, `these form a circle: ${[...uses.keys()].join(', ')}`);
        free.forEach((folder) => uses.delete(folder));
    }
});

test('no module has more than 300 lines', () => {
    assert.ok(modules.length > 100);
    assert.deepEqual(
        modules.filter(({lines}) => lines.length > 300)
            .map(({path, lines}) => `${path}: ${lines.length}`), []);
});

test('no line has more than 100 columns', () => {
    assert.deepEqual(modules.flatMap(({path, lines}) => lines.flatMap((line, index) => (
        [...line].length > 100 ? [`${path}:${index + 1}`] : []))), []);
});

test('no field cuts what is pasted without a message', () => {
    assert.deepEqual(modules.flatMap(({path, lines}) => lines.flatMap((line, index) => (
        /\bmaxlength\b/i.test(line) ? [`${path}:${index + 1}`] : []))), []);
});

test('digits are kept alike in browsers with and without the source of a parsed number', () => {
    assert.deepEqual(modules.flatMap(({path, lines}) => lines.flatMap((line, index) => (
        /JSON\.(rawJSON|isRawJSON)|JSON\.parse\([^)]*, *(\(|function|\w+\))/.test(line)
            ? [`${path}:${index + 1}`] : []))), []);
});
