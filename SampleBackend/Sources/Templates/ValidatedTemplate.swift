import ActiveConfig
public import Foundation
public import JSONTree
public import Targeting

/// A template that was checked whole: it can be published and rendered.
public struct ValidatedTemplate: Sendable {
    /// The template.
    public let template: RemoteConfigTemplate

    /// The template's conditions, parsed, in its order.
    public let conditions: [TargetingCondition]

    /// The template just as it was read, but without `version`: what is to be stored.
    public let json: JSONNode

    /// What is kept and not evaluated, such as a personalization.
    public let warnings: [TemplateProblem]

    /// The conditions that exceed a limit or the budget of a template, and so are false for
    /// everybody; none but in a template that was published before there was the limit.
    public let excesses: [TemplateProblem]

    /// The most bytes of a template's text.
    public static let maximumBytes = 16 << 20

    /// Reads and checks a template.
    ///
    /// - Parameters:
    ///   - json: The template as Firebase exports it.
    ///   - limits: What a template may not exceed.
    /// - Throws: ``TemplateValidationError`` with every problem.
    public init(
        json: JSONNode, limits: TemplateLimits = .default
    ) throws(TemplateValidationError) {
        var reader = TemplateReader(limits: limits)
        template = reader.readTemplate(json)
        guard reader.found.problems.isEmpty else {
            throw TemplateValidationError(problems: reader.found.problems)
        }
        conditions = reader.conditions
        var json = json
        json.removeMember("version")
        self.json = json
        warnings = reader.found.warnings
        excesses = reader.excesses
    }

    /// Reads and checks the text of a template.
    ///
    /// - Parameters:
    ///   - jsonData: The template as Firebase exports it, UTF-8 JSON.
    ///   - limits: What a template may not exceed.
    /// - Throws: ``TemplateValidationError`` with every problem; of text that is no JSON, the one
    ///   with its line and column.
    public init(
        jsonData: Data, limits: TemplateLimits = .default
    ) throws(TemplateValidationError) {
        let json: JSONNode
        do throws(ConfigurationFormatError) {
            json = try JSONNode(
                jsonData: jsonData, limits: ConfigurationLimits(maximumSize: Self.maximumBytes))
        } catch {
            throw TemplateValidationError(error)
        }
        try self.init(json: json, limits: limits)
    }
}
