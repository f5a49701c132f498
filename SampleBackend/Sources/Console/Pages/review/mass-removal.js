/**
 * Confirmation of a publish that removes more than half of the settings, as the command line asks
 * for it.
 */

import {field, message} from '../controls/controls.js';
import {dialogForm} from '../controls/dialog-form.js';
import {ask, openDialog} from '../controls/dialog.js';
import {h} from '../controls/dom.js';
import {isProduction, shownName} from '../projects/project-details.js';
import {removals, settingCount} from '../template/removals.js';
import {count, numberText} from '../text/formats.js';

/**
 * Numbers of removed settings, and of all before; null if at least half of them remain.
 *
 * @param {Template} current
 * @param {Template} replacement
 */
export function massRemoval(current, replacement) {
    const removed = removals(current, replacement).settings;
    const total = settingCount(current);
    return removed * 2 > total ? {removed, total} : null;
}

/**
 * Sentence about a removal, such as "This removes 3 of 4 settings".
 *
 * @param {{removed: number, total: number}} removal
 */
export function removalText({removed, total}) {
    return `This removes ${removed === total ? (total === 1 ? 'the only setting'
        : `all ${count(total, 'setting')}`)
        : `${numberText(removed)} of ${count(total, 'setting')}`}. Apps use their own defaults in `
        + 'place of removed settings.';
}

/**
 * Asks whether to publish a removal; in production, the name of the project is typed.
 *
 * @param {Project} project
 * @param {{removed: number, total: number}} removal
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
