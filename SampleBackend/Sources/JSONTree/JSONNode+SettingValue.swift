public import ActiveConfig
import Foundation
import OrderedCollections

extension JSONNode {
    /// Creates the same value; an object's members are sorted by name.
    ///
    /// - Parameter value: Any value; a number without a JSON form becomes `null`.
    public init(_ value: SettingValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .number(value.description)
        case .double(let value): self = value.isFinite ? .number(value.description) : .null
        case .string(let value): self = .string(value)
        case .array(let elements): self = .array(elements.map { JSONNode($0) })
        case .object(let members):
            let sorted = members.sorted { $0.key.precedes($1.key) }
                .map { ($0.key, JSONNode($0.value)) }
            self = .object(OrderedDictionary(uniqueKeysWithValues: sorted))
        }
    }

    /// The value as the framework represents it: numbers become integers of 64 bits or
    /// floating-point numbers, and the order of members is lost (FORMAT 4).
    public var settingValue: SettingValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let text): Int(text).map { .integer($0) } ?? .double(Double(text) ?? 0)
        case .string(let value): .string(value)
        case .array(let elements): .array(elements.map(\.settingValue))
        case .object(let members):
            .object(
                Dictionary(
                    members.map { ($0.key, $0.value.settingValue) },
                    uniquingKeysWith: { _, last in last }))
        }
    }
}
