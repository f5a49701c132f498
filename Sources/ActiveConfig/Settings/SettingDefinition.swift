/// State shared by all keys of one section, name and type.
final class SettingDefinition: Sendable {
    /// A definition, which is never released.
    @safe struct Reference: Sendable, Hashable {
        private let unmanaged: Unmanaged<SettingDefinition>

        init(_ definition: SettingDefinition) {
            unsafe unmanaged = .passRetained(definition)
        }

        @inline(__always)
        var object: SettingDefinition { unsafe unmanaged.takeUnretainedValue() }

        static func == (left: Reference, right: Reference) -> Bool {
            left.object === right.object
        }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
    }

    let path: SettingPath
    let reader: SettingReader
    /// The ``DecodedValue`` for a configuration without a value of the type.
    let absent: any DecodedSetting

    private init(_ path: SettingPath, _ reader: SettingReader, absent: any DecodedSetting) {
        self.path = path
        self.reader = reader
        self.absent = absent
    }

    private struct Identity: Hashable {
        let path: SettingPath
        let type: ObjectIdentifier
    }

    private static let known = Locked<[Identity: (Reference, slot: Int)]>([:])

    private static let secretPaths = Locked<Set<SettingPath>>([])

    /// The settings that keys of this process declare as secret.
    static var secrets: Set<SettingPath> { secretPaths.withLock { $0 } }

    static func isSecret(_ path: SettingPath) -> Bool { secretPaths.withLock { $0.contains(path) } }

    /// The one definition of a section, name and type, and its number, from 0.
    static func interned(
        _ path: SettingPath, type: Any.Type, reader: SettingReader,
        absent: @autoclosure () -> any DecodedSetting, isSecret: Bool
    ) -> (Reference, slot: Int) {
        if isSecret { secretPaths.withLock { _ = $0.insert(path) } }
        let identity = Identity(path: path, type: ObjectIdentifier(type))
        return known.withLock { known in
            if let entry = known[identity] { return entry }
            let definition = SettingDefinition(path, reader, absent: absent())
            let entry = (Reference(definition), slot: known.count)
            known[identity] = entry
            return entry
        }
    }
}

/// Converts a setting's value to a key's type.
struct SettingReader: Sendable {
    /// Why a value is not of the type: the end of a sentence about the setting.
    struct Mismatch: Error {
        let reason: String
    }

    /// The result is a ``DecodedValue`` of the type.
    let read: @Sendable (SettingValue) throws(Mismatch) -> any DecodedSetting

    /// Converts nothing.
    static let none = SettingReader { (value) throws(Mismatch) in
        throw Mismatch(reason: "is \(value.excerpt), and its key reads nothing")
    }

    static func convertible<Value: SettingConvertible>(_ type: Value.Type) -> SettingReader {
        SettingReader { (value) throws(Mismatch) in
            guard let result = Value(settingValue: value) else {
                throw Mismatch(
                    reason: "is \(value.excerpt) where \(Value.acceptedSettingValues) is expected")
            }
            return DecodedValue<Value>(result)
        }
    }

    static func decodable<Value: Decodable & Sendable>(_ type: Value.Type) -> SettingReader {
        // A generic function can be called with a type that is both.
        if let type = type as? any SettingConvertible.Type { return convertible(type) }
        return SettingReader { (value) throws(Mismatch) in
            do {
                return DecodedValue<Value>(try value.decode(Value.self))
            } catch {
                throw Mismatch(
                    reason: "is \(value.excerpt), which cannot be read as \(Value.self): "
                        + SettingReader.reason(of: error))
            }
        }
    }

    /// The message of an error about a setting, without the setting's path and the full stop.
    static func predicate(of error: any Error, about path: String) -> String {
        let text = text(of: error)
        let subject = "The setting '\(path)' "
        return text.hasPrefix(subject)
            ? String(text.dropFirst(subject.count)) : "cannot be read: \(text)"
    }

    /// The message of a decoding error, with the path inside of the value.
    private static func reason(of error: any Error) -> String {
        let codingPath = (error as? DecodingError)?.context?.codingPath ?? []
        let path = codingPath.map(\.stringValue).joined(separator: ".")
        let text = text(of: error)
        return path.isEmpty || text.contains(path) ? text : "in \(path): \(text)"
    }

    /// In Unicode scalars; an error may quote the whole value.
    private static let longestText = 300

    /// Without the full stop.
    private static func text(of error: any Error) -> String {
        let text = (error as? DecodingError)?.context?.debugDescription ?? "\(error)"
        return (text.hasSuffix(".") ? text.dropLast() : text[...]).oneLine(upTo: longestText)
    }
}

extension SettingDefinition {
    /// True when two configurations give different values, with `standard` for an absent one.
    func differs(
        in new: SnapshotContents, from old: SnapshotContents,
        default standard: any DecodedSetting
    ) -> Bool {
        let (values, before) = (new.candidates(for: path), old.candidates(for: path))
        if new === old || values.elementsEqual(before, by: { $0.isEquivalent(to: $1) }) {
            return false
        }
        switch (value(in: new), value(in: old)) {
        case (nil, nil): return false
        case (let new, let old): return !(new ?? standard).isEqual(to: old ?? standard)
        }
    }

    /// The value in a configuration; nil when it has none of the type.
    private func value(in snapshot: SnapshotContents) -> (any DecodedSetting)? {
        snapshot.candidates(for: path).lazy.compactMap { try? self.reader.read($0) }.first
    }
}

extension SnapshotContents {
    /// All values of a setting, the highest layer first; if one is of another type, the next is
    /// tried.
    func candidates(for setting: SettingPath) -> [SettingValue] {
        layers(ofKey: setting.name, inSection: setting.sectionName).map(\.value)
    }
}
