/**
 * Where the tab keeps which changes of a draft a publish leaves out. A draft that begins has all of
 * its changes chosen, whatever an earlier one left out.
 */

import {PageInput} from '../controls/page-input.js';

/** @param {{user: string, project: string}} workspace */
export const choiceInput = (workspace) => new PageInput('review', workspace);
