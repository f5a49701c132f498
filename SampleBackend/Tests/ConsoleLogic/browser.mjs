/**
 * Replacements for browser APIs that the console uses, and Node lacks or implements differently. A
 * test imports this before them.
 */

/** Storage with the keys as members, as a browser's; `room` is the number of characters that fit. */
export class MemoryStorage {
    static room = Infinity;

    getItem(key) {
        return Object.hasOwn(this, key) ? this[key] : null;
    }

    setItem(key, value) {
        if (String(value).length > MemoryStorage.room) throw new Error('The storage is full.');
        this[key] = String(value);
    }

    removeItem(key) {
        delete this[key];
    }
}

/** Empties both storages, which then have free space. */
export function emptyStorages() {
    MemoryStorage.room = Infinity;
    globalThis.localStorage = new MemoryStorage();
    globalThis.sessionStorage = new MemoryStorage();
}
emptyStorages();

/** Channel with delivery to other open ones of its name; Node's keeps the process alive. */
globalThis.BroadcastChannel = class extends EventTarget {
    static #open = new Set();
    #Channel = globalThis.BroadcastChannel;

    constructor(name) {
        super();
        this.name = name;
        this.#Channel.#open.add(this);
    }

    postMessage(data) {
        for (const other of this.#Channel.#open) {
            if (other === this || other.name !== this.name) continue;
            queueMicrotask(() => other.dispatchEvent(Object.assign(new Event('message'), {data})));
        }
    }

    close() {
        this.#Channel.#open.delete(this);
    }
};

/** The tab's address, and its history without entries. */
globalThis.location = {
    origin: 'https://config.test', pathname: '/console/', hash: '',
    get href() {
        return this.origin + this.pathname + this.hash;
    },
};
globalThis.history = {
    state: null,
    replaceState(state, _, url = '') {
        this.state = state;
        if (url) location.hash = new URL(url, location.href).hash;
    },
};

/** Timers that fire on a test's command, in place of Node's. */
export class Clock {
    now = 0;
    #timers = new Map();
    #last = 0;
    #before = {};

    start() {
        this.#before = {setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout};
        globalThis.setTimeout = (action, delay = 0) => {
            this.#last += 1;
            this.#timers.set(this.#last, {action, time: this.now + delay});
            return this.#last;
        };
        globalThis.clearTimeout = (timer) => this.#timers.delete(timer);
        return this;
    }

    end() {
        Object.assign(globalThis, this.#before);
    }

    /** Number of pending timers. */
    get count() {
        return this.#timers.size;
    }

    /** Advances time; timers that expire run in order, including those that they start. */
    async pass(milliseconds) {
        const end = this.now + milliseconds;
        await settled();
        for (;;) {
            const [next] = [...this.#timers].filter(([, {time}]) => time <= end)
                .sort(([, left], [, right]) => left.time - right.time);
            if (!next) break;
            this.#timers.delete(next[0]);
            this.now = Math.max(this.now, next[1].time);
            next[1].action();
            await settled();
        }
        this.now = end;
    }
}

/** Resolves when all work that waits only for promises has run. */
export function settled() {
    return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Answers the requests that modules send.
 *
 * @param {function({method: string, path: string, headers: object, body: *}): *} answer Returns
 *     `{status, body, etag, warning, text}`, or throws where the connection fails; may be async.
 * @returns {object[]} The requests so far, as `answer` receives them.
 */
export function answerRequests(answer) {
    const requests = [];
    globalThis.fetch = (path, {method = 'GET', headers = {}, body, signal} = {}) => (
        new Promise((resolve, reject) => {
            const aborted = () => reject(new DOMException('It was aborted.', 'AbortError'));
            if (signal?.aborted) {
                aborted();
                return;
            }
            signal?.addEventListener('abort', aborted);
            const request = {method, path, headers,
                body: body === undefined ? undefined : JSON.parse(body), text: body};
            requests.push(request);
            Promise.resolve().then(() => answer(request)).then((answered) => {
                const {status = 200, body: tree, text, etag, warning} = answered ?? {};
                const fields = {...(etag && {ETag: etag}), ...(warning && {Warning: warning})};
                const content = text ?? (tree === undefined ? null : JSON.stringify(tree));
                resolve(new Response([204, 304].includes(status) ? null : content,
                    {status, headers: fields}));
            }).catch(() => reject(new TypeError('fetch failed')));
        }));
    return requests;
}
