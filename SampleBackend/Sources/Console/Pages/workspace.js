/**
 * The open project: its published template and the draft.
 *
 * The draft survives a reload in the tab's `sessionStorage`. It has the number and entity tag of
 * the version that it is based on, so that publishing never overwrites a later version.
 */

import {call, isMissing, projectPath} from './api.js';
import {differenceCount, differences} from './diff.js';
import {isEqual} from './json.js';
import {jsonText, parseJSON} from './json-text.js';
import {withoutVersion} from './template.js';

const prefix = 'activeconfig.draft.';

/** Deletes the drafts of all projects from the tab's storage. */
export function forgetDrafts() {
    for (const key of Object.keys(sessionStorage)) {
        if (key.startsWith(prefix)) sessionStorage.removeItem(key);
    }
}

/** True if the tab's storage has a draft of any project. */
export function hasDrafts() {
    return Object.keys(sessionStorage).some((key) => key.startsWith(prefix));
}

/** Published template and draft of a project; dispatches `change` when either changes. */
export class Workspace extends EventTarget {
    /** Published template without `version`; empty before the first publish. */
    published = {};
    /** Version of `published`; null before the first publish. */
    version = null;
    /** Entity tag of `published`; `*` until `load` has read it. */
    etag = '*';
    /**
     * `{template, base, baseTemplate, etag}`, where the last three are the number, template and
     * entity tag of the version that the draft is based on; null without a draft.
     */
    draft = null;
    /** Newest version on the server at the last check; may be newer than `version`. */
    newestVersion = null;
    /** True when the draft did not fit into the storage, and a reload would lose changes. */
    isStorageFull = false;

    constructor(project) {
        super();
        this.project = project;
    }

    /** Reads the current template; without a draft, restores the stored one if there is one. */
    async load() {
        const current = await this.fetchTemplate();
        this.published = current.template;
        this.version = current.version;
        this.newestVersion = current.version;
        this.etag = current.etag;
        if (!this.draft) await this.#restore();
        this.#changed();
    }

    /** Reads a version of the template, by default the current one; empty if never published. */
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

    /** Number of `version`; "0" before the first publish. */
    get versionNumber() {
        return this.version?.versionNumber ?? '0';
    }

    /** Template that the pages show: the draft's, else the published one. */
    get template() {
        return this.draft?.template ?? this.published;
    }

    /** Template that `template` is compared with; the published one without a draft. */
    get baseTemplate() {
        return this.draft?.baseTemplate ?? this.published;
    }

    get differences() {
        return differences(this.baseTemplate, this.template);
    }

    /** True if a version is newer than the draft's base, or than `version` without a draft. */
    get isOutdated() {
        const base = this.draft?.base ?? this.versionNumber;
        return Number(this.newestVersion?.versionNumber ?? 0) > Number(base);
    }

    /** Sets the draft's template; starts a draft if needed, ends it if nothing differs. */
    edit(template) {
        const began = this.draft ?? {
            base: this.versionNumber, baseTemplate: this.published, etag: this.etag,
        };
        this.#take({...began, template});
    }

    /** Replaces the draft by a merged template that is based on another version. */
    rebase(template, {versionNumber, etag, baseTemplate}) {
        this.#take({template, base: versionNumber, baseTemplate, etag});
    }

    /** Deletes the draft, also from the storage. */
    discard() {
        this.draft = null;
        sessionStorage.removeItem(prefix + this.project);
        this.#changed();
    }

    /** Updates `newestVersion`; dispatches `change` only if it differs. */
    async checkNewest() {
        const {body} = await call(
            'GET', projectPath(this.project, 'remoteConfig:listVersions', {pageSize: 1}));
        const newest = body.versions[0] ?? null;
        if (newest?.versionNumber === this.newestVersion?.versionNumber) return;
        this.newestVersion = newest;
        this.#changed();
    }

    /** Sets and stores a draft, or discards it if it does not differ from its base. */
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

    /** Restores the stored draft, and reads its `baseTemplate`, which is not stored. */
    async #restore() {
        const text = sessionStorage.getItem(prefix + this.project);
        if (!text) return;
        const kept = parseJSON(text);
        const baseTemplate = await this.#templateOfBase(kept.base);
        this.draft = {...kept, baseTemplate};
    }

    /** Template of a draft's base version; the current one if the server has deleted that. */
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

    #changed() {
        this.dispatchEvent(new Event('change'));
    }
}
