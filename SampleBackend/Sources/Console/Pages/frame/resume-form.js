/**
 * Reopens the forms that were open when the page was left.
 */

import {createToken} from '../access/tokens-page.js';
import {addWebhook} from '../access/webhooks-page.js';
import {openConditionDialog} from '../conditions/condition-dialog.js';
import {announce} from '../controls/dom.js';
import {keptForms} from '../controls/unfinished-form.js';
import {member} from '../json/json.js';
import {currentRoute} from '../routing/router.js';
import {refusal} from '../server/session.js';
import {openSectionDialog} from '../settings/section-dialog.js';
import {setConditionalValue, settingsAt} from '../settings/setting-actions.js';
import {openSettingDialog} from '../settings/setting-dialog.js';
import {conditions, parameter} from '../template/template.js';
import {resumePin} from '../users/overrides-view.js';

/**
 * Openers by kind. A form that edited an item deleted meanwhile adds it again.
 *
 * @type {Record<string, (context: PageContext, values: any[], content: any) => Promise<unknown>>}
 */
const openers = {
    setting: (context, [group, key, before], content) => {
        const isGone = parameter(context.workspace.template, group, key ?? '') === undefined;
        return openSettingDialog(context, group, isGone ? null : key, {...content, before});
    },
    section: (context, [group], content) => openSectionDialog(context,
        member(context.workspace.template.parameterGroups, group ?? '') ? group : null, content),
    condition: (context, [name, before], content) => {
        const index = conditions(context.workspace.template)
            .findIndex((condition) => condition.name === name);
        return openConditionDialog(context, index < 0 ? null : index, content, before);
    },
    'conditional-value': async (context, [paths], content) => {
        const settings = settingsAt(context.workspace.template, new Set(paths));
        if (settings.length) await setConditionalValue(context, settings, content);
    },
    token: (context, _, content) => createToken(context, context.redraw, content),
    webhook: (context, _, content) => addWebhook(context, context.redraw, content),
    pin: (context, [userID, pinned], content) => resumePin(context, userID, pinned, content),
};

/** Kinds of forms that need the role publisher; the others need the role editor. */
const ofPublishers = new Set(['token', 'webhook', 'pin']);

/**
 * Reopens the user's unfinished forms of the open page, stacked, if there are any.
 *
 * @param {PageContext} context
 */
export function resumeForms(context) {
    const forms = keptForms(context.session.name, context.project).filter(({kind, page}) => (
        page === currentRoute().path && Object.hasOwn(openers, kind)
        && !refusal(context.session, ofPublishers.has(kind) ? 'publisher' : 'editor')));
    /** @param {KeptForm} form */
    const open = async ({kind, arguments: values, content}) => {
        try {
            await openers[kind](context, values, content);
        } catch (error) {
            announce(`Reopening the form failed. ${error.message}`);
        }
    };
    if (forms.length) announce('The form is open again with your input.');
    for (const form of forms) open(form);
}
