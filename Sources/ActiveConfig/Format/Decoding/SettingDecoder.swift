import Foundation

/// A decoder over a setting's value.
struct SettingDecoder: Decoder {
    /// The value.
    let value: SettingValue
    /// The way to it.
    let codingPath: [any CodingKey]
    /// Nothing: the rules are FORMAT's.
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw mismatch("an object", type) }
        try checkDepth()
        return KeyedDecodingContainer(
            SettingKeyedContainer<Key>(object: object, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else {
            throw mismatch("an array", [SettingValue].self)
        }
        try checkDepth()
        return SettingUnkeyedContainer(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    /// Decodes the value as a type, those included that have a form of their own here.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        // A cast cannot fail where the types are the same.
        let special: Any? =
            switch type {
            case is SettingValue.Type: value
            case is URL.Type: try read("a URL", type) { $0.urlValue }
            case is Date.Type: try read("an ISO 8601 date", type, SettingText.date)
            case is Data.Type: try read("a Base64 string", type, SettingText.data)
            case is Decimal.Type: try readDecimal()
            default: nil
            }
        // Without the first condition, nil would cast to any optional type.
        if let special, let result = special as? T { return result }
        return try T(from: self)
    }

    /// What `body` reads of the value, or the error that it is not `expected`.
    func read<T>(
        _ expected: String, _ type: Any.Type, _ body: (SettingValue) throws -> T?
    ) throws -> T {
        guard let result = try body(value) else { throw mismatch(expected, type) }
        return result
    }

    /// The integer that the value is, without a loss.
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

    /// The integer that a number is; nil when it is none of the type.
    ///
    /// - Throws: `DecodingError` when it may have been rounded.
    private func exactInteger<T: FixedWidthInteger>(
        _ number: Double, _ expected: String, _ type: T.Type
    ) throws -> T? {
        guard let integer = T(exactly: number) else { return nil }
        if SettingText.mayBeRounded(number) { throw rounded(expected, type) }
        return integer
    }

    /// The decimal number that the value is, without a loss of its whole part.
    private func readDecimal() throws -> Decimal {
        if case .double(let number) = value, SettingText.mayBeRounded(number) {
            throw rounded("a decimal number", Decimal.self)
        }
        return try read("a number", Decimal.self, SettingText.decimal)
    }

    /// Throws when the value is deeper than the recursion of `Decodable` may go.
    private func checkDepth() throws {
        guard codingPath.count > SettingValue.maximumCodedDepth else { return }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: codingPath, debugDescription: SettingValue.tooDeep))
    }

    /// The error that the value is a number whose last digits may be lost.
    private func rounded(_ expected: String, _ type: Any.Type) -> DecodingError {
        DecodingError.typeMismatch(
            type,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription:
                    "\(name) is a number beyond ±9007199254740991, which may have been "
                    + "rounded, where \(expected) is expected; write it as a string."))
    }

    /// What the value is called in an error.
    private var name: String {
        let path = codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? "The value" : "The setting '\(path)'"
    }

    /// The error that the value is something other than expected.
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
}

/// The key of a setting, of a member of an object, or of an element of an array.
struct SettingCodingKey: CodingKey {
    /// The key's text.
    let stringValue: String
    /// The element's number.
    let intValue: Int?

    /// Makes the key of a setting or member.
    init(_ key: String) {
        stringValue = key
        intValue = nil
    }

    /// Makes the key of an element.
    init(index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    init(stringValue: String) { self.init(stringValue) }

    init(intValue: Int) { self.init(index: intValue) }
}
