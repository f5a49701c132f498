/// What all keys of one section, name and type share.
final class SettingDefinition: Sendable {
    /// A definition, which is never released.
    @safe struct Reference: Sendable {
        private let unmanaged: Unmanaged<SettingDefinition>

        init(_ definition: SettingDefinition) {
            unsafe unmanaged = .passRetained(definition)
        }

        @inline(__always)
        var object: SettingDefinition { unsafe unmanaged.takeUnretainedValue() }
    }

    let path: SettingPath
    let reader: SettingReader

    private init(_ path: SettingPath, _ reader: SettingReader) {
        self.path = path
        self.reader = reader
    }

    private struct Identity: Hashable {
        let path: SettingPath
        let type: ObjectIdentifier
    }

    private static let known = Locked<[Identity: (Reference, slot: Int)]>([:])

    /// The one definition of a section, name and type, and its number, from 0.
    static func interned(
        _ path: SettingPath, type: Any.Type, reader: SettingReader
    ) -> (Reference, slot: Int) {
        let identity = Identity(path: path, type: ObjectIdentifier(type))
        return known.withLock { known in
            if let entry = known[identity] { return entry }
            let definition = SettingDefinition(path, reader)
            let entry = (Reference(definition), slot: known.count)
            known[identity] = entry
            return entry
        }
    }
}

/// How a setting's value becomes a value of a key's type.
struct SettingReader: Sendable {
    /// Why a value is not of the type: the end of a sentence about the setting.
    struct Mismatch: Error {
        let reason: String
    }

    /// The result is a ``DecodedValue`` of the type.
    let read: @Sendable (SettingValue) throws(Mismatch) -> any DecodedSetting

    static func convertible<Value: SettingConvertible>(_ type: Value.Type) -> SettingReader {
        SettingReader { (value) throws(Mismatch) in
            guard let result = Value(settingValue: value) else {
                throw Mismatch(
                    reason: "is \(value.excerpt) where \(Value.acceptedSettingValues) is expected")
            }
            return DecodedValue(result)
        }
    }

    static func decodable<Value: Decodable & Sendable>(_ type: Value.Type) -> SettingReader {
        // A generic function may have been called with a type that is both.
        if let type = type as? any SettingConvertible.Type { return convertible(type) }
        return SettingReader { (value) throws(Mismatch) in
            do {
                return DecodedValue(try value.decode(Value.self))
            } catch {
                throw Mismatch(
                    reason: "is \(value.excerpt), which cannot be read as \(Value.self): "
                        + SettingReader.reason(of: error))
            }
        }
    }

    /// What an error says of a setting, without the setting's path and the full stop.
    static func predicate(of error: any Error, about path: String) -> String {
        let reason = reason(of: error)
        let subject = "The setting '\(path)' "
        guard reason.hasPrefix(subject), reason.hasSuffix(".") else {
            return "cannot be read: \(reason)"
        }
        return String(reason.dropFirst(subject.count).dropLast())
    }

    /// What a decoding error says, with the path inside of the value.
    static func reason(of error: any Error) -> String {
        let context: DecodingError.Context? =
            switch error as? DecodingError {
            case .typeMismatch(_, let context), .valueNotFound(_, let context),
                .keyNotFound(_, let context), .dataCorrupted(let context):
                context
            default: nil
            }
        guard let context else { return "\(error)" }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty || context.debugDescription.contains(path)
            ? context.debugDescription : "in \(path): \(context.debugDescription)"
    }
}
