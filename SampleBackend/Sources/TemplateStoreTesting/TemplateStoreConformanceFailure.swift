import TemplateStore

/// That a store does not keep a rule of ``TemplateStore``.
public struct TemplateStoreConformanceFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rule that is broken, a sentence.
    public let rule: String
    /// What was found instead.
    public let finding: String

    /// The rule, and what was found instead.
    public var description: String { "\(rule) Found: \(finding)" }
}
