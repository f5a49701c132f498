import JSONTree

extension TemplateMerge {
    /// The settings that both sides took from their section and that only one of them put in another
    /// one, or each in a different one.
    ///
    /// For a merge by place they are no conflict: the result has a setting twice that was moved
    /// twice, and keeps a setting that one side removed and the other one moved. Whoever undoes a
    /// change must not publish that. In a merge of drafts, keys that are equal in several sections
    /// can be different settings, so ``conflicts`` does not have these.
    ///
    /// The subject is the place in the base; `mine` and `theirs` are nil, since neither has it.
    public var moveConflicts: [Conflict] {
        let places = MergeSides(base: base, mine: mine, theirs: theirs).map(\.groupsByKey)
        let units = Units(base)
        return places.base.flatMap { key, groups -> [Conflict] in
            let (mine, theirs) = (places.mine[key] ?? [], places.theirs[key] ?? [])
            let left = groups.subtracting(mine).subtracting(theirs)
            guard mine.subtracting(groups) != theirs.subtracting(groups) else { return [] }
            return left.map { group in
                let subject = Subject.parameter(group: group?.text, key: key.text)
                return Conflict(subject: subject, base: units[subject], mine: nil, theirs: nil)
            }
        }.sorted { $0.path.precedes($1.path) }
    }
}

extension RemoteConfigTemplate {
    /// The groups in which each key is; nil for a parameter outside groups.
    fileprivate var groupsByKey: [ExactText: Set<ExactText?>] {
        var groups: [ExactText: Set<ExactText?>] = [:]
        for key in parameters.keys { groups[key, default: []].insert(nil) }
        for (name, group) in parameterGroups {
            for key in group.parameters.keys { groups[key, default: []].insert(ExactText(name)) }
        }
        return groups
    }
}
