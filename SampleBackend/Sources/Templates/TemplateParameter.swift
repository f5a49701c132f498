import ActiveConfig
import Foundation
public import JSONTree

/// A parameter of a template, which becomes a setting.
public struct TemplateParameter: Sendable, Hashable {
    /// The value when no condition with a value is true; nil omits the setting.
    public var defaultValue: ParameterValue?

    /// The values by condition name; the order of the template's conditions decides.
    public var conditionalValues: NamedValues<ParameterValue>

    /// A description for people.
    public var description: String?

    /// The type of the JSON value that the text becomes; nil counts as `STRING`.
    public var valueType: ParameterValueType?

    /// A Boolean value that indicates whether the parameter is hidden from clients, like Parse
    /// Config's `masterKeyOnly`.
    public var isMasterKeyOnly: Bool

    /// The person or team to ask about the setting.
    public var owner: String?

    /// Words for finding the setting, in the order given.
    public var tags: [String]

    /// The reason why the setting stays although it seems unused; nil when it has no such mark.
    public var permanentReason: String?

    /// A Boolean value that indicates whether the parameter is in the template and its history only.
    ///
    /// Clients, services and exports get what they would get without it.
    public var isArchived: Bool

    /// Unknown members of the JSON object.
    public var unknownFields: NamedValues<JSONNode>

    /// Creates a parameter.
    ///
    /// - Parameters:
    ///   - defaultValue: The value when no condition with a value is true.
    ///   - conditionalValues: The values by condition name.
    ///   - description: A description for people.
    ///   - valueType: The type of the JSON value that the text becomes.
    ///   - isMasterKeyOnly: True when the parameter is hidden from clients.
    ///   - owner: The person or team to ask.
    ///   - tags: Words for finding the setting.
    ///   - permanentReason: The reason why the setting stays although it seems unused.
    ///   - isArchived: True when no document contains the setting.
    ///   - unknownFields: Unknown members of the JSON object.
    public init(
        defaultValue: ParameterValue? = nil,
        conditionalValues: NamedValues<ParameterValue> = [:],
        description: String? = nil, valueType: ParameterValueType? = nil,
        isMasterKeyOnly: Bool = false, owner: String? = nil, tags: [String] = [],
        permanentReason: String? = nil, isArchived: Bool = false,
        unknownFields: NamedValues<JSONNode> = [:]
    ) {
        self.defaultValue = defaultValue
        self.conditionalValues = conditionalValues
        self.description = description
        self.valueType = valueType
        self.isMasterKeyOnly = isMasterKeyOnly
        self.owner = owner
        self.tags = tags
        self.permanentReason = permanentReason
        self.isArchived = isArchived
        self.unknownFields = unknownFields
    }
}

/// A value of a parameter: a text, the app's own default, or a kind of value that Firebase
/// evaluates and this backend only keeps.
public struct ParameterValue: Sendable, Hashable {
    /// The content of a value.
    public enum Content: Sendable, Hashable {
        /// A text, which becomes a JSON value of the parameter's type.
        case value(String)
        /// Omits the setting, so that the app uses its own default.
        case useInAppDefault
        /// A value that this backend does not evaluate, such as a `personalizationValue`: the name
        /// and the value of the member.
        ///
        /// It counts as if its condition were false.
        case unevaluated(String, JSONNode)
    }

    /// The text, the app's own default, or the value that is not evaluated.
    public var content: Content

    /// Unknown members of the JSON object.
    public var unknownFields: NamedValues<JSONNode>

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - content: The content of the value.
    ///   - unknownFields: Unknown members of the JSON object.
    public init(
        _ content: Content, unknownFields: NamedValues<JSONNode> = [:]
    ) {
        self.content = content
        self.unknownFields = unknownFields
    }

    /// Creates a value from a text.
    public static func value(_ text: String) -> ParameterValue { ParameterValue(.value(text)) }
}

/// The type of the JSON value that a parameter's text becomes.
public enum ParameterValueType: String, Sendable, Hashable, CaseIterable {
    case string = "STRING"
    /// `true` or `false`, case-insensitive.
    case boolean = "BOOLEAN"
    /// A number; a fraction or an exponent makes it a floating-point number.
    case number = "NUMBER"
    /// Any JSON value.
    case json = "JSON"
}

extension ParameterValueType {
    /// The problem with a text of this type, and the advice; nil when it is valid.
    func problem(of text: String) -> String? {
        switch self {
        case .string: nil
        case .boolean:
            switch text.lowercased() {
            case "true", "false": nil
            default: "\"\(text.shortened)\" is not a Boolean; write true or false"
            }
        case .number:
            Self.isNumber(text)
                ? nil : "\"\(text.shortened)\" is not a number; write it as 3, -0.5 or 1e6"
        case .json: Self.jsonProblem(of: text)
        }
    }

    /// The problem with a text as JSON; nil when it is valid.
    private static func jsonProblem(of text: String) -> String? {
        do throws(ConfigurationFormatError) {
            _ = try JSONNode(
                jsonData: Data(text.utf8),
                limits: ConfigurationLimits(maximumDepth: TemplateLimits.maximumValueDepth),
                keys: .lastCounts)
            return endsListWithComma(text)
                ? "invalid JSON: a comma precedes a closing bracket; remove the comma" : nil
        } catch {
            return "invalid JSON: \(error.reason) at line \(error.line ?? 1), column "
                + "\(error.column ?? 1)"
        }
    }

    /// True when valid JSON has a comma before a closing bracket, which this reader accepts but
    /// those of other languages reject.
    private static func endsListWithComma(_ text: String) -> Bool {
        var isInString = false
        var isEscaped = false
        var last: UInt8 = 0
        for byte in text.utf8 {
            if isInString {
                if !isEscaped, byte == UInt8(ascii: "\"") { isInString = false }
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                continue
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if last == UInt8(ascii: ",") { return true }
            case UInt8(ascii: "\""): isInString = true
            default: break
            }
            last = byte
        }
        return false
    }

    /// True when a text is a decimal number, also `.5`, with or without an exponent, in the range
    /// of a 64-bit floating-point number.
    private static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = takeDigits(&rest)
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard takeDigits(&rest) > 0 else { return false }
        } else if whole == 0 {
            return false
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
                rest.removeFirst()
            }
            guard takeDigits(&rest) > 0 else { return false }
        }
        return rest.isEmpty && (Double(text)?.isFinite ?? false)
    }

    /// Skips digits and returns their number.
    private static func takeDigits(_ rest: inout Substring.UTF8View) -> Int {
        var count = 0
        while let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            rest.removeFirst()
            count += 1
        }
        return count
    }
}
