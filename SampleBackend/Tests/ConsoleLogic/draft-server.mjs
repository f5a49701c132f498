/**
 * A server of one project's versions and of one user's draft of it, as far as a workspace sees it.
 */

import {answerRequests} from './browser.mjs';
import {appliedPatch} from './applied-patch.mjs';

const failure = (status, message = `Refused with ${status}.`) => (
    {status, body: {error: {status: 'REFUSED', message}}});

export class DraftServer {
    /** Templates by version number; the last one is current. */
    versions = new Map();
    /** `{template, base, tag}`; null without one. */
    draft = null;
    requests = [];
    /** Number of the next reads of a version that are lost. */
    lostVersions = 0;
    #tags = 0;
    #faults = [];
    #publishers = new Map();
    /** Number of the empty version with which the project was created; null without one. */
    #created = null;

    constructor(template) {
        if (template) this.publish(template);
        this.requests = answerRequests((request) => this.#answer(request));
    }

    /** Publishes a template; `by` are members of the version, such as `updateUser`. */
    publish(template, by = {}) {
        const number = String(Number(this.#newest) + 1);
        this.versions.set(number, template);
        this.#publishers.set(number, by);
    }

    /** A version as the server describes it. */
    #versionOf(number) {
        return {versionNumber: number, ...this.#publishers.get(number)};
    }

    /** Deletes the project, and creates an empty one of its name, as of version 0 the first time. */
    recreate() {
        this.#created = this.versions.size || this.#created ? String(Number(this.#newest) + 1) : '0';
        this.versions.clear();
        this.draft = null;
    }

    /** Deletes all versions but the newest, as the server does with old ones. */
    prune() {
        for (const number of this.versions.keys()) {
            if (number !== this.#newest) this.versions.delete(number);
        }
    }

    /** Stores a draft as another browser does. */
    store(template, base = this.#newest) {
        this.#tags += 1;
        this.draft = {template, base, tag: `"draft-${this.#tags}"`};
    }

    /**
     * The fate of the next request of a method to the draft: `lost` before it arrives;
     * `unanswered` after its execution; a status; a function, called before the response; or a
     * function as `late`, called between the response and its arrival.
     */
    failNext(method, fault) {
        this.#faults.push({method, fault});
    }

    /** Methods and paths of the requests of a method, or of all. */
    sent(...methods) {
        return this.requests.filter(({method}) => !methods.length || methods.includes(method));
    }

    get #newest() {
        return [...this.versions.keys()].at(-1) ?? this.#created ?? '0';
    }

    async #answer(request) {
        const {method, path} = request;
        const url = new URL(path, 'https://config.test');
        const resource = url.pathname.replace('/v1/projects/default/', '');
        if (resource === 'remoteConfig') {
            if (this.lostVersions > 0) {
                this.lostVersions -= 1;
                throw new Error('The connection broke.');
            }
            const number = url.searchParams.get('versionNumber') ?? this.#newest;
            if (number === this.#created) {
                return {body: {version: {versionNumber: number,
                    updateType: 'REMOTE_CONFIG_UPDATE_TYPE_UNSPECIFIED'}}};
            }
            const template = this.versions.get(number);
            if (!template) return failure(404);
            return {body: {...template, version: this.#versionOf(number)},
                etag: `"etag-default-${number}"`};
        }
        if (resource === 'remoteConfig:listVersions') {
            if (!this.versions.size && this.#created === null) return failure(404);
            const last = Number(url.searchParams.get('endVersionNumber') ?? Infinity);
            const size = Number(url.searchParams.get('pageSize'));
            return {body: {versions: [...this.versions.keys()].filter(
                (each) => Number(each) <= last).reverse().slice(0, size).map(
                (number) => this.#versionOf(number))}};
        }
        if (resource !== 'draft') return failure(404);
        const index = this.#faults.findIndex((each) => each.method === method);
        const fault = index < 0 ? null : this.#faults.splice(index, 1)[0].fault;
        if (fault === 'lost') throw new Error('The connection broke.');
        if (typeof fault === 'number') return failure(fault);
        if (typeof fault === 'function') await fault();
        const answer = this.#answerDraft(request, url.searchParams);
        await fault?.late?.();
        if (fault === 'unanswered') throw new Error('The connection broke.');
        return answer;
    }

    #answerDraft({method, headers, body}, query) {
        const {draft} = this;
        if (method === 'GET') {
            if (!draft) return {status: 204};
            if (headers['If-None-Match'] === draft.tag) return {status: 304};
            return this.#response();
        }
        if (headers['If-Match'] !== undefined && headers['If-Match'] !== draft?.tag) {
            return failure(draft || method !== 'DELETE' ? 412 : 404);
        }
        if (headers['If-None-Match'] === '*' && draft) return failure(412);
        if (method === 'DELETE') {
            this.draft = null;
            return {status: 204};
        }
        if (method === 'PUT') {
            this.store(body.template, body.baseVersion);
            return this.#response();
        }
        const base = draft?.base ?? query.get('baseVersion');
        this.store(appliedPatch(draft?.template ?? this.versions.get(base) ?? {}, body), base);
        return this.#response();
    }

    /** The draft with its differences, only the numbers of which matter. */
    #response() {
        const {template, base, tag} = this.draft;
        const isSame = JSON.stringify(template) === JSON.stringify(this.versions.get(base) ?? {});
        const changes = base === '0' || this.versions.has(base)
            ? {conditions: [], groups: [], parameters: isSame ? [] : [{}]} : undefined;
        return {body: {template, baseVersion: base, changes}, etag: tag};
    }
}
