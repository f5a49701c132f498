import Targeting
import Templates

/// The sections that may differ for some user between two versions of a project.
///
/// Which of them do differ for a user depends on the conditions that are true for them.
public struct ChangedSections: Sendable, Hashable {
    /// The number of the version before.
    public let oldVersion: Int

    /// The number of the version afterwards.
    public let newVersion: Int

    /// The sections, sorted.
    public let names: [String]

    /// A Boolean value that indicates whether other sections may differ as well.
    ///
    /// That is so where time alone changes a document, or where conditions share a budget, so that
    /// one changes the result of another.
    public let isIncomplete: Bool

    /// Compares two versions.
    ///
    /// - Parameters:
    ///   - old: The version before.
    ///   - new: The version afterwards.
    public init(from old: CompiledTemplate, to new: CompiledTemplate) {
        oldVersion = old.version.number
        newVersion = new.version.number
        names = TemplateDiff.changedSections(from: old.template, to: new.template)
        isIncomplete = [old, new].contains {
            !$0.conditions.dates.isEmpty || $0.conditions.sharesBudgets
        }
    }
}
