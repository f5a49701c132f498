/// The elements of an array, one after the other, while it is decoded.
struct SettingUnkeyedContainer: UnkeyedDecodingContainer {
    /// The elements.
    let elements: [SettingValue]
    /// The way to the array.
    let codingPath: [any CodingKey]
    /// The number of the next element.
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

    /// A decoder of the next element.
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
