import Foundation

/// A value of a property list.
struct PropertyListValue: Decodable {
    let value: SettingValue

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // The decoder reads a boolean as a number too, but no number as a boolean.
        if let bool = try? container.decode(Bool.self) {
            value = .bool(bool)
        } else if let integer = try? container.decode(Int.self) {
            value = .integer(integer)
        } else if let integer = try? container.decode(UInt64.self) {
            // As ``SettingEncoder`` writes it.
            value = .string("\(integer)")
        } else if let double = try? container.decode(Double.self) {
            value = .double(double)
        } else if let text = try? container.decode(String.self) {
            value = .string(text)
        } else if let date = try? container.decode(Date.self) {
            guard let text = SettingText.text(of: date) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "The date is not of the years 0 to 9999.")
            }
            value = .string(text)
        } else if let data = try? container.decode(Data.self) {
            value = .string(data.base64EncodedString())
        } else if let elements = try? container.decode([PropertyListValue].self) {
            value = .array(elements.map(\.value))
        } else {
            value = .object(
                try container.decode([String: PropertyListValue].self).mapValues(\.value))
        }
    }
}
