import Foundation

/// Decodes a setting's value by the rules of FORMAT 5.
struct SettingDecoder: Decoder {
    let value: SettingValue
    let codingPath: [any CodingKey]
    /// Empty: the rules of FORMAT have no options.
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw mismatch("an object", type) }
        try Self.checkDepth(codingPath)
        return KeyedDecodingContainer(
            SettingKeyedContainer<Key>(object: object, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else {
            throw mismatch("an array", [SettingValue].self)
        }
        try Self.checkDepth(codingPath)
        return SettingUnkeyedContainer(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    /// Special cases first: types without a JSON representation.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        // A cast cannot fail where the types are the same.
        let special: Any? =
            switch type {
            case is SettingValue.Type: value
            case is URL.Type: try read("a URL", type) { $0.urlValue }
            case is Date.Type: try read("an ISO 8601 date", type, SettingText.date)
            case is Data.Type: try read("a Base64 string", type, SettingText.data)
            case is Decimal.Type: try readDecimal()
            case is Duration.Type:
                try read("a number of seconds or an ISO 8601 duration", type, SettingText.duration)
            default: nil
            }
        // Without the first condition, nil would cast to any optional type.
        if let special, let result = special as? T { return result }
        return try T(from: self)
    }

    /// True for a type that ``decode(_:)`` reads itself.
    static func isSpecial(_ type: Any.Type) -> Bool {
        switch type {
        case is SettingValue.Type, is URL.Type, is Date.Type, is Data.Type, is Decimal.Type,
            is Duration.Type:
            true
        default: false
        }
    }

    /// - Throws: `DecodingError` ("is not `expected`") when `body` returns nil.
    func read<T>(
        _ expected: String, _ type: Any.Type, _ body: (SettingValue) throws -> T?
    ) throws -> T {
        guard let result = try body(value) else { throw mismatch(expected, type) }
        return result
    }

    /// Exact conversion.
    func readInteger<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
        let expected = "an integer in \(T.min)...\(T.max)"
        return try read(expected, type) { value in
            switch value {
            case .integer(let number): return T(exactly: number)
            case .bool(let flag): return flag ? 1 : 0
            case .double(let number): return try exactInteger(number, expected, type)
            case .string(let text):
                if let integer = NumberText.integer(of: text, as: type) { return integer }
                guard case .double(let number) = NumberText.value(of: text) else { return nil }
                return try exactInteger(number, expected, type)
            case .null, .array, .object: return nil
            }
        }
    }

    /// Nil when the number is out of the type's range.
    ///
    /// - Throws: `DecodingError` when it may have been rounded.
    private func exactInteger<T: FixedWidthInteger>(
        _ number: Double, _ expected: String, _ type: T.Type
    ) throws -> T? {
        guard let integer = T(exactly: number) else { return nil }
        if number.mayBeRounded { throw rounded(expected, type) }
        return integer
    }

    /// Exact for the whole part.
    private func readDecimal() throws -> Decimal {
        if case .double(let number) = value, number.mayBeRounded {
            throw rounded("a decimal number", Decimal.self)
        }
        return try read("a number", Decimal.self, SettingText.decimal)
    }

    /// Bounds the recursion of `Decodable`.
    static func checkDepth(_ codingPath: [any CodingKey]) throws {
        guard codingPath.count > SettingValue.maximumCodedDepth else { return }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: codingPath, debugDescription: SettingValue.tooDeep))
    }

    private func rounded(_ expected: String, _ type: Any.Type) -> DecodingError {
        DecodingError.typeMismatch(
            type,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription:
                    "\(name) is a number beyond ±9007199254740991, which may have been "
                    + "rounded, where \(expected) is expected; write it as a string."))
    }

    private var name: String {
        let path = codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? "The value" : "The setting '\(path)'"
    }

    func mismatch(_ expected: String, _ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath,
            debugDescription: "\(name) is \(value.kindDescription) where \(expected) is expected.")
        if case .null = value { return .valueNotFound(type, context) }
        return .typeMismatch(type, context)
    }
}

extension SettingDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }
    func decode(_ type: Bool.Type) throws -> Bool { try read("a boolean", type) { $0.boolValue } }
    func decode(_ type: String.Type) throws -> String {
        try read("a string", type) { $0.stringValue }
    }
    func decode(_ type: Double.Type) throws -> Double {
        try read("a number", type) { $0.doubleValue }
    }
    func decode(_ type: Float.Type) throws -> Float { try read("a number", type) { $0.floatValue } }
    func decode(_ type: Int.Type) throws -> Int { try readInteger(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try readInteger(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try readInteger(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try readInteger(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try readInteger(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try readInteger(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try readInteger(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try readInteger(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try readInteger(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try readInteger(type) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: Int128.Type) throws -> Int128 { try readInteger(type) }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func decode(_ type: UInt128.Type) throws -> UInt128 { try readInteger(type) }
}

extension DecodingError {
    /// Nil for a case added by a later standard library.
    var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}

/// Key of a setting, an object's member or an array's element.
struct SettingCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ key: String) {
        stringValue = key
        intValue = nil
    }

    init(index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    init(stringValue: String) { self.init(stringValue) }

    init(intValue: Int) { self.init(index: intValue) }
}
