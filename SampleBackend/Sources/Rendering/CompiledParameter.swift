import ActiveConfig
import Foundation
import JSONTree
import Targeting
import Templates

/// A parameter with its values in the order of their conditions.
struct CompiledParameter: Sendable {
    /// A value that applies when a condition is true.
    struct Candidate: Sendable {
        /// Index of the condition in the template.
        let condition: Int
        let value: CompiledValue
    }

    let key: String

    /// The values with a condition, the most important first.
    let candidates: [Candidate]

    /// Indices of the conditions with a value that is not evaluated, such as a rollout's, which
    /// counts as if its condition were false; in their order.
    let unevaluated: [Int]

    /// The value when none of the conditions is true; nil leaves the setting out.
    let defaultValue: CompiledValue?

    /// The most places of the user's ID in one of its values.
    var maximumUserIDCount: Int {
        candidates.reduce(defaultValue?.userIDCount ?? 0) { max($0, $1.value.userIDCount) }
    }

    /// The candidate that applies, or nil for the default.
    func winner(for results: ConditionResults) -> Candidate? {
        candidates.first { results[$0.condition] }
    }
}

/// A compiled value of a parameter, ready for a document.
enum CompiledValue: Sendable, Hashable {
    /// A value that is the same for every user.
    case fixed(SettingValue)

    /// A text with the user's ID between its pieces, of which there are at least two.
    case withUserID([String])

    /// The setting is left out.
    case omitted

    /// The placeholder of the user's ID in a text.
    static let userIDPlaceholder = "${user.id}"

    /// Compiles a value; nil for one that this backend does not evaluate.
    init?(_ value: ParameterValue, type: ParameterValueType) {
        switch value.content {
        case .useInAppDefault: self = .omitted
        case .unevaluated: return nil
        case .value(let text): self = Self.compile(text, type: type)
        }
    }

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

    /// The number that a text spells: an integer without fraction and exponent (FORMAT 4.1).
    private static func number(_ text: String) -> SettingValue {
        if let integer = Int(text) { return .integer(integer) }
        return Double(text).map { .double($0) } ?? .null
    }

    /// Number of places of the user's ID.
    var userIDCount: Int {
        if case .withUserID(let pieces) = self { pieces.count - 1 } else { 0 }
    }

    /// The setting of a user; nil when it is left out.
    func value(forUserID userID: String?) -> SettingValue? {
        switch self {
        case .fixed(let value): value
        case .withUserID(let pieces): .string(pieces.joined(separator: userID ?? ""))
        case .omitted: nil
        }
    }
}

/// The values of a section's settings for the users of a basis.
struct PickedSection {
    let parameters: [CompiledParameter]

    let basis: DocumentBasis

    let overrides: [String: SettingValue]

    /// The values by key, including `omitted` for settings that are left out.
    var values: [String: CompiledValue] {
        var values: [String: CompiledValue] = [:]
        values.reserveCapacity(parameters.count)
        for parameter in parameters {
            let value = parameter.value(for: basis.results)
            values[parameter.key] = value == .omitted ? nil : value
        }
        for (key, value) in overrides { values[key] = .fixed(value) }
        return values
    }

    /// True when another section has the same values.
    func hasSameValues(as other: PickedSection) -> Bool {
        // Most publishes leave the keys and their order unchanged, so no table is built for them.
        if overrides.isEmpty, other.overrides.isEmpty,
            parameters.count == other.parameters.count,
            zip(parameters, other.parameters).allSatisfy({ $0.key == $1.key })
        {
            return zip(parameters, other.parameters).allSatisfy { mine, theirs in
                mine.value(for: basis.results) == theirs.value(for: other.basis.results)
            }
        }
        return values == other.values
    }
}

extension CompiledParameter {
    /// The value for the results; `omitted` also when there is none.
    fileprivate func value(for results: ConditionResults) -> CompiledValue {
        winner(for: results)?.value ?? defaultValue ?? .omitted
    }
}
