import ActiveConfig
public import Foundation
public import JSONTree
public import Targeting

/// A template that passed every check and can be published and rendered.
public struct ValidatedTemplate: Sendable {
    /// The template.
    public let template: RemoteConfigTemplate

    /// The template's conditions, parsed, in its order.
    public let conditions: [TargetingCondition]

    /// The template as it was read, without `version`: the content to store.
    public let json: JSONNode

    /// Remarks on fields that are kept and not evaluated, such as a personalization.
    public let warnings: [TemplateProblem]

    /// The conditions over a limit or the budget of a template, which are false for every user;
    /// only in a template that was published before the limit existed.
    public let excesses: [TemplateProblem]

    /// The most bytes of a template's text.
    public static let maximumBytes = 16 << 20

    /// Reads and checks a template.
    ///
    /// - Parameters:
    ///   - json: The template as Firebase exports it.
    ///   - limits: The limits of the template.
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
    ///   - limits: The limits of the template.
    /// - Throws: ``TemplateValidationError`` with every problem; for text that is not JSON, with
    ///   one problem that has its line and column.
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

/// The limits of a template (API 3), which are Firebase's.
public struct TemplateLimits: Sendable, Hashable {
    /// The limits of templates that are published.
    public static let `default` = TemplateLimits()

    /// The limits of a template that was published already: none, so that lowering a limit later
    /// does not break a configuration.
    public static let none: TemplateLimits = {
        var limits = TemplateLimits()
        limits.maximumParameters = .max
        limits.maximumConditions = .max
        limits.maximumGroups = .max
        limits.maximumValueCharacters = .max
        limits.maximumNameLength = .max
        limits.maximumDescriptionLength = .max
        limits.maximumVersionDescriptionLength = .max
        limits.isPublished = true
        return limits
    }()

    /// The greatest nesting depth of a value.
    ///
    /// It is less than that of a document (FORMAT 1.4), since the value is nested in one.
    public static let maximumValueDepth = 100

    /// The most parameters, in and outside of groups.
    public var maximumParameters = 3_000

    /// The most conditions.
    public var maximumConditions = 2_000

    /// The most groups.
    public var maximumGroups = 1_000

    /// The most characters of all values together.
    public var maximumValueCharacters = 1_000_000

    /// The most characters of a key, a group's name or a condition's name.
    public var maximumNameLength = 256

    /// The most characters of a parameter's or a group's description.
    public var maximumDescriptionLength = 256

    /// The most characters of a version's description.
    public var maximumVersionDescriptionLength = 1_024

    /// True when the template was published already: its conditions are then not refused for their
    /// time or memory, but false (``ValidatedTemplate/excesses``).
    var isPublished = false

    /// Creates the default limits.
    public init() {}
}
