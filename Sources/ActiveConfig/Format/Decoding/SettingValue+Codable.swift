extension SettingValue: Codable {
    /// Nesting limit of encoding and decoding.
    ///
    /// `Codable` is recursive and takes almost 4 KiB a level in a debug build, and a thread's stack
    /// may have 512 KiB.
    static let maximumCodedDepth = 96

    /// Reads any value that the decoder supports.
    ///
    /// Foundation's `JSONDecoder` cannot tell `1.0` from `1`, so there `1.0` becomes `.integer(1)`.
    /// A `ConfigurationState` created from the same text keeps them apart.
    ///
    /// - Throws: `DecodingError.dataCorrupted` when the decoder's value has no JSON representation,
    ///   or when arrays and objects are nested more than 96 deep.
    public init(from decoder: any Decoder) throws {
        if let scalar = try Self.scalar(from: decoder) {
            self = scalar
        } else {
            self = try Self.container(from: decoder)
        }
    }

    /// Writes the value as itself, without a wrapper.
    ///
    /// - Throws: `EncodingError.invalidValue` when arrays and objects are nested more than 96 deep,
    ///   which ``jsonData()`` supports; the encoder's own errors, such as for a number that its
    ///   format cannot hold.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let elements):
            try checkDepth(in: encoder)
            try Self.encode(elements, to: encoder)
        case .object(let members):
            try checkDepth(in: encoder)
            try Self.encode(members, to: encoder)
        default: try encodeScalar(to: encoder)
        }
    }

    // Each step is a separate function; otherwise the locals of all steps would be on the stack
    // once per level.

    private static func scalar(from decoder: any Decoder) throws -> SettingValue? {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        if let value = try? container.decode(Int.self) { return .integer(value) }
        if let value = try? container.decode(Double.self) { return .double(value) }
        if let value = try? container.decode(String.self) { return .string(value) }
        return nil
    }

    private static func container(from decoder: any Decoder) throws -> SettingValue {
        try checkDepth(in: decoder)
        if isArray(decoder) { return .array(try decode([SettingValue].self, from: decoder)) }
        guard isObject(decoder) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription:
                        "Expected null, a boolean, number, string, array or object."))
        }
        return .object(try decode([String: SettingValue].self, from: decoder))
    }

    private static func isArray(_ decoder: any Decoder) -> Bool {
        (try? decoder.unkeyedContainer()) != nil
    }

    private static func isObject(_ decoder: any Decoder) -> Bool {
        (try? decoder.container(keyedBy: SettingCodingKey.self)) != nil
    }

    // Through a container, so that a key decoding strategy does not change a dictionary's keys.

    private static func decode<T: Decodable>(_ type: T.Type, from decoder: any Decoder) throws -> T
    {
        try decoder.singleValueContainer().decode(type)
    }

    private static func encode(_ value: some Encodable, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    private static func checkDepth(in decoder: any Decoder) throws {
        guard decoder.codingPath.count >= maximumCodedDepth else { return }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: decoder.codingPath, debugDescription: tooDeep))
    }

    private func checkDepth(in encoder: any Encoder) throws {
        guard encoder.codingPath.count >= Self.maximumCodedDepth else { return }
        throw EncodingError.invalidValue(
            self,
            EncodingError.Context(codingPath: encoder.codingPath, debugDescription: Self.tooDeep))
    }

    static var tooDeep: String {
        "Arrays and objects are nested deeper than \(maximumCodedDepth); flatten the value."
    }

    private func encodeScalar(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .null, .array, .object: try container.encodeNil()
        }
    }
}
