/**
 * Trees of expressions as the builder shows them: a negation is a flag on its operand, the
 * outermost part is always a group, and a rule that compares with an empty text has the flag
 * `isEmptyMeant`.
 */

/**
 * View of a tree.
 *
 * @param {ConditionTree} tree
 * @returns {ConditionView}
 */
export function viewOf(tree) {
    switch (tree.kind) {
    case 'not': {
        const view = viewOf(tree.operands[0]);
        return view.isNegated ? {kind: 'all', isNegated: true, operands: [view]}
            : {...view, isNegated: true};
    }
    case 'all':
    case 'any':
        return {kind: tree.kind, operands: tree.operands.map(viewOf)};
    case 'constant':
        return {kind: 'rule', element: 'constant', key: null, comparison: 'is',
            values: [String(tree.value)]};
    default:
        return {...tree, values: [...tree.values],
            ...(tree.values[0] === '' && {isEmptyMeant: true})};
    }
}

/**
 * A view as a group.
 *
 * @param {ConditionView} view
 * @returns {GroupView}
 */
export function groupView(view) {
    return view.operands && !view.isNegated ? view : {kind: 'all', operands: [view]};
}

/**
 * Tree of a view; null for a group without rules.
 *
 * @param {ConditionView} view
 * @returns {?ConditionTree}
 */
export function treeOf(view) {
    const tree = plainTreeOf(view);
    return tree && view.isNegated ? {kind: 'not', operands: [tree]} : tree;
}

/**
 * @param {ConditionView} view
 * @returns {?ConditionTree}
 */
function plainTreeOf(view) {
    if (!view.operands) {
        return view.element === 'constant' ? {kind: 'constant', value: view.values[0] === 'true'}
            : view;
    }
    const operands = view.operands.flatMap((operand) => treeOf(operand) ?? []);
    return operands.length > 1 ? {kind: view.kind, operands} : operands[0] ?? null;
}

/**
 * The rules of a view.
 *
 * @param {ConditionView} view
 * @returns {RuleView[]}
 */
export function rulesOf(view) {
    return view.operands ? view.operands.flatMap(rulesOf) : [view];
}

/**
 * Number of rules in a view.
 *
 * @param {ConditionView} view
 */
export function ruleCount(view) {
    return rulesOf(view).length;
}
