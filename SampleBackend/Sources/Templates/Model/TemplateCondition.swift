public import JSONTree
public import OrderedCollections

/// A condition of a template: a name, and what has to be true of a client.
public struct TemplateCondition: Sendable, Hashable {
    /// The name by which parameters refer to it; unique in its template.
    public var name: String

    /// The expression of a client template, such as `device.os == 'ios' && percent <= 10`; nil in a
    /// server template.
    public var expression: String?

    /// The condition of a server template, an object with `orCondition` and so on; nil in a client
    /// template.
    public var serverCondition: JSONNode?

    /// The colour in the console, such as `CYAN`.
    public var tagColor: String?

    /// Members of the JSON object that this type does not know.
    public var unknownFields: OrderedDictionary<String, JSONNode>

    /// Makes a condition.
    ///
    /// - Parameters:
    ///   - name: The name by which parameters refer to it.
    ///   - expression: The expression of a client template.
    ///   - serverCondition: The condition of a server template.
    ///   - tagColor: The colour in the console.
    ///   - unknownFields: What else stands in the JSON object.
    public init(
        name: String, expression: String? = nil, serverCondition: JSONNode? = nil,
        tagColor: String? = nil, unknownFields: OrderedDictionary<String, JSONNode> = [:]
    ) {
        self.name = name
        self.expression = expression
        self.serverCondition = serverCondition
        self.tagColor = tagColor
        self.unknownFields = unknownFields
    }
}
