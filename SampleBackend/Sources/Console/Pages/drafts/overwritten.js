/**
 * The places that an edit of this tab replaced, with the values that another tab or person had
 * given them.
 */

import {valueText} from '../controls/value-view.js';
import {treeAt} from '../json/tree-merge.js';
import {placeName} from '../template/paths.js';

/** Maximum length of a value. */
const shownLength = 60;

/**
 * Names the places that the last edit replaced, each with the value that is gone.
 *
 * @param {Pick<SyncState, 'overwritten' | 'replaced'>} state
 */
export function overwrittenNames({overwritten, replaced}) {
    return overwritten.map((path) => {
        const value = treeAt(replaced, path);
        // The order of the conditions.
        if (Array.isArray(value) || path.length < 2) return placeName(path);
        if (value === undefined) return `${placeName(path)} (deleted)`;
        const text = valueText(treeAt(value, ['defaultValue']) ?? value);
        return `${placeName(path)} (${!text ? 'empty text' : text.length > shownLength
            ? `“${text.slice(0, shownLength)}…”` : `“${text}”`})`;
    });
}
