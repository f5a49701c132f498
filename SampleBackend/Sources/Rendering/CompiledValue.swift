import ActiveConfig
import ActiveConfigJSON
import Foundation
import JSONTree
import Templates

/// A compiled value of a parameter, ready for a document.
enum CompiledValue: Sendable, Equatable {
    /// A scalar that is the same for every user.
    case scalar(JSONNode)

    /// The JSON text of an array or object, which takes less memory and less time to write than its
    /// tree.
    case container(String)

    /// A string with the user's ID between its pieces; at least two pieces, each escaped for JSON.
    case withUserID([String])

    /// The document omits the setting.
    case omitted

    /// The placeholder for the user's ID in a string.
    static let userIDPlaceholder = "${user.id}"

    /// Compiles a value; nil for one that this backend does not evaluate.
    init?(_ value: ParameterValue, type: ParameterValueType) {
        switch value.content {
        case .useInAppDefault: self = .omitted
        case .unevaluated: return nil
        case .value(let text): self.init(text, type: type)
        }
    }

    /// Compiles a text.
    ///
    /// A text that is not a value of the type, which validation rejects, becomes ``omitted``.
    private init(_ text: String, type: ParameterValueType) {
        switch type {
        case .string:
            let pieces = text.parts(between: Self.userIDPlaceholder)
            self =
                pieces.count > 1
                ? .withUserID(pieces.map(DocumentText.escaped)) : .scalar(.string(text))
        case .boolean: self = .scalar(.bool(text.lowercased() == "true"))
        case .number: self = .scalar(JSONNode(number: text))
        case .json:
            let value = try? JSONNode(jsonData: Data(text.utf8), keys: .lastCounts)
            self = value.map { Self($0.exchangeForm) } ?? .omitted
        }
    }

    /// Compiles a value in the exchange format.
    init(_ value: JSONNode) {
        switch value {
        case .array, .object: self = .container(value.description)
        case .null, .bool, .number, .string: self = .scalar(value)
        }
    }

    /// Number of occurrences of the user's ID.
    var userIDCount: Int {
        if case .withUserID(let pieces) = self { pieces.count - 1 } else { 0 }
    }

    /// The value for a user; nil when the setting is omitted.
    func value(forUserID userID: String?) -> JSONNode? {
        switch self {
        case .scalar(let value): return value
        case .container, .withUserID:
            var text = DocumentText(forUserID: userID)
            write(to: &text)
            // Cannot fail: the text was written from a tree.
            let value = try? JSONNode(
                jsonData: Data(text.json.bytes), limits: ConfigurationLimits(maximumSize: .max),
                keys: .lastCounts)
            return value ?? .null
        case .omitted: return nil
        }
    }

    /// Appends the value for a user; nothing when the setting is omitted.
    func write(to text: inout DocumentText) {
        switch self {
        case .scalar(let value): value.write(to: &text.json)
        // `write(number:)` appends its text verbatim, so it also takes prepared JSON.
        case .container(let value): text.json.write(number: value)
        case .withUserID(let pieces):
            text.json.write(UInt8(ascii: "\""))
            for (index, piece) in pieces.enumerated() {
                if index > 0 { text.writeUserID() }
                text.json.write(number: piece)
            }
            text.json.write(UInt8(ascii: "\""))
        case .omitted: break
        }
    }

    /// Compares by bytes: Swift's strings are equal when they are canonically equivalent.
    static func == (left: CompiledValue, right: CompiledValue) -> Bool {
        switch (left, right) {
        case (.scalar(let left), .scalar(let right)): left == right
        case (.container(let left), .container(let right)): left.hasSameBytes(as: right)
        case (.withUserID(let left), .withUserID(let right)):
            left.elementsEqual(right) { $0.hasSameBytes(as: $1) }
        case (.omitted, .omitted): true
        default: false
        }
    }
}
