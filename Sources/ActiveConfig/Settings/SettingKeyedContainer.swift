/// The members of an object, by key, while it is decoded.
struct SettingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// The object.
    let object: [String: SettingValue]
    /// The way to it.
    let codingPath: [any CodingKey]

    var allKeys: [Key] { object.keys.sorted().compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder(forKey: key).decodeNil() }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder(forKey: key).decode(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder(forKey: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(forKey: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(forKey: SettingCodingKey("super")) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(forKey: key) }

    /// A decoder of one member.
    private func decoder(forKey key: some CodingKey) throws -> SettingDecoder {
        guard let value = object[key.stringValue] else {
            let path = (codingPath + [key]).map(\.stringValue).joined(separator: ".")
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: codingPath, debugDescription: "There is no setting '\(path)'."))
        }
        return SettingDecoder(value: value, codingPath: codingPath + [key])
    }
}
