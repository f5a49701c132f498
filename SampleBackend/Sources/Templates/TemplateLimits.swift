/// What a template may not exceed (HTTP 3, Firebase's limits).
public struct TemplateLimits: Sendable, Hashable {
    /// The limits of the wire contract.
    public static let `default` = TemplateLimits()

    /// The limits of what was published already: none, so that a limit that is lowered later takes
    /// no configuration away.
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

    /// The most arrays and objects in one another in a value: fewer than a document may have
    /// (FORMAT 1.4), since the value stands deep in one.
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

    /// Whether the template was published already: then its conditions are not refused for the time
    /// or the memory they take, but false (``ValidatedTemplate/excesses``).
    var isPublished = false

    /// Makes the default limits.
    public init() {}
}
