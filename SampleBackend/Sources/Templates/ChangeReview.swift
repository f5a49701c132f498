import JSONTree

/// What becomes of an edit when it is published over a later version than the one it is based on.
///
/// ```swift
/// let review = ChangeReview(base: base, edited: edited, live: current)
/// if case .merged(let template) = review.outcome { publish(template) }
/// ```
public struct ChangeReview: Sendable {
    /// The three answers to an edit.
    public enum Outcome: Sendable {
        /// Nothing was published since the base: the edited template itself.
        case upToDate
        /// The edit and what was published since are compatible: both together.
        case merged(RemoteConfigTemplate)
        /// Both changed the same.
        case conflict([TemplateMerge.Conflict])
    }

    /// The template on which the edit is based.
    public let base: RemoteConfigTemplate

    /// The edited template.
    public let edited: RemoteConfigTemplate

    /// The answer.
    public let outcome: Outcome

    /// Merges an edit with the current version.
    ///
    /// - Parameters:
    ///   - base: The template on which the edit is based.
    ///   - edited: The edited template.
    ///   - live: The current template.
    public init(
        base: RemoteConfigTemplate, edited: RemoteConfigTemplate, live: RemoteConfigTemplate
    ) {
        self.base = base
        self.edited = edited
        guard base.json().jsonData() != live.json().jsonData() else {
            outcome = .upToDate
            return
        }
        let merge = TemplateMerge(base: base, mine: edited, theirs: live)
        // Nobody looks at the merged template before it is published, so moves count, too.
        let conflicts = merge.conflicts + merge.moveConflicts
        outcome = conflicts.isEmpty ? .merged(merge.merged) : .conflict(conflicts)
    }

    /// True when a publish changed a setting or a condition that the edit uses, or the order of a
    /// condition that it uses, so that who approved the edit may not have seen what it does now.
    ///
    /// The edit uses what it changes, the conditions of the settings that it changes, and the
    /// settings with values for conditions that it changes.
    ///
    /// - Parameters:
    ///   - earlier: The template before the publish.
    ///   - later: The template after it.
    /// - Returns: False when the publish does not concern the edit.
    public func isTouched(
        byChangeFrom earlier: RemoteConfigTemplate, to later: RemoteConfigTemplate
    ) -> Bool {
        let published = TemplateDiff(from: earlier, to: later)
        if published.isEmpty { return false }
        let mine = TemplateDiff(from: base, to: edited)
        let settings = Set(mine.parameters.map(ReviewedSetting.init))
        if published.parameters.contains(where: { settings.contains(ReviewedSetting($0)) }) {
            return true
        }
        let changed = Set(mine.conditions.map { ExactText($0.name) })
        let isUsed = published.parameters.contains { setting in
            [earlier, later].contains { template in
                template.sections[setting.section]?[setting.key]?.conditionalValues.keys
                    .contains { changed.contains($0) } ?? false
            }
        }
        if isUsed { return true }
        let groups = Set(mine.groups.map { ExactText($0.name) })
        if published.groups.contains(where: { groups.contains(ExactText($0.name)) }) { return true }
        let conditions = usedConditions(of: mine)
        if published.conditions.contains(where: { conditions.contains(ExactText($0.name)) }) {
            return true
        }
        return Self.isReordered(
            conditions, movesAny: mine.isReordering, from: earlier, to: later)
    }

    /// The conditions and settings that the edit uses and keeps, and that a publish deletes.
    ///
    /// - Parameters:
    ///   - earlier: The template before the publish.
    ///   - later: The template after it.
    /// - Returns: Their names, as parts of sentences.
    public func usedParts(
        deletedFrom earlier: RemoteConfigTemplate, to later: RemoteConfigTemplate
    ) -> [String] {
        let mine = TemplateDiff(from: base, to: edited)
        let used = usedConditions(of: mine)
        let kept = Set(edited.conditions.map { ExactText($0.name) })
        let left = Set(later.conditions.map { ExactText($0.name) })
        let conditions = earlier.conditions.map(\.name).filter { name in
            let name = ExactText(name)
            return used.contains(name) && kept.contains(name) && !left.contains(name)
        }
        let settings = mine.parameters.filter { setting in
            func has(_ template: RemoteConfigTemplate) -> Bool {
                template.sections[setting.section]?[setting.key] != nil
            }
            return has(earlier) && has(edited) && !has(later)
        }
        return conditions.map { "the condition \"\($0)\"" }
            + settings.map { "the setting \"\($0.section).\($0.key)\"" }
    }

    /// The conditions that the edit changes, and those of the settings that it changes.
    private func usedConditions(of diff: TemplateDiff) -> Set<ExactText> {
        var names = Set(diff.conditions.map { ExactText($0.name) })
        for sections in [base.sections, edited.sections] {
            for setting in diff.parameters {
                names.formUnion(
                    sections[setting.section]?[setting.key]?.conditionalValues.keys.map { $0 } ?? []
                )
            }
        }
        return names
    }

    /// True when other conditions precede a used one than before, among those in both templates.
    private static func isReordered(
        _ used: Set<ExactText>, movesAny: Bool, from earlier: RemoteConfigTemplate,
        to later: RemoteConfigTemplate
    ) -> Bool {
        let orders = [earlier, later].map { $0.conditions.map { ExactText($0.name) } }
        let common = Set(orders[0]).intersection(orders[1])
        let (before, after) = (
            orders[0].filter(common.contains), orders[1].filter(common.contains)
        )
        guard before != after else { return false }
        // A move of conditions depends on the order of all.
        if movesAny { return true }
        return used.intersection(common).contains { name in
            Set(before.prefix { $0 != name }) != Set(after.prefix { $0 != name })
        }
    }
}

/// A setting as a key of sets.
private struct ReviewedSetting: Hashable {
    let section: ExactText
    let key: ExactText

    init(_ difference: TemplateDiff.ParameterDifference) {
        section = ExactText(difference.section)
        key = ExactText(difference.key)
    }
}

extension TemplateDiff {
    /// True when a condition that both templates have is at another place.
    fileprivate var isReordering: Bool {
        conditions.contains { condition in condition.parts.contains { $0.name == "position" } }
    }
}
