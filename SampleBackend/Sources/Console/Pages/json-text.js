/**
 * JSON as text, read and written so that numbers keep their digits and members their order.
 *
 * The browser's own reader makes every number a double and forgets how it was written.
 */

import {entries, ExactNumber, setMember} from './json.js';

const patterns = {
    space: /[ \t\n\r]*/y,
    number: /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y,
    word: /true|false|null/y,
};

/** Reads one text from its start to its end. */
class Reader {
    #text;
    #place = 0;

    /** Makes the reader of a text. */
    constructor(text) {
        this.#text = text;
    }

    /** The tree of the whole text. */
    document() {
        const tree = this.#value();
        if (this.#place < this.#text.length) this.#fail();
        return tree;
    }

    /** A value with the white space around it. */
    #value() {
        this.#take('space');
        const tree = this.#bareValue();
        this.#take('space');
        return tree;
    }

    /** A value. */
    #bareValue() {
        switch (this.#text[this.#place]) {
        case '{': return this.#object();
        case '[': return this.#array();
        case '"': return this.#string();
        case 't': case 'f': case 'n': return JSON.parse(this.#take('word'));
        default: return this.#number();
        }
    }

    /** An object; the last one of members with the same name counts. */
    #object() {
        const object = {};
        this.#list('}', () => {
            this.#take('space');
            const name = this.#string();
            this.#take('space');
            this.#expect(':');
            setMember(object, name, this.#value());
        });
        return object;
    }

    /** An array. */
    #array() {
        const array = [];
        this.#list(']', () => array.push(this.#value()));
        return array;
    }

    /** Items with commas between them, in brackets. */
    #list(end, item) {
        this.#place += 1;
        this.#take('space');
        if (this.#text[this.#place] !== end) {
            item();
            while (this.#text[this.#place] === ',') {
                this.#place += 1;
                item();
            }
        }
        this.#expect(end);
    }

    /** A string. */
    #string() {
        const start = this.#place;
        this.#expect('"');
        while (this.#text[this.#place] !== '"') {
            if (this.#place >= this.#text.length) this.#fail();
            this.#place += this.#text[this.#place] === '\\' ? 2 : 1;
        }
        this.#place += 1;
        return JSON.parse(this.#text.slice(start, this.#place));
    }

    /** A number; one that JavaScript would write otherwise keeps its text. */
    #number() {
        const text = this.#take('number');
        const number = Number(text);
        return String(number) === text ? number : new ExactNumber(text);
    }

    /** The text of a pattern that has to be next. */
    #take(name) {
        const pattern = patterns[name];
        pattern.lastIndex = this.#place;
        const match = pattern.exec(this.#text);
        if (!match) this.#fail();
        this.#place = pattern.lastIndex;
        return match[0];
    }

    /** Goes past a character that has to be next. */
    #expect(character) {
        if (this.#text[this.#place] !== character) this.#fail();
        this.#place += 1;
    }

    /** Says where it is no JSON. */
    #fail() {
        throw new SyntaxError(`This is no JSON at character ${this.#place + 1}.`);
    }
}

/**
 * Reads JSON.
 *
 * @throws SyntaxError for what is no JSON.
 */
export function parseJSON(text) {
    return new Reader(text).document();
}

/** Writes JSON; with `indent`, over lines. Members that are undefined are left out. */
export function jsonText(tree, indent = '', line = '\n') {
    if (tree instanceof ExactNumber) return tree.text;
    if (typeof tree !== 'object' || tree === null) return JSON.stringify(tree) ?? 'null';
    const inner = line + indent;
    const isArray = Array.isArray(tree);
    const items = isArray ? tree.map((item) => jsonText(item, indent, inner))
        : entries(tree).filter(([, value]) => value !== undefined).map(([name, value]) => (
            `${JSON.stringify(name)}:${indent && ' '}${jsonText(value, indent, inner)}`));
    const [open, close] = isArray ? '[]' : '{}';
    if (!indent || !items.length) return open + items.join(',') + close;
    return open + inner + items.join(`,${inner}`) + line + close;
}

const token = /"[^"\\]*(?:\\[^][^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * JSON over lines: only the white space outside of strings changes.
 *
 * @throws SyntaxError for what is no JSON.
 */
export function laidOut(text) {
    parseJSON(text);
    const isOpening = (part) => part === '{' || part === '[';
    let depth = 0;
    const line = () => `\n${'  '.repeat(depth)}`;
    let before;
    let result = '';
    for (const part of text.match(token)) {
        const isClosing = part === '}' || part === ']';
        if (isClosing) depth -= 1;
        if (isOpening(before) !== isClosing) result += line();
        if (part === ',') result += `,${line()}`;
        else result += part === ':' ? ': ' : part;
        if (isOpening(part)) depth += 1;
        before = part;
    }
    return result;
}
