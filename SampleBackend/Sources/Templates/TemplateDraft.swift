public import JSONTree

/// A template that is being edited: what can be read of it, and why it cannot be published.
public struct TemplateDraft: Sendable {
    /// The parts of the template that could be read.
    public let template: RemoteConfigTemplate

    /// The reasons why it cannot be published; empty when it can.
    public let problems: [TemplateProblem]

    /// Remarks on fields that are kept and not evaluated.
    public let warnings: [TemplateProblem]

    /// The parameters, conditions and groups beyond 10,000 of each, which are not read; 0 for a
    /// template that can be published.
    public let unreadCount: Int

    /// Reads a template, whatever is wrong with it.
    ///
    /// - Parameters:
    ///   - json: The template.
    ///   - limits: The limits of the template.
    public init(json: JSONNode, limits: TemplateLimits = .default) {
        var reader = TemplateReader(limits: limits)
        template = reader.readTemplate(json)
        problems = reader.found.problems
        warnings = reader.found.warnings
        unreadCount = reader.unreadCount
    }
}
