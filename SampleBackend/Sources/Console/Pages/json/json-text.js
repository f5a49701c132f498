/**
 * JSON reader and writer that keep the digits of numbers and the order of members.
 *
 * `JSON.parse` is no alternative: it rounds numbers to doubles, moves names such as `10` to the
 * front, and only newer browsers pass a number's text to the reviver.
 */

import {entries, ExactNumber, isObject, setMember} from './json.js';

const patterns = {
    space: /[ \t\n\r]*/y,
    number: /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y,
    word: /true|false|null/y,
    // A string up to its end or its first invalid character.
    string: /"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\x00-\x1f]*)*/y,
};

/** Recursive-descent parser of one text. */
class Reader {
    #text;
    #place = 0;

    /** @param {string} text */
    constructor(text) {
        this.#text = text;
    }

    /** Reads the whole text; anything after the value is an error. */
    document() {
        const tree = this.#value();
        if (this.#place < this.#text.length) throw this.#fault();
        return tree;
    }

    /**
     * Reads a value and the surrounding white space.
     *
     * @returns {unknown}
     */
    #value() {
        this.#take('space');
        const tree = this.#bareValue();
        this.#take('space');
        return tree;
    }

    /** @returns {unknown} */
    #bareValue() {
        switch (this.#text[this.#place]) {
        case '{': return this.#object();
        case '[': return this.#array();
        case '"': return this.#string();
        case 't': case 'f': case 'n': return JSON.parse(this.#take('word'));
        default: return this.#number();
        }
    }

    /** Reads an object; the last of several members with the same name wins. */
    #object() {
        /** @type {Record<string, unknown>} */
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

    #array() {
        /** @type {unknown[]} */
        const array = [];
        this.#list(']', () => array.push(this.#value()));
        return array;
    }

    /**
     * Reads comma-separated items between the bracket at the current position and `end`.
     *
     * @param {string} end
     * @param {() => void} item
     */
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

    /** Reads a string; `JSON.parse` checks and decodes its escapes. */
    #string() {
        const start = this.#place;
        this.#expect('"');
        while (this.#text[this.#place] !== '"') {
            if (this.#place >= this.#text.length) throw this.#fault();
            this.#place += this.#text[this.#place] === '\\' ? 2 : 1;
        }
        this.#place += 1;
        try {
            return JSON.parse(this.#text.slice(start, this.#place));
        } catch {
            patterns.string.lastIndex = start;
            this.#place = start + (patterns.string.exec(this.#text)?.[0].length ?? 0);
            throw this.#fault();
        }
    }

    /** Reads a number, as an `ExactNumber` if JavaScript would write it differently. */
    #number() {
        const text = this.#take('number');
        const number = Number(text);
        return String(number) === text ? number : new ExactNumber(text);
    }

    /**
     * Consumes a match of the named pattern at the current position; fails if there is none.
     *
     * @param {keyof typeof patterns} name
     */
    #take(name) {
        const pattern = patterns[name];
        pattern.lastIndex = this.#place;
        const match = pattern.exec(this.#text);
        if (!match) throw this.#fault();
        this.#place = pattern.lastIndex;
        return match[0];
    }

    /**
     * Consumes a required character.
     *
     * @param {string} character
     */
    #expect(character) {
        if (this.#text[this.#place] !== character) throw this.#fault();
        this.#place += 1;
    }

    /** An error with the current position, in UTF-16 code units from 1. */
    #fault() {
        /** @type {ErrorWithIndex} */
        const error = new SyntaxError(`Invalid JSON at character ${this.#place + 1}.`);
        error.index = Math.min(this.#place, this.#text.length);
        return error;
    }
}

/**
 * Reads JSON into a tree as `json.js` describes it.
 *
 * @param {string} text
 * @returns {any}
 * @throws SyntaxError if the text is not JSON; its `index` is the position, if known.
 */
export function parseJSON(text) {
    return new Reader(text).document();
}

/**
 * Writes JSON, on one line without `indent`. Omits undefined members. `line` is the line break with
 * the indentation of the enclosing level, used only in the recursion.
 *
 * @param {unknown} tree
 * @param {string} [indent]
 * @param {string} [line]
 * @returns {string}
 */
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

/**
 * Object of a text in the browser's storage; an empty one if the text is missing or damaged, which
 * must not make a page unusable.
 *
 * @param {?string} text
 * @returns {Record<string, any>}
 */
export function storedObject(text) {
    try {
        const tree = parseJSON(text ?? '{}');
        return isObject(tree) ? tree : {};
    } catch {
        return {};
    }
}

const token = /"[^"\\]*(?:\\[^][^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Formats JSON with one member or item per line. Changes only white space outside strings.
 *
 * @param {string} text
 * @throws SyntaxError if the text is not JSON.
 */
export function formatted(text) {
    parseJSON(text);
    /** @param {string | undefined} part */
    const isOpening = (part) => part === '{' || part === '[';
    let depth = 0;
    const line = () => `\n${'  '.repeat(depth)}`;
    let before;
    let result = '';
    for (const part of text.match(token) ?? []) {
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
