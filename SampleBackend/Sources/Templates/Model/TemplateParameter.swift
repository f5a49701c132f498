public import JSONTree
public import OrderedCollections

/// A parameter of a template: what becomes a setting.
public struct TemplateParameter: Sendable, Hashable {
    /// The value when no condition that has one is true; nil leaves the setting out.
    public var defaultValue: ParameterValue?

    /// The values by the name of their condition; the order of the template's conditions decides.
    public var conditionalValues: OrderedDictionary<String, ParameterValue>

    /// What it is for, for people.
    public var description: String?

    /// What JSON value the text becomes; nil counts as `STRING`.
    public var valueType: ParameterValueType?

    /// Whether it is never served to clients, as Parse Config's `masterKeyOnly` has it.
    public var isMasterKeyOnly: Bool

    /// Members of the JSON object that this type does not know.
    public var unknownFields: OrderedDictionary<String, JSONNode>

    /// Makes a parameter.
    ///
    /// - Parameters:
    ///   - defaultValue: The value when no condition that has one is true.
    ///   - conditionalValues: The values by the name of their condition.
    ///   - description: What it is for.
    ///   - valueType: What JSON value the text becomes.
    ///   - isMasterKeyOnly: Whether it is never served to clients.
    ///   - unknownFields: What else stands in the JSON object.
    public init(
        defaultValue: ParameterValue? = nil,
        conditionalValues: OrderedDictionary<String, ParameterValue> = [:],
        description: String? = nil, valueType: ParameterValueType? = nil,
        isMasterKeyOnly: Bool = false,
        unknownFields: OrderedDictionary<String, JSONNode> = [:]
    ) {
        self.defaultValue = defaultValue
        self.conditionalValues = conditionalValues
        self.description = description
        self.valueType = valueType
        self.isMasterKeyOnly = isMasterKeyOnly
        self.unknownFields = unknownFields
    }
}
