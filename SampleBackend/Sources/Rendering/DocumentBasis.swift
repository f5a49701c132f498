public import Targeting
public import Templates

/// All that a user's document depends on, but for the version and `${user.id}`.
///
/// Users with the same basis share a document, and so what a publish changes in it.
public struct DocumentBasis: Sendable, Hashable {
    /// Whether each condition is true for the user.
    public let results: ConditionResults

    /// What is pinned for the user; nil when nothing is.
    public let overrides: OverridesDocument?

    /// Makes a basis.
    public init(results: ConditionResults, overrides: OverridesDocument?) {
        self.results = results
        self.overrides = overrides
    }
}

extension ProjectConfiguration {
    /// What the document of a user depends on.
    ///
    /// - Parameter context: Who asks, with what signals, and when.
    /// - Returns: The basis, for this version.
    public func basis(for context: TargetingContext) -> DocumentBasis {
        DocumentBasis(
            results: compiled.conditions.evaluate(context), overrides: overrides(for: context))
    }
}
