/**
 * Fields for the owner, the tags, the permanence and the archiving of a setting.
 */

import {field} from '../controls/controls.js';
import {fill, h, newID} from '../controls/dom.js';
import {problemList} from '../controls/problem-list.js';
import {isEqual, setMember} from '../json/json.js';
import {isArchived, knownNotes, ownerOf, permanentReasonOf, tagsIn, tagsOf}
    from '../template/setting-notes.js';

/** Number of tags of other settings that are offered. */
const offeredTags = 12;

export class NotesFields {
    /**
     * @param {{template: Template, parameter: Parameter, changed: () => void}} options `template`
     *     has the owners and tags to offer, and `parameter` the initial values.
     */
    constructor({template, parameter, changed}) {
        const {owners, tags} = knownNotes(template);
        this.original = parameter;
        this.knownTags = tags;
        const list = h('datalist', {id: newID('owners')},
            owners.map((value) => h('option', {value})));
        this.owner = h('input', {type: 'text', autocomplete: 'off', list: list.id,
            value: ownerOf(parameter), oninput: changed});
        this.tags = h('input', {type: 'text', autocomplete: 'off', autocapitalize: 'off',
            value: tagsOf(parameter).join(', '), oninput: () => {
                this.#offer();
                changed();
            }});
        this.offered = h('div', {class: 'actions', role: 'group', 'aria-label': 'Known tags'});
        this.permanent = h('input', {type: 'text', autocomplete: 'off',
            value: permanentReasonOf(parameter), oninput: changed});
        this.archived = h('input', {type: 'checkbox', checked: isArchived(parameter),
            'aria-describedby': newID('archived'), onchange: changed});
        this.problems = {owner: problemList(), tags: problemList(), permanent: problemList(),
            archived: problemList()};
        const {problems} = this;
        this.changed = changed;
        this.node = h('details', {class: 'setting-notes', open: this.#hasNotes()},
            h('summary', {}, 'Owner, tags and archiving'),
            h('div', {class: 'stack'},
                h('div', {class: 'pair'},
                    field('Owner', this.owner, {problems: problems.owner.node,
                        hint: 'The person or team to ask.'}),
                    field('Tags', this.tags, {problems: problems.tags.node,
                        hint: 'Separated by commas.'})),
                list, this.offered,
                field('Permanent, because', this.permanent, {problems: problems.permanent.node,
                    hint: 'Why the setting stays although nothing seems to use it, such as an '
                        + 'emergency switch. Empty if it may go.'}),
                h('div', {},
                    h('label', {class: 'check'}, this.archived, ' Archived'),
                    h('p', {class: 'hint', id: this.archived.getAttribute('aria-describedby')},
                        'Nobody gets an archived setting: with the next publish, apps use their '
                        + 'own default, as after its deletion, and pinned values have no effect. '
                        + 'The setting stays here, with its history, and can be restored.'),
                    problems.archived.node)));
        this.#offer();
    }

    #hasNotes() {
        return Boolean(this.owner.value || this.tags.value || this.permanent.value
            || this.archived.checked);
    }

    /** Offers the tags of other settings that this one lacks. */
    #offer() {
        const own = tagsIn(this.tags.value);
        const others = this.knownTags.filter((tag) => !own.includes(tag)).slice(0, offeredTags);
        this.offered.hidden = !others.length;
        fill(this.offered, others.map((tag) => h('button', {type: 'button', class: 'quiet',
            'aria-label': `Add the tag ${tag}`, onclick: () => {
                this.tags.value = [...tagsIn(this.tags.value), tag].join(', ');
                this.#offer();
                this.tags.focus();
                this.changed();
            }}, `+ ${tag}`)));
    }

    /**
     * Sets the members that were edited; what a field cannot show stays.
     *
     * @param {Parameter} parameter
     */
    write(parameter) {
        const {original} = this;
        const owner = this.owner.value.trim();
        const tags = tagsIn(this.tags.value);
        const permanent = this.permanent.value.trim();
        if (owner !== ownerOf(original)) setMember(parameter, 'owner', owner || undefined);
        if (!isEqual(tags, tagsOf(original))) {
            setMember(parameter, 'tags', tags.length ? tags : undefined);
        }
        if (permanent !== permanentReasonOf(original)) {
            setMember(parameter, 'permanent', permanent || undefined);
        }
        if (this.archived.checked !== isArchived(original)) {
            setMember(parameter, 'archived', this.archived.checked || undefined);
        }
    }

    /**
     * Shows the problems of each field; `take` returns those of a member.
     *
     * @param {(member: string) => Problem[]} take
     */
    showProblems(take) {
        for (const name of /** @type {(keyof typeof this.problems)[]} */ (
            Object.keys(this.problems))) {
            const found = take(name);
            this.problems[name].show(found, this[name]);
            if (found.length) this.node.open = true;
        }
    }
}
