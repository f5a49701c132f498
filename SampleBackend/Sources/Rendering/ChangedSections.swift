import Targeting
import Templates

/// The sections in which two versions of a project may differ for at least one user.
///
/// Whether a section differs for a given user depends on that user's conditions.
public struct ChangedSections: Sendable, Hashable {
    /// The number of the earlier version.
    public let oldVersion: Int

    /// The number of the later version.
    public let newVersion: Int

    /// The names of the sections, sorted.
    public let names: [String]

    /// A Boolean value that indicates whether other sections may differ as well.
    ///
    /// True when a document can change with time alone, or when conditions share an evaluation
    /// budget, so that one can change the result of another.
    public let isIncomplete: Bool

    /// Compares two versions.
    ///
    /// - Parameters:
    ///   - old: The earlier version.
    ///   - new: The later version.
    public init(from old: CompiledTemplate, to new: CompiledTemplate) {
        oldVersion = old.version.number
        newVersion = new.version.number
        names = TemplateDiff.changedSections(from: old.template, to: new.template)
        isIncomplete = [old, new].contains {
            !$0.conditions.dates.isEmpty || $0.conditions.sharesBudgets
        }
    }
}
