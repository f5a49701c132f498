/**
 * A project at hand: the published template, and the draft that is made from it.
 *
 * The draft stays in the browser's tab over a reload. It names the version it began from, so that
 * a publish never writes over what somebody else published in the meantime.
 */

import {call, isMissing, projectPath} from './api.js';
import {differenceCount, differences} from './diff.js';
import {isEqual} from './json.js';
import {jsonText, parseJSON} from './json-text.js';
import {withoutVersion} from './template.js';

const prefix = 'activeconfig.draft.';

/** Forgets the drafts of every project. */
export function forgetDrafts() {
    for (const key of Object.keys(sessionStorage)) {
        if (key.startsWith(prefix)) sessionStorage.removeItem(key);
    }
}

/** Whether there is a draft of any project. */
export function hasDrafts() {
    return Object.keys(sessionStorage).some((key) => key.startsWith(prefix));
}

/** The published template and the draft of a project; fires `change`. */
export class Workspace extends EventTarget {
    /** The published template, without its version. */
    published = {};
    /** The published version; null before the first publish. */
    version = null;
    /** The tag of the published version. */
    etag = '*';
    /** What is edited: `{template, base, baseTemplate, etag}`; null when nothing is. */
    draft = null;
    /** The newest version that the server has; may be newer than `version`. */
    newestVersion = null;
    /** Whether the browser cannot keep the draft over a reload. */
    isStorageFull = false;

    /** Makes the workspace of a project. */
    constructor(project) {
        super();
        this.project = project;
    }

    /** Reads the current template, and the draft that a reload left. */
    async load() {
        const current = await this.fetchTemplate();
        this.published = current.template;
        this.version = current.version;
        this.newestVersion = current.version;
        this.etag = current.etag;
        if (!this.draft) await this.#restore();
        this.#changed();
    }

    /** A version of the template; the current one without a number. */
    async fetchTemplate(versionNumber) {
        try {
            const {body, etag} = await call(
                'GET', projectPath(this.project, 'remoteConfig', {versionNumber}));
            return {template: withoutVersion(body), version: body.version ?? null, etag};
        } catch (error) {
            if (versionNumber !== undefined || !isMissing(error)) throw error;
            return {template: {}, version: null, etag: `etag-${this.project}-0`};
        }
    }

    /** The number of the published version, "0" before the first publish. */
    get versionNumber() {
        return this.version?.versionNumber ?? '0';
    }

    /** The template that the pages show: the draft, or what is published. */
    get template() {
        return this.draft?.template ?? this.published;
    }

    /** The template that the draft is compared with. */
    get baseTemplate() {
        return this.draft?.baseTemplate ?? this.published;
    }

    /** What the draft changes. */
    get differences() {
        return differences(this.baseTemplate, this.template);
    }

    /** Whether somebody published since the draft was begun. */
    get isOutdated() {
        const base = this.draft?.base ?? this.versionNumber;
        return Number(this.newestVersion?.versionNumber ?? 0) > Number(base);
    }

    /** Takes a changed template as the draft; one that changes nothing ends it. */
    edit(template) {
        const began = this.draft ?? {
            base: this.versionNumber, baseTemplate: this.published, etag: this.etag,
        };
        this.#take({...began, template});
    }

    /** Takes a merged template as the draft, based on another version. */
    rebase(template, {versionNumber, etag, baseTemplate}) {
        this.#take({template, base: versionNumber, baseTemplate, etag});
    }

    /** Ends the draft. */
    discard() {
        this.draft = null;
        sessionStorage.removeItem(prefix + this.project);
        this.#changed();
    }

    /** Asks which version is the newest. */
    async checkNewest() {
        const {body} = await call(
            'GET', projectPath(this.project, 'remoteConfig:listVersions', {pageSize: 1}));
        const newest = body.versions[0] ?? null;
        if (newest?.versionNumber === this.newestVersion?.versionNumber) return;
        this.newestVersion = newest;
        this.#changed();
    }

    /** Keeps a draft, unless it changes nothing. */
    #take(draft) {
        if (isEqual(draft.template, draft.baseTemplate)
            || !differenceCount(differences(draft.baseTemplate, draft.template))) {
            this.discard();
            return;
        }
        this.draft = draft;
        const {baseTemplate, ...kept} = draft;
        try {
            sessionStorage.setItem(prefix + this.project, jsonText(kept));
            this.isStorageFull = false;
        } catch {
            this.isStorageFull = true;
        }
        this.#changed();
    }

    /** Takes up the draft that a reload left. */
    async #restore() {
        const text = sessionStorage.getItem(prefix + this.project);
        if (!text) return;
        const kept = parseJSON(text);
        const baseTemplate = await this.#templateOfBase(kept.base);
        this.draft = {...kept, baseTemplate};
    }

    /** The template that a draft began from; the current one when the server keeps it no more. */
    async #templateOfBase(base) {
        if (base === '0') return {};
        if (base === this.versionNumber) return this.published;
        try {
            return (await this.fetchTemplate(base)).template;
        } catch (error) {
            if (isMissing(error)) return this.published;
            throw error;
        }
    }

    /** Says that something is different now. */
    #changed() {
        this.dispatchEvent(new Event('change'));
    }
}
