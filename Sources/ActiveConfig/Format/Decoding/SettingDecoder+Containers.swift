struct SettingKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: [String: SettingValue]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { object.keys.sortedByBytes().compactMap { Key(stringValue: $0) } }

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

struct SettingUnkeyedContainer: UnkeyedDecodingContainer {
    let elements: [SettingValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(elements: [SettingValue], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        let isNull = try decoder().decodeNil()
        if isNull { currentIndex += 1 }
        return isNull
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try decoder().decode(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let container = try decoder().container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try decoder().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try decoder()
        currentIndex += 1
        return decoder
    }

    private func decoder() throws -> SettingDecoder {
        let path = codingPath + [SettingCodingKey(index: currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                SettingValue.self,
                DecodingError.Context(
                    codingPath: path,
                    debugDescription: "The array has only \(elements.count) elements."))
        }
        return SettingDecoder(value: elements[currentIndex], codingPath: path)
    }
}
