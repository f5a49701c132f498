public import JSONTree
public import OrderedCollections

/// A value of a parameter: a text, the app's own default, or something that Firebase evaluates and
/// this backend keeps.
public struct ParameterValue: Sendable, Hashable {
    /// What the value is.
    public enum Content: Sendable, Hashable {
        /// A text, which the parameter's type makes a JSON value of.
        case value(String)
        /// The setting is left out, so that the app's own default counts.
        case useInAppDefault
        /// A value that this backend does not evaluate, such as a `personalizationValue`: the name
        /// of the member and what it holds. It counts as if its condition were false.
        case unevaluated(String, JSONNode)
    }

    /// What the value is.
    public var content: Content

    /// Members of the JSON object that this type does not know.
    public var unknownFields: OrderedDictionary<String, JSONNode>

    /// Makes a value.
    ///
    /// - Parameters:
    ///   - content: What the value is.
    ///   - unknownFields: What else stands in the JSON object.
    public init(
        _ content: Content, unknownFields: OrderedDictionary<String, JSONNode> = [:]
    ) {
        self.content = content
        self.unknownFields = unknownFields
    }

    /// Makes a value of a text.
    public static func value(_ text: String) -> ParameterValue { ParameterValue(.value(text)) }
}
