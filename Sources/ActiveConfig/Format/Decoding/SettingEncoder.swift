import Foundation

/// Encodes a value so that it reads back by the rules of FORMAT 5.
///
/// Types without a JSON representation become the text that ``SettingDecoder`` reads.
struct SettingEncoder: Encoder {
    let codingPath: [any CodingKey]
    private let node: Node
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// - Throws: `EncodingError` when the value cannot be written in a form that reads back, or is
    ///   nested too deeply; the type's own error.
    static func encode(_ value: some Encodable) throws -> SettingValue {
        try encode(value, at: [], omitsFailures: false)
    }

    /// The members of a value, without those that cannot be written in a configuration.
    ///
    /// They stay in memory, so numbers need not be finite.
    static func members(of value: some Encodable) -> [String: SettingValue] {
        let value = try? encode(value, at: [], omitsFailures: true)
        return value?.dictionaryValue ?? [:]
    }

    private static func encode(
        _ value: some Encodable, at codingPath: [any CodingKey], omitsFailures: Bool
    ) throws -> SettingValue {
        let special: SettingValue?
        switch value {
        case let value as SettingValue: special = value
        case let value as URL: special = .string(value.absoluteString)
        case let value as Data: special = .string(value.base64EncodedString())
        case let value as Date: special = SettingText.text(of: value).map { .string($0) }
        case let value as Decimal: special = SettingText.value(of: value)
        case let value as Duration: special = SettingText.value(of: value)
        default:
            guard codingPath.count <= SettingValue.maximumCodedDepth else {
                throw EncodingError.invalidValue(
                    value,
                    EncodingError.Context(
                        codingPath: codingPath, debugDescription: SettingValue.tooDeep))
            }
            let encoder = SettingEncoder(
                codingPath: codingPath, node: Node(omitsFailures: omitsFailures))
            try value.encode(to: encoder)
            return encoder.node.value
        }
        guard let special else {
            // Foundation for Linux traps while describing some of these dates.
            let described: Any = (value as? Date)?.timeIntervalSince1970 ?? value
            throw EncodingError.invalidValue(
                described,
                EncodingError.Context(
                    codingPath: codingPath,
                    debugDescription:
                        "A configuration has no form that this \(type(of: value)) reads back from.")
            )
        }
        return special
    }

    private init(codingPath: [any CodingKey], node: Node) {
        self.codingPath = codingPath
        self.node = node
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeObject()
        return KeyedEncodingContainer(Keyed(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeArray()
        return Unkeyed(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        Single(node: node, codingPath: codingPath)
    }

    /// A value under construction.
    private final class Node {
        let omitsFailures: Bool
        private enum Content {
            case value(SettingValue)
            case object([String: Node])
            case array([Node])
        }

        private var content = Content.value(.object([:]))

        init(omitsFailures: Bool) { self.omitsFailures = omitsFailures }

        var value: SettingValue {
            switch content {
            case .value(let value): value
            case .object(let members): .object(members.mapValues(\.value))
            case .array(let elements): .array(elements.map(\.value))
            }
        }

        var count: Int {
            if case .array(let elements) = content { elements.count } else { 0 }
        }

        func set(_ value: SettingValue) { content = .value(value) }

        func becomeObject() {
            if case .object = content { return }
            content = .object([:])
        }

        func becomeArray() {
            if case .array = content { return }
            content = .array([])
        }

        /// The node of a member, created if absent.
        func member(_ name: String) -> Node {
            guard case .object(var members) = content else { return empty }
            // A second reference would cause a copy for each member.
            content = .object([:])
            let node = members[name] ?? empty
            members[name] = node
            content = .object(members)
            return node
        }

        func appended() -> Node {
            guard case .array(var elements) = content else { return empty }
            content = .array([])
            let node = empty
            elements.append(node)
            content = .array(elements)
            return node
        }

        private var empty: Node { Node(omitsFailures: omitsFailures) }
    }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let node: Node
        let codingPath: [any CodingKey]

        func encodeNil(forKey key: Key) { node.member(key.stringValue).set(.null) }

        func encode(_ value: some Encodable, forKey key: Key) throws {
            do {
                let value = try SettingEncoder.encode(
                    value, at: codingPath + [key], omitsFailures: node.omitsFailures)
                node.member(key.stringValue).set(value)
            } catch {
                if !node.omitsFailures { throw error }
            }
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type, forKey key: Key
        ) -> KeyedEncodingContainer<NestedKey> {
            encoder(forKey: key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder(forKey: key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { encoder(forKey: SettingCodingKey("super")) }

        func superEncoder(forKey key: Key) -> any Encoder { encoder(forKey: key) }

        private func encoder(forKey key: some CodingKey) -> SettingEncoder {
            SettingEncoder(codingPath: codingPath + [key], node: node.member(key.stringValue))
        }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let node: Node
        let codingPath: [any CodingKey]

        var count: Int { node.count }

        func encodeNil() { node.appended().set(.null) }

        func encode(_ value: some Encodable) throws {
            let path = codingPath + [SettingCodingKey(index: count)]
            let value = try SettingEncoder.encode(
                value, at: path, omitsFailures: node.omitsFailures)
            node.appended().set(value)
        }

        func nestedContainer<NestedKey: CodingKey>(
            keyedBy type: NestedKey.Type
        ) -> KeyedEncodingContainer<NestedKey> {
            nextEncoder().container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
            nextEncoder().unkeyedContainer()
        }

        func superEncoder() -> any Encoder { nextEncoder() }

        private func nextEncoder() -> SettingEncoder {
            let path = codingPath + [SettingCodingKey(index: count)]
            return SettingEncoder(codingPath: path, node: node.appended())
        }
    }

    private struct Single: SingleValueEncodingContainer {
        let node: Node
        let codingPath: [any CodingKey]

        func encodeNil() { node.set(.null) }
        func encode(_ value: Bool) { node.set(.bool(value)) }
        func encode(_ value: String) { node.set(.string(value)) }
        func encode(_ value: Double) throws { try encode(number: value) }
        // Via its text, so that 0.1 stays 0.1.
        func encode(_ value: Float) throws {
            try encode(number: Double("\(value)") ?? Double(value))
        }
        func encode(_ value: Int) throws { try encode(integer: value) }
        func encode(_ value: Int8) throws { try encode(integer: value) }
        func encode(_ value: Int16) throws { try encode(integer: value) }
        func encode(_ value: Int32) throws { try encode(integer: value) }
        func encode(_ value: Int64) throws { try encode(integer: value) }
        func encode(_ value: UInt) throws { try encode(integer: value) }
        func encode(_ value: UInt8) throws { try encode(integer: value) }
        func encode(_ value: UInt16) throws { try encode(integer: value) }
        func encode(_ value: UInt32) throws { try encode(integer: value) }
        func encode(_ value: UInt64) throws { try encode(integer: value) }
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        func encode(_ value: Int128) throws { try encode(integer: value) }
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        func encode(_ value: UInt128) throws { try encode(integer: value) }

        func encode(_ value: some Encodable) throws {
            node.set(
                try SettingEncoder.encode(
                    value, at: codingPath, omitsFailures: node.omitsFailures))
        }

        /// Beyond 64 bits as text, which reads back in full.
        private func encode(integer: some BinaryInteger) throws {
            node.set(Int(exactly: integer).map { .integer($0) } ?? .string("\(integer)"))
        }

        private func encode(number: Double) throws {
            guard number.isFinite || node.omitsFailures else {
                throw EncodingError.invalidValue(
                    number,
                    EncodingError.Context(
                        codingPath: codingPath,
                        debugDescription: "A configuration has no number \(number)."))
            }
            node.set(.double(number))
        }
    }
}

extension SettingEncoder {
    /// Encodes a value, also one that is not `Encodable`: by its raw value, and arrays and dictionaries
    /// by their elements.
    ///
    /// - Throws: as ``encode(_:)``.
    static func encode(any value: Any) throws -> SettingValue {
        switch value {
        case let value as any Encodable: return try encode(value)
        case let value as any RawRepresentable: return try encode(any: value.rawValue)
        case let elements as [Any]: return .array(try elements.map(encode(any:)))
        case let members as [String: Any]: return .object(try members.mapValues(encode(any:)))
        case _ where isNil(value): return .null
        default:
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription:
                        "\(type(of: value)) is not Encodable, and has no raw value that is."))
        }
    }

    private static func isNil(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional && mirror.children.isEmpty
    }
}
