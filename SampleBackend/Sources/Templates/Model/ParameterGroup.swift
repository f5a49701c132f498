public import JSONTree
public import OrderedCollections

/// A group of parameters: a section of the configurations.
public struct ParameterGroup: Sendable, Hashable {
    /// What it is for, for people.
    public var description: String?

    /// The parameters by key.
    public var parameters: OrderedDictionary<String, TemplateParameter>

    /// Members of the JSON object that this type does not know.
    public var unknownFields: OrderedDictionary<String, JSONNode>

    /// Makes a group.
    ///
    /// - Parameters:
    ///   - description: What it is for.
    ///   - parameters: The parameters by key.
    ///   - unknownFields: What else stands in the JSON object.
    public init(
        description: String? = nil, parameters: OrderedDictionary<String, TemplateParameter> = [:],
        unknownFields: OrderedDictionary<String, JSONNode> = [:]
    ) {
        self.description = description
        self.parameters = parameters
        self.unknownFields = unknownFields
    }
}
