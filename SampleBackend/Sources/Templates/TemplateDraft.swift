public import JSONTree

/// A template that is being edited: its readable parts, and the reasons why it cannot be published.
public struct TemplateDraft: Sendable {
    /// The readable parts of the template.
    public let template: RemoteConfigTemplate

    /// The reasons why it cannot be published; empty when it can.
    public let problems: [TemplateProblem]

    /// Remarks on fields that are kept but not evaluated.
    public let warnings: [TemplateProblem]

    /// Number of parameters, conditions and groups beyond 10,000 of each, which are not read; 0 for
    /// a template that can be published.
    public let unreadCount: Int

    /// Reads a template, even an invalid one.
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
