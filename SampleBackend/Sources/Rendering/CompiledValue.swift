import ActiveConfig
import Foundation
import JSONTree
import Templates

/// What a value of a parameter becomes in a document, worked out once per version.
enum CompiledValue: Sendable, Hashable {
    /// A value that is the same for every user.
    case fixed(SettingValue)

    /// A text with the user's ID between its pieces, of which there are two or more.
    case withUserID([String])

    /// The setting is left out.
    case omitted

    /// What stands for the user's ID in a text.
    static let userIDPlaceholder = "${user.id}"

    /// Works out a value; nil for one that this backend does not evaluate.
    ///
    /// - Parameters:
    ///   - value: A value of a template that was validated.
    ///   - type: The parameter's type.
    init?(_ value: ParameterValue, type: ParameterValueType) {
        switch value.content {
        case .useInAppDefault: self = .omitted
        case .unevaluated: return nil
        case .value(let text): self = Self.compile(text, type: type)
        }
    }

    /// The value of a text.
    private static func compile(_ text: String, type: ParameterValueType) -> CompiledValue {
        switch type {
        case .string:
            let pieces = text.parts(between: userIDPlaceholder)
            return pieces.count > 1 ? .withUserID(pieces) : .fixed(.string(text))
        case .boolean: return .fixed(.bool(text.lowercased() == "true"))
        case .number: return .fixed(number(text))
        case .json:
            let value = try? SettingValue(jsonData: Data(text.utf8))
            return value.map { .fixed($0) } ?? .omitted
        }
    }

    /// The number that a text stands for: whole without fraction and exponent, as FORMAT 4.1 says.
    private static func number(_ text: String) -> SettingValue {
        if let integer = Int(text) { return .integer(integer) }
        return Double(text).map { .double($0) } ?? .null
    }

    /// The setting of a user, or nil when it is left out.
    func value(forUserID userID: String?) -> SettingValue? {
        switch self {
        case .fixed(let value): value
        case .withUserID(let pieces): .string(pieces.joined(separator: userID ?? ""))
        case .omitted: nil
        }
    }
}
