/**
 * Users entered in the review, each with the signals that their app sends.
 *
 * Stored in `localStorage` by user and project, so that the next draft previews them again.
 */

import {fill, h} from '../controls/dom.js';
import {jsonText, storedObject} from '../json/json-text.js';
import {entries, isEqual, member, objectOf} from '../json/json.js';
import {ownKey} from '../storage/stored-data.js';
import {listedValues} from '../template/value-list.js';
import {count} from '../text/formats.js';
import {marked} from '../text/hidden-characters.js';
import {signalFields} from './signal-fields.js';

/** Maximum number of users, as of the server. */
const maximumUsers = 100;

/** The users of one project. */
export class NamedUsers {
    #key;
    /**
     * Signals by user ID.
     *
     * @type {Map<string, SignalValues>}
     */
    #signals = new Map();
    /**
     * All that was entered, by user ID, where signals are incomplete.
     *
     * @type {Map<string, SignalValues>}
     */
    #entered = new Map();
    /**
     * Form elements by user ID.
     *
     * @type {Map<string, UserForm>}
     */
    #forms = new Map();

    /** Element with a form for each user. */
    node = h('div', {class: 'stack tight'});

    /** @param {{user: string, project: string}} owner Who entered them. */
    constructor(owner) {
        this.#key = ownKey('impact', owner);
        const kept = storedObject(localStorage.getItem(this.#key));
        this.text = String(kept.users ?? '');
        for (const userID of this.#ids()) {
            // Earlier versions stored the same signals for all users.
            this.#signals.set(userID, member(kept.signalsByUser, userID) ?? kept.signals ?? {});
            const entered = member(kept.enteredByUser, userID);
            if (entered) this.#entered.set(userID, entered);
        }
        this.#draw();
    }

    /**
     * Reads what was entered: the text with the IDs, and the fields of each user.
     *
     * @param {string} text
     */
    read(text) {
        this.keep(text);
        this.#signals = new Map(this.#ids().map((userID) => [userID, this.signalsOf(userID)]));
        this.#keep();
        this.#draw();
    }

    /**
     * Keeps what was entered, without a change of the forms.
     *
     * @param {string} text
     */
    keep(text) {
        this.text = text;
        for (const [userID, {fields}] of this.#forms) {
            if (!fields) continue;
            const [complete, entered] = [fields.values(), fields.entered()];
            this.#signals.set(userID, complete);
            if (isEqual(complete, entered)) this.#entered.delete(userID);
            else this.#entered.set(userID, entered);
        }
        this.#keep();
    }

    /** Shows the problems of incomplete signals and focuses the first; true if there are none. */
    check() {
        const wrong = [...this.#forms.values()].find(({fields}) => fields && !fields.check());
        if (!wrong) return true;
        wrong.node.open = true;
        wrong.fields?.check();
        return false;
    }

    /**
     * Sets the signals of one user.
     *
     * @param {string} userID
     * @param {SignalValues} signals
     */
    set(userID, signals) {
        const isOpen = this.#forms.get(userID)?.node.open ?? false;
        this.#signals.set(userID, signals);
        this.#entered.delete(userID);
        this.#forms.delete(userID);
        this.#keep();
        this.#draw();
        const form = this.#forms.get(userID);
        if (form) form.node.open = isOpen;
    }

    /**
     * Signals of a user.
     *
     * @param {string} userID
     * @returns {SignalValues}
     */
    signalsOf(userID) {
        return this.#signals.get(userID) ?? {};
    }

    /** Users in the format of `:preview`. */
    get list() {
        return [...this.#signals].map(([userID, signals]) => ({userID, signals}));
    }

    /** Number of users in the text, including those beyond the limit. */
    get count() {
        return this.#allIDs().length;
    }

    /** Distinct IDs in the text. */
    #allIDs() {
        return listedValues(this.text);
    }

    #ids() {
        return this.#allIDs().slice(0, maximumUsers);
    }

    #keep() {
        try {
            localStorage.setItem(this.#key, jsonText({
                users: this.text, signalsByUser: objectOf([...this.#signals]),
                ...this.#entered.size && {enteredByUser: objectOf([...this.#entered])}}));
        } catch {
            // The storage is full: the users are previewed, but not stored for the next draft.
        }
    }

    /** Shows the forms of the users; existing forms stay unchanged. */
    #draw() {
        this.#forms = new Map([...this.#signals.keys()].map((userID) => (
            [userID, this.#forms.get(userID) ?? this.#form(userID)])));
        for (const [userID, {note}] of this.#forms) {
            const number = entries(this.signalsOf(userID)).length;
            note.textContent = number ? ` ${count(number, 'signal')}` : ' nothing entered';
        }
        fill(this.node, [...this.#forms.values()].map(({node}) => node));
    }

    /**
     * @param {string} userID
     * @returns {UserForm}
     */
    #form(userID) {
        const note = h('span', {class: 'muted'});
        const place = h('fieldset', {}, h('legend', {class: 'visually-hidden'},
            `Signals of user ${userID}`));
        const node = h('details', {ontoggle: () => {
            if (form.fields) return;
            form.fields = signalFields(this.#entered.get(userID) ?? this.signalsOf(userID));
            place.append(...form.fields.node);
        }}, h('summary', {}, 'The app of ', h('code', {}, marked(userID)),
            ' sends these signals:', note), place);
        /** @type {UserForm} */
        const form = {node, note, fields: null};
        return form;
    }
}
