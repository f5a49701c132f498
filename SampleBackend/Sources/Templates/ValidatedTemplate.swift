import ActiveConfig
public import Foundation
public import JSONTree
public import Targeting

/// A template that passed all checks and can be published and rendered.
public struct ValidatedTemplate: Sendable {
    /// The template.
    public let template: RemoteConfigTemplate

    /// The parsed conditions, in the template's order.
    public let conditions: [TargetingCondition]

    /// The template as read, without `version`: the content to store.
    public let json: JSONNode

    /// Remarks on fields that are kept but not evaluated, such as a personalization.
    public let warnings: [TemplateProblem]

    /// The conditions over a limit or the budget of the template, which are false for every user.
    ///
    /// Only a template that was published before the limit existed has any.
    public let excesses: [TemplateProblem]

    /// Maximum size of a template's text, in bytes.
    public static let maximumBytes = 16 << 20

    /// Reads and checks a template.
    ///
    /// - Parameters:
    ///   - json: The template as Firebase exports it.
    ///   - limits: The limits of the template.
    /// - Throws: ``TemplateValidationError`` with all problems.
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

    /// Checks a template that was put together, and its size as text.
    ///
    /// Two valid templates can merge into one that is invalid or too large.
    ///
    /// - Throws: ``TemplateValidationError`` with all problems.
    public init(merged json: JSONNode) throws(TemplateValidationError) {
        try Self.checkSize(json.jsonData().count)
        try self.init(json: json)
    }

    /// Checks the size of a template's text, which stores must be able to read again.
    ///
    /// - Throws: ``TemplateValidationError`` for more than ``maximumBytes``.
    public static func checkSize(_ bytes: Int) throws(TemplateValidationError) {
        guard bytes > maximumBytes else { return }
        throw TemplateValidationError(problems: [
            TemplateProblem(
                path: "", message: "the template has \(bytes) bytes; use at most \(maximumBytes)")
        ])
    }

    /// Reads and checks the text of a template.
    ///
    /// - Parameters:
    ///   - jsonData: The template as Firebase exports it, UTF-8 JSON.
    ///   - limits: The limits of the template.
    /// - Throws: ``TemplateValidationError`` with all problems; for text that is not JSON, with one
    ///   problem that has the line and column.
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

/// The limits of a template (API 3), which equal Firebase's.
public struct TemplateLimits: Sendable, Hashable {
    /// The limits for publishing a template.
    public static let `default` = TemplateLimits()

    /// The limits for a template that is already published: none, so that lowering a limit later
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
        limits.maximumOwnerLength = .max
        limits.maximumTags = .max
        limits.maximumTagLength = .max
        limits.maximumReasonLength = .max
        limits.isPublished = true
        return limits
    }()

    /// Maximum nesting depth of a value.
    ///
    /// It is less than that of a document (FORMAT 1.4), since the document contains the value.
    public static let maximumValueDepth = 100

    /// Maximum number of parameters, inside and outside groups.
    public var maximumParameters = 3_000

    /// Maximum number of conditions.
    public var maximumConditions = 2_000

    /// Maximum number of groups.
    public var maximumGroups = 1_000

    /// Maximum number of characters of all values together.
    public var maximumValueCharacters = 1_000_000

    /// Maximum number of characters in a key, a group's name or a condition's name.
    public var maximumNameLength = 256

    /// Maximum number of characters in the description of a parameter or a group.
    public var maximumDescriptionLength = 256

    /// Maximum number of characters in a version's description.
    public var maximumVersionDescriptionLength = 1_024

    /// Maximum number of characters in the owner of a parameter.
    public var maximumOwnerLength = 128

    /// Maximum number of tags of a parameter.
    public var maximumTags = 20

    /// Maximum number of characters in a tag.
    public var maximumTagLength = 64

    /// Maximum number of characters in the reason why a parameter is permanent.
    public var maximumReasonLength = 500

    /// True when the template is already published: conditions that exceed the time or memory
    /// budget are then false instead of refused (``ValidatedTemplate/excesses``).
    var isPublished = false

    /// Creates the default limits.
    public init() {}
}
