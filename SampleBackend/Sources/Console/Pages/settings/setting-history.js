/**
 * The last change of a setting, and the versions that changed it.
 */

import {badge, message, publisherName, timeText} from '../controls/controls.js';
import {openDialog} from '../controls/dialog.js';
import {fill, h} from '../controls/dom.js';
import {partsView} from '../differences/difference-parts.js';
import {changeNames} from '../differences/difference-sections.js';
import {member} from '../json/json.js';
import {address, go} from '../routing/router.js';
import {call, projectPath} from '../server/api.js';
import {refusal} from '../server/session.js';
import {dateText, relativeTime} from '../text/formats.js';

/** Number of changes of a setting that the server keeps. */
const maximumChanges = 20;

/**
 * Reads what each version changed in a setting, by the version's number.
 *
 * @param {string} project
 * @param {{section: string, key: string}} setting
 * @param {AbortSignal} signal
 * @returns {Promise<Map<string, SettingChange>>}
 */
async function readChanges(project, {section, key}, signal) {
    const {body} = await call(
        'GET', projectPath(project, 'remoteConfig:settingHistory', {section, key}), {signal});
    return new Map(/** @type {SettingChange[]} */ (body.changes ?? [])
        .map((change) => [change.version.versionNumber, change]));
}

/** Histories of a project's settings, read once for each version. */
export class SettingHistories {
    /** @type {Map<string, Version>} */
    #versions = new Map();
    /** @type {Record<string, Record<string, string[]>>} */
    #settings = {};
    /** Number of the oldest version that was compared; changes up to it are unknown. */
    #base = '0';
    /** @type {?string} */
    #asked = null;
    /**
     * The read in progress; null when there is none.
     *
     * @type {?Promise<boolean>}
     */
    #reading = null;
    /** Why the histories are missing; null when they are loaded. */
    problem = null;

    /** @param {{project: string, session: Session}} value */
    constructor({project, session}) {
        this.project = project;
        this.session = session;
    }

    /**
     * Reads the histories up to a version.
     *
     * @param {string} versionNumber
     * @param {AbortSignal} signal
     * @returns {Promise<boolean>} True when they were read now, false when they were loaded
     *     already.
     */
    async load(versionNumber, signal) {
        if (versionNumber === '0' || versionNumber === this.#asked) return false;
        this.#asked = versionNumber;
        const reading = this.#read(versionNumber, signal);
        this.#reading = reading;
        const isNew = await reading;
        if (this.#reading === reading) this.#reading = null;
        return isNew;
    }

    /**
     * @param {string} versionNumber
     * @param {AbortSignal} signal
     */
    async #read(versionNumber, signal) {
        try {
            const {body} = await call(
                'GET', projectPath(this.project, 'remoteConfig:settingHistory'), {signal});
            // A newer version was requested meanwhile.
            if (this.#asked !== versionNumber) return false;
            this.#versions = new Map(
                /** @type {Version[]} */ (body.versions)
                    .map((version) => [version.versionNumber, version]));
            this.#settings = body.settings;
            this.#base = body.baseVersionNumber;
            this.problem = null;
        } catch (error) {
            if (signal.aborted || this.#asked !== versionNumber) return false;
            this.#asked = null;
            this.problem = error.message;
        }
        return true;
    }

    /**
     * Versions that changed a setting, newest first; empty when none are known.
     *
     * @param {{section: string, key: string}} value
     * @returns {Version[]}
     */
    of({section, key}) {
        return (member(member(this.#settings, section), key) ?? [])
            .flatMap((number) => this.#versions.get(number) ?? []);
    }

    /**
     * Author and time of a setting's last change, in short; null when unknown.
     *
     * @param {{section: string, key: string}} setting
     */
    lastChange(setting) {
        const [version] = this.of(setting);
        if (!version) return null;
        const {versionNumber, updateTime} = version;
        const publisher = publisherName(version);
        return h('span', {class: 'last-change', title: `Version ${versionNumber} by ${publisher}, `
            + dateText(updateTime)},
        h('span', {class: 'changed-by'}, publisher), ' ',
        h('span', {}, relativeTime(updateTime)));
    }

    /**
     * States from which version the changes of a setting are known; null if all are.
     *
     * @param {Version[]} versions
     */
    #limit(versions) {
        const isCut = versions.length >= maximumChanges;
        const first = isCut ? versions[versions.length - 1].versionNumber
            : String(Number(this.#base) + 1);
        return first === '1' ? null
            : h('p', {class: 'hint'}, `Changes before version ${first} are not listed.`);
    }

    /**
     * Opens the dialog with the versions that changed a setting.
     *
     * @param {Setting} setting
     */
    async open(setting) {
        const left = new AbortController();
        const mayPreview = !refusal(this.session, 'editor');
        /**
         * What each version changed; null until it is read.
         *
         * @type {?Map<string, SettingChange>}
         */
        let changes = null;
        const followed = await openDialog(`History of ${setting.name}`, (close) => {
            /**
             * @param {string} page
             * @param {Record<string, string>} query
             * @param {string} text
             * @param {string} [label]
             */
            const link = (page, query, text, label) => h('a', {
                href: address(page, query), 'aria-label': label, onclick: (event) => {
                    event.preventDefault();
                    close({page, query});
                }}, text);
            /** @param {Version} version */
            const row = (version) => {
                const change = changes?.get(version.versionNumber);
                const {versionNumber, updateTime, description} = version;
                return h('li', {},
                    link('history', {to: versionNumber}, `Version ${versionNumber}`),
                    h('span', {class: 'muted'}, timeText(updateTime),
                        ` by ${publisherName(version)}`),
                    change?.change
                        && badge(changeNames[change.change], change.change.toLowerCase()),
                    mayPreview && link('user', {at: updateTime}, 'Who got what',
                        `Who got what at version ${versionNumber}`),
                    description && h('p', {}, description), change?.parts
                        && partsView(change.parts, setting.parameter?.valueType ?? 'STRING'));
            };
            const body = h('div', {class: 'stack'});
            const outcome = h('div', {role: 'status'});
            const draw = () => {
                const versions = this.of(setting);
                const {problem} = this;
                if (this.#reading) fill(body, h('p', {role: 'status'}, 'Loading …'));
                else if (problem) fill(body, message('warning', problem));
                else if (!versions.length) {
                    fill(body, h('p', {}, this.#base === '0' ? 'No version has changed it.'
                        : `Not changed since version ${this.#base}.`));
                } else {
                    fill(body, h('ul', {class: 'plain setting-versions'}, versions.map(row)),
                        outcome, this.#limit(versions));
                }
                this.#reading?.then(draw);
            };
            draw();
            readChanges(this.project, setting, left.signal).then((found) => {
                changes = found;
                draw();
            }).catch((error) => {
                if (!left.signal.aborted) fill(outcome, message('warning', error.message));
            });
            return {
                body,
                actions: h('button', {type: 'button', onclick: () => close()}, 'Close'),
            };
        });
        left.abort();
        if (followed) go(followed.page, followed.query);
    }
}
