/**
 * Confirmation of a publish that removes or archives more than half of the settings, as the command
 * line asks for it.
 */

import {field, message} from '../controls/controls.js';
import {dialogForm} from '../controls/dialog-form.js';
import {ask, openDialog} from '../controls/dialog.js';
import {h} from '../controls/dom.js';
import {isProduction, shownName} from '../projects/project-details.js';
import {removals, settingCount, withoutArchived} from '../template/removals.js';
import {count, numberText} from '../text/formats.js';

/** @typedef {{removed: number, total: number, archives?: boolean}} Removal */

/**
 * Numbers of settings that are removed or archived, and of all that apps got before; null if at
 * least half of them remain. `archives` is true if some are archived.
 *
 * @param {Template} current
 * @param {Template} replacement
 */
export function massRemoval(current, replacement) {
    const served = withoutArchived(current);
    const removed = removals(served, withoutArchived(replacement)).settings;
    const total = settingCount(served);
    if (removed * 2 <= total) return null;
    const archives = removed > removals(served, replacement).settings;
    return {removed, total, ...archives && {archives}};
}

/**
 * Sentence about a removal, such as "This removes 3 of 4 settings".
 *
 * @param {Removal} removal
 */
export function removalText({removed, total, archives}) {
    const verb = archives ? 'removes or archives' : 'removes';
    return `This ${verb} ${removed === total ? (total === 1 ? 'the only setting'
        : `all ${count(total, 'setting')}`)
        : `${numberText(removed)} of ${count(total, 'setting')}`}. Apps use their own defaults in `
        + `place of ${archives ? 'these' : 'removed'} settings.`;
}

/**
 * Asks whether to publish a removal; in production, the name of the project is typed.
 *
 * @param {Project} project
 * @param {Removal} removal
 * @returns {Promise<boolean>} True when confirmed.
 */
export async function confirmRemoval(project, removal) {
    const {name} = project;
    const title = 'Publish the removal of most settings?';
    const action = `Remove ${count(removal.removed, 'setting')}`;
    if (!isProduction(project)) {
        return ask({title, text: removalText(removal), action, isDangerous: true});
    }
    const typed = h('input', {type: 'text', autocomplete: 'off', spellcheck: 'false',
        autocapitalize: 'none', required: true, 'data-autofocus': true});
    return await openDialog(title, (close) => dialogForm({
        fields: [
            message('warning', h('strong', {}, shownName(project)), ' is production. ',
                removalText(removal)),
            field(`Type ${name} to confirm`, typed)],
        action, isDangerous: true,
        submit: async () => {
            if (typed.value.trim() !== name) {
                throw new Error(`Nothing was published: type ${name} to confirm.`);
            }
            return true;
        },
    }, close)) === true;
}
