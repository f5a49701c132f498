/**
 * Dialog with the approvals that a publish in a project needs.
 */

import {choice, field, message} from '../controls/controls.js';
import {dialogForm} from '../controls/dialog-form.js';
import {openDialog} from '../controls/dialog.js';
import {fill, h} from '../controls/dom.js';
import {isEqual} from '../json/json.js';
import {maximumApprovals, protectionRefusal, readProtection, saveProtection}
    from '../server/protection.js';
import {count} from '../text/formats.js';
import {shownName} from './project-details.js';

/**
 * A check box with its label and a hint.
 *
 * @param {string} label
 * @param {HTMLInputElement} box
 * @param {string} hint
 */
function checkField(label, box, hint) {
    box.setAttribute('aria-describedby', `${box.dataset.focus}-hint`);
    return h('div', {class: 'field'}, h('label', {class: 'check'}, box, ` ${label}`),
        h('p', {class: 'hint', id: `${box.dataset.focus}-hint`}, hint));
}

/**
 * Opens the form; resolves to true when the protection was saved.
 *
 * @param {Project} project
 * @param {Session} session The session as it counts in the project.
 * @returns {Promise<boolean | undefined>}
 */
export async function changeProtection(project, session) {
    const {name} = project;
    let {etag, ...before} = await readProtection(name);
    const numbers = Array.from({length: maximumApprovals}, (_, index) => String(index + 1));
    const required = choice(
        [['0', 'None'], ...numbers.map((number) => (
            /** @type {Choice} */ ([number, count(number, 'approval')])))],
        String(before.requiredApprovals), {'data-autofocus': true});
    /** @param {string} key @param {boolean} checked */
    const box = (key, checked) => h('input', {type: 'checkbox', checked, 'data-focus': key});
    const self = box('self-approval', before.selfApproval);
    const rollback = box('rollback-without-approval', before.rollbackWithoutApproval);
    const refused = h('div', {'aria-live': 'polite'});
    const entered = () => {
        const requiredApprovals = Number(required.value);
        const isOn = requiredApprovals > 0;
        // Without approvals, the server keeps neither.
        return {requiredApprovals, selfApproval: isOn && self.checked,
            rollbackWithoutApproval: isOn && rollback.checked};
    };
    const draw = () => {
        self.disabled = rollback.disabled = required.value === '0';
        const text = protectionRefusal(session, before, entered());
        fill(refused, text && message('warning', text));
    };
    draw();
    return openDialog(`Protection of ${shownName(project)}`, (close) => dialogForm({
        fields: [
            h('div', {class: 'stack', oninput: draw, onchange: draw},
                field('Needed for a publish', required, {hint: 'People who approve a change '
                    + 'request before it can be published. Pinned values need none.'}),
                checkField('Own approval counts', self, 'Those who made or edited a change '
                    + 'request may approve it.'),
                checkField('Going back needs no approval', rollback, 'The exact content of an '
                    + 'earlier version may be published again at once.')),
            h('p', {class: 'hint'}, 'Saving this publishes nothing. Change requests that are open '
                + 'stay open.'),
            refused],
        action: 'Save the protection',
        submit: async () => {
            const sent = entered();
            const text = protectionRefusal(session, before, sent);
            if (text) throw new Error(`Not saved: ${text}`);
            try {
                await saveProtection(name, sent, etag);
            } catch (error) {
                if (error.status !== 412) throw error;
                const {etag: tag, ...now} = await readProtection(name);
                // A request without an answer may have stored it.
                if (isEqual(now, sent)) return;
                [before, etag] = [now, tag];
                throw new Error(`Not saved: it was changed since, to ${
                    count(now.requiredApprovals, 'approval')}${now.selfApproval
                        ? ', own approval counts' : ''}${now.rollbackWithoutApproval
                        ? ', going back needs none' : ''}. Save again to replace that.`);
            }
        },
    }, close));
}
