import JSONTree

/// Takes the changes of a version back in a later one, except where that has changed the same.
///
/// ```swift
/// let undo = PartialUndo(of: version8, to: version7, in: current)
/// publish(undo.template)
/// ```
public struct PartialUndo: Sendable {
    /// The later template without the changes.
    public let template: RemoteConfigTemplate

    /// The paths of what stays, since the later template has changed it or uses it.
    public let kept: [String]

    /// Maximum number of merges: what stays can make other changes stay.
    private static let maximumRounds = 4

    /// Takes changes back.
    ///
    /// - Parameters:
    ///   - changed: The template with the changes.
    ///   - before: The template that it replaced.
    ///   - live: The later template.
    public init(
        of changed: RemoteConfigTemplate, to before: RemoteConfigTemplate,
        in live: RemoteConfigTemplate
    ) {
        var mine = before
        var kept: [String] = []
        var merge = TemplateMerge(base: changed, mine: mine, theirs: live)
        for _ in 0..<Self.maximumRounds {
            let conflicts = merge.conflicts + merge.moveConflicts
            for path in conflicts.map(\.path)
            where !kept.contains(where: { $0.utf8.elementsEqual(path.utf8) }) {
                kept.append(path)
            }
            // Of a whole setting or condition that stays, the merge would keep the values, and add the
            // setting where it was before.
            var isRestored = false
            for conflict in conflicts where mine.restore(conflict.subject, from: changed) {
                isRestored = true
            }
            if !isRestored { break }
            merge = TemplateMerge(base: changed, mine: mine, theirs: live)
        }
        template = merge.merged
        self.kept = kept
    }
}

extension RemoteConfigTemplate {
    /// Makes a condition or a setting the one of another template.
    ///
    /// - Returns: False for another subject, one that the other template does not have, and one that is
    ///   the same.
    fileprivate mutating func restore(
        _ subject: TemplateMerge.Subject, from other: RemoteConfigTemplate
    ) -> Bool {
        switch subject {
        case .condition(let name): restoreCondition(name, from: other)
        case .parameter(let group, let key): restoreParameter(key, inGroup: group, from: other)
        default: false
        }
    }

    private mutating func restoreCondition(
        _ name: String, from other: RemoteConfigTemplate
    ) -> Bool {
        func place(_ name: String, _ conditions: [TemplateCondition]) -> Int? {
            conditions.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
        }
        guard let source = place(name, other.conditions) else { return false }
        let condition = other.conditions[source]
        if let known = place(name, conditions) {
            guard conditions[known] != condition else { return false }
            conditions[known] = condition
            return true
        }
        // After the nearest condition that precedes it there.
        let before = other.conditions[..<source].last { place($0.name, conditions) != nil }
            .flatMap { place($0.name, conditions) }
        conditions.insert(condition, at: before.map { $0 + 1 } ?? 0)
        return true
    }

    private mutating func restoreParameter(
        _ key: String, inGroup group: String?, from other: RemoteConfigTemplate
    ) -> Bool {
        guard let parameter = other.parameter(key, inGroup: group),
            self.parameter(key, inGroup: group) != parameter
        else { return false }
        // It may have been moved.
        if other.parameters[key] == nil { parameters[key] = nil }
        for name in parameterGroups.names where other.parameter(key, inGroup: name) == nil {
            parameterGroups[name]?.parameters[key] = nil
        }
        guard let group else {
            parameters[key] = parameter
            return true
        }
        if parameterGroups[group] == nil {
            parameterGroups[group] = other.parameterGroups[group]
            parameterGroups[group]?.parameters = [:]
        }
        parameterGroups[group]?.parameters[key] = parameter
        return true
    }

    private func parameter(_ key: String, inGroup group: String?) -> TemplateParameter? {
        group.map { parameterGroups[$0]?.parameters[key] } ?? parameters[key]
    }
}
