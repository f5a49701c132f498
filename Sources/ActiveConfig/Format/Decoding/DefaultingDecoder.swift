/// Decodes an object member by member, and falls back to a lower value for each member that is
/// missing or of another type.
///
/// The values of a member are tried in order: those of `objects`, then that of `defaults`. A failed
/// attempt names the member, and the next attempt uses the member's next value. So a type with a
/// custom `init(from:)` sees what any other decoder would show it, in particular an error where a
/// value is of another type. After a few attempts a wrong value is skipped immediately, which
/// bounds the time for documents with many wrong values.
struct DefaultingDecoder: Decoder {
    typealias Object = [String: SettingValue]

    /// Called with the path and the reason of each member that is of another type, or missing
    /// without a default.
    typealias Report = (_ path: [String], _ error: any Error) -> Void

    /// Attempts in which the type receives the errors of its members.
    private static let strictAttempts = 4
    /// Beyond this, a missing member without a default fails the enclosing object, which takes its
    /// next value.
    private static let maximumAttempts = 64

    /// The highest first; empty when only the defaults are left.
    private let objects: [Object]
    private let defaults: Object
    let codingPath: [any CodingKey]
    private let attempt: DecodingAttempt
    /// True while the value of a single value container is decoded.
    private var isInSingleValue = false
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// - Returns: nil when there is no way to decode the type.
    static func decode<T: Decodable>(
        _ type: T.Type, from objects: [Object], defaults: Object, report: Report
    ) -> T? {
        withoutActuallyEscaping(report) { report in
            let attempt = DecodingAttempt(report)
            for number in 0..<maximumAttempts {
                attempt.isLenient = number >= strictAttempts
                do {
                    return try T(
                        from: DefaultingDecoder(objects, defaults, codingPath: [], attempt))
                } catch {
                    guard attempt.prepareNext(after: error) else { return nil }
                }
            }
            return nil
        }
    }

    private init(
        _ objects: [Object], _ defaults: Object, codingPath: [any CodingKey],
        _ attempt: DecodingAttempt
    ) {
        self.objects = objects
        self.defaults = defaults
        self.codingPath = codingPath
        self.attempt = attempt
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try SettingDecoder.checkDepth(codingPath)
        return KeyedDecodingContainer(Container(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try whole.unkeyedContainer()
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        isInSingleValue ? whole.singleValueContainer() : SingleValue(decoder: self)
    }

    /// For types that do not decode member by member.
    private var whole: SettingDecoder {
        let object = objects.reversed().reduce(objects.isEmpty ? defaults : [:]) { lower, object in
            lower.merging(object) { $1 }
        }
        return SettingDecoder(value: .object(object), codingPath: codingPath)
    }

    private func decode<T: Decodable>(_ type: T.Type) throws -> T {
        SettingDecoder.isSpecial(type) ? try whole.decode(type) : try T(from: self)
    }

    /// Remaining values of a member, the highest first.
    private func candidates(
        forKey key: some CodingKey
    ) -> ArraySlice<(value: SettingValue, isDefault: Bool)> {
        let name = key.stringValue
        var values: [(value: SettingValue, isDefault: Bool)] = objects.compactMap { object in
            object[name].map { ($0, false) }
        }
        if let value = defaults[name] { values.append((value, true)) }
        return values.dropFirst(attempt.failureCount(at: path(forKey: key)))
    }

    private func path(forKey key: some CodingKey) -> [String] {
        codingPath.map(\.stringValue) + [key.stringValue]
    }

    /// - Throws: `DecodingError.keyNotFound` when no value is left.
    private func decoder(forKey key: some CodingKey) throws -> MemberDecoder {
        let path = path(forKey: key)
        attempt.visit(path)
        let codingPath = codingPath + [key]
        guard let (value, isDefault) = candidates(forKey: key).first else {
            throw attempt.noValueLeft(key, codingPath: self.codingPath, path: path)
        }
        guard case .object(let object) = value else {
            return .strict(SettingDecoder(value: value, codingPath: codingPath))
        }
        if isDefault {
            return .defaulting(
                DefaultingDecoder([], object, codingPath: codingPath, attempt))
        }
        return .defaulting(
            DefaultingDecoder(
                [object], defaults[key.stringValue]?.dictionaryValue ?? [:],
                codingPath: codingPath, attempt))
    }

    private enum MemberDecoder {
        case defaulting(DefaultingDecoder)
        case strict(SettingDecoder)

        var decoder: any Decoder {
            switch self {
            case .defaulting(let decoder): decoder
            case .strict(let decoder): decoder
            }
        }

        func decode<T: Decodable>(_ type: T.Type) throws -> T {
            switch self {
            case .defaulting(let decoder): try decoder.decode(type)
            case .strict(let decoder): try decoder.decode(type)
            }
        }
    }

    private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: DefaultingDecoder

        var codingPath: [any CodingKey] { decoder.codingPath }

        var allKeys: [Key] {
            let objects = decoder.objects.isEmpty ? [decoder.defaults] : decoder.objects
            return Set(objects.flatMap(\.keys)).sortedByBytes().compactMap { Key(stringValue: $0) }
        }

        func contains(_ key: Key) -> Bool { !decoder.candidates(forKey: key).isEmpty }

        func decodeNil(forKey key: Key) throws -> Bool {
            decoder.candidates(forKey: key).first?.value == .null
        }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            let path = decoder.path(forKey: key)
            while true {
                do {
                    return try decoder.decoder(forKey: key).decode(type)
                } catch {
                    decoder.attempt.note(error, at: path)
                    guard decoder.attempt.passesOver(path, error) else { throw error }
                }
            }
        }

        private func decodeOptional<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
            guard contains(key), try !decodeNil(forKey: key) else { return nil }
            do {
                return try decode(type, forKey: key)
            } catch {
                // All values were skipped: the next attempt would find none.
                guard decoder.attempt.isLenient, !contains(key) else { throw error }
                decoder.attempt.visit(decoder.path(forKey: key))
                return nil
            }
        }

        func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
            try decodeOptional(type, forKey: key)
        }

        // The protocol has its own implementations for these types.

        func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
            try decodeOptional(type, forKey: key)
        }

        func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
            try decodeOptional(type, forKey: key)
        }

        func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
            try decodeOptional(type, forKey: key)
        }

        func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
            try decodeOptional(type, forKey: key)
        }

        func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
            try decodeOptional(type, forKey: key)
        }

        func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
            try decodeOptional(type, forKey: key)
        }

        func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
            try decodeOptional(type, forKey: key)
        }

        func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
            try decodeOptional(type, forKey: key)
        }

        func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
            try decodeOptional(type, forKey: key)
        }

        func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
            try decodeOptional(type, forKey: key)
        }

        func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
            try decodeOptional(type, forKey: key)
        }

        func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
            try decodeOptional(type, forKey: key)
        }

        func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
            try decodeOptional(type, forKey: key)
        }

        func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
            try decodeOptional(type, forKey: key)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<NestedKey> {
            try decoder.decoder(forKey: key).decoder.container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder.decoder(forKey: key).decoder.unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder {
            try decoder.decoder(forKey: SettingCodingKey("super")).decoder
        }

        func superDecoder(forKey key: Key) throws -> any Decoder {
            try decoder.decoder(forKey: key).decoder
        }
    }

    /// A container whose value is decoded member by member, as well.
    private struct SingleValue: SingleValueDecodingContainer {
        let decoder: DefaultingDecoder

        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool { false }

        func decode<T: Decodable>(_ type: T.Type) throws -> T {
            // A scalar decodes itself from a single value container again.
            var decoder = decoder
            decoder.isInSingleValue = true
            return try decoder.decode(type)
        }
    }
}
