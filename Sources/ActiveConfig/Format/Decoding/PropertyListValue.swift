import Foundation

/// A value of a property list.
struct PropertyListValue: Decodable {
    let value: SettingValue

    /// - Throws: `DecodingError` when it has no form in a configuration, or is nested too deep.
    init(from decoder: any Decoder) throws {
        if let scalar = try Self.scalar(from: decoder) {
            value = scalar
        } else {
            value = try Self.container(from: decoder)
        }
    }

    // Functions of their own, as in `SettingValue.init(from:)`: their locals are not on the stack once
    // for each level.

    private static func scalar(from decoder: any Decoder) throws -> SettingValue? {
        let container = try decoder.singleValueContainer()
        // The decoder reads a boolean as a number too, but no number as a boolean.
        if let bool = try? container.decode(Bool.self) { return .bool(bool) }
        if let integer = try? container.decode(Int.self) { return .integer(integer) }
        // As ``SettingEncoder`` writes it.
        if let integer = try? container.decode(UInt64.self) { return .string("\(integer)") }
        if let double = try? container.decode(Double.self) { return .double(double) }
        if let text = try? container.decode(String.self) { return .string(text) }
        if let data = try? container.decode(Data.self) {
            return .string(data.base64EncodedString())
        }
        guard let date = try? container.decode(Date.self) else { return nil }
        guard let text = SettingText.text(of: date) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The date is not of the years 0 to 9999.")
        }
        return .string(text)
    }

    private static func container(from decoder: any Decoder) throws -> SettingValue {
        try SettingDecoder.checkDepth(decoder.codingPath)
        if isArray(decoder) {
            return .array(try decode([PropertyListValue].self, from: decoder).map(\.value))
        }
        return .object(
            try decode([String: PropertyListValue].self, from: decoder).mapValues(\.value))
    }

    private static func isArray(_ decoder: any Decoder) -> Bool {
        (try? decoder.unkeyedContainer()) != nil
    }

    private static func decode<T: Decodable>(_ type: T.Type, from decoder: any Decoder) throws -> T
    {
        try decoder.singleValueContainer().decode(type)
    }
}
