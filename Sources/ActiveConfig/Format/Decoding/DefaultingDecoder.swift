/// Decodes an object member by member, and takes a default for each that is missing or of another
/// type.
struct DefaultingDecoder: Decoder {
    /// Called with the path and the reason of each member that is of another type.
    typealias Report = (_ codingPath: [any CodingKey], _ error: any Error) -> Void

    /// The object, or nil when there is none.
    let object: [String: SettingValue]?
    let defaults: [String: SettingValue]
    let codingPath: [any CodingKey]
    let report: Report
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Container(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try whole.unkeyedContainer()
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        whole.singleValueContainer()
    }

    /// For a type that does not decode member by member.
    private var whole: SettingDecoder {
        SettingDecoder(value: .object(object ?? defaults), codingPath: codingPath)
    }

    private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: DefaultingDecoder

        var codingPath: [any CodingKey] { decoder.codingPath }

        var allKeys: [Key] {
            (decoder.object ?? decoder.defaults).keys.sortedByBytes()
                .compactMap { Key(stringValue: $0) }
        }

        func contains(_ key: Key) -> Bool { value(forKey: key) != nil }

        func decodeNil(forKey key: Key) -> Bool { value(forKey: key) == .null }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            let path = codingPath + [key]
            let standard = decoder.defaults[key.stringValue]
            if let value = decoder.object?[key.stringValue] {
                do {
                    if case .object(let members) = value, case .object(let defaults) = standard,
                        path.count <= SettingValue.maximumCodedDepth
                    {
                        return try DefaultingDecoder(
                            object: members, defaults: defaults, codingPath: path,
                            report: decoder.report
                        ).decode(type)
                    }
                    return try SettingDecoder(value: value, codingPath: path).decode(type)
                } catch {
                    decoder.report(path, error)
                }
            }
            guard let standard else {
                throw DecodingError.keyNotFound(
                    key,
                    DecodingError.Context(
                        codingPath: codingPath, debugDescription: "There is no default."))
            }
            return try SettingDecoder(value: standard, codingPath: path).decode(type)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try strictDecoder(forKey: key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try strictDecoder(forKey: key).unkeyedContainer()
        }

        func superDecoder() -> any Decoder { strictDecoder(forKey: SettingCodingKey("super")) }

        func superDecoder(forKey key: Key) -> any Decoder { strictDecoder(forKey: key) }

        private func strictDecoder(forKey key: some CodingKey) -> SettingDecoder {
            SettingDecoder(value: value(forKey: key) ?? .null, codingPath: codingPath + [key])
        }

        private func value(forKey key: some CodingKey) -> SettingValue? {
            decoder.object?[key.stringValue] ?? decoder.defaults[key.stringValue]
        }
    }

    /// Types with a text form are not decoded member by member.
    private func decode<T: Decodable>(_ type: T.Type) throws -> T {
        SettingDecoder.isSpecial(type) ? try whole.decode(type) : try T(from: self)
    }
}
