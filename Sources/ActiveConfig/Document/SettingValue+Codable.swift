extension SettingValue: Codable {
    /// Reads any value that the decoder can give.
    ///
    /// Foundation's `JSONDecoder` cannot tell `1.0` from `1`, so there `1.0` becomes
    /// `.integer(1)`. A `ConfigurationState` made of the same text keeps them apart.
    ///
    /// - Throws: `DecodingError.dataCorrupted` when the decoder gives none of JSON's values.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([SettingValue].self) {
            self = .array(value)
        } else if let value = try? container.decode([String: SettingValue].self) {
            self = .object(value)
        } else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "Expected null, a boolean, number, string, array or object.")
        }
    }

    /// Writes the value as itself, without a wrapper.
    ///
    /// - Throws: what the encoder throws, as for a number that its format cannot hold.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
