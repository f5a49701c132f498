public import Foundation

/// A section of a configuration: settings by key.
///
/// The unit of reading, listening and decoding.
///
/// ```swift
/// if config["AppFeatures"]?.bool(forKey: "SomeFeature") ?? false { … }
/// ```
///
/// A section is immutable: it does not change when the configuration does. Reading a setting takes
/// constant time and is safe from every thread.
public struct ActiveConfigSection: Sendable {
    let table: SettingTable

    /// Creates a section of settings.
    ///
    /// - Parameter settings: The values by key.
    public init(settings: [String: SettingValue] = [:]) {
        self.init(NameTable(settings))
    }

    /// `source` is the fingerprint of the text that the settings were read from, if any.
    init(
        _ settings: NameTable<SettingValue>, source: ByteHash.Fingerprint? = nil,
        shapeProblems: [ShapeProblem] = []
    ) {
        let isEmpty = settings.entries.isEmpty && shapeProblems.isEmpty
        table =
            isEmpty
            ? .empty
            : SettingTable(settings, source: source, shapeProblems: shapeProblems)
    }

    init(table: SettingTable) { self.table = table }

    /// The same settings behind an object of its own.
    func copy() -> ActiveConfigSection { ActiveConfigSection(table: SettingTable(copyOf: table)) }

    /// The values by key.
    public var settings: [String: SettingValue] {
        table.settings.entries.reduce(into: [:]) { $0[$1.name] = $1.value }
    }

    /// The keys of all settings, sorted.
    public var settingKeys: [String] {
        table.settings.entries.map(\.name).sortedByBytes()
    }

    /// The unconverted value of a setting, or nil when it is absent.
    ///
    /// A setting that is `null` has the value ``SettingValue/null``, not nil.
    public func value(forKey key: String) -> SettingValue? { self[key] }

    /// The unconverted value of a setting, or nil when it is absent.
    public subscript(key: String) -> SettingValue? {
        table.settings.value(ofName: key, hash: NameHash.hash(key))
    }
}

extension ActiveConfigSection: ExpressibleByDictionaryLiteral {
    /// Creates a section of settings; of several with one key the last counts.
    public init(dictionaryLiteral settings: (String, SettingValue)...) {
        self.init(settings: Dictionary(settings) { _, last in last })
    }
}

/// Typed reading, by the table of FORMAT 5: nil when the setting is absent, or its value cannot be
/// read as that type.
extension ActiveConfigSection {
    /// The text of a string.
    public func string(forKey key: String) -> String? { self[key]?.stringValue }

    /// A boolean, a number that is not 0, or a word such as `yes` or `off`; see
    /// ``SettingValue/boolValue``.
    public func bool(forKey key: String) -> Bool? { self[key]?.boolValue }

    /// An integer, or a value that can be read as one; see ``SettingValue/integerValue``.
    ///
    /// 10.3 reads as 10.
    public func integer(forKey key: String) -> Int? { self[key]?.integerValue }

    /// A number, or a value that can be read as one; see ``SettingValue/doubleValue``.
    public func double(forKey key: String) -> Double? { self[key]?.doubleValue }

    /// A number, or a value that can be read as one; see ``SettingValue/floatValue``.
    public func float(forKey key: String) -> Float? { self[key]?.floatValue }

    /// The elements of an array.
    public func array(forKey key: String) -> [SettingValue]? { self[key]?.arrayValue }

    /// The elements of an array that are all strings; see ``SettingValue/stringArrayValue``.
    public func stringArray(forKey key: String) -> [String]? { self[key]?.stringArrayValue }

    /// The values of an object by name.
    public func dictionary(forKey key: String) -> [String: SettingValue]? {
        self[key]?.dictionaryValue
    }

    /// The URL in a string; see ``SettingValue/urlValue``.
    public func url(forKey key: String) -> URL? { self[key]?.urlValue }
}

extension ActiveConfigSection: Hashable {
    /// Returns a Boolean value that indicates whether both have the same settings (FORMAT 6).
    public static func == (left: ActiveConfigSection, right: ActiveConfigSection) -> Bool {
        left.table == right.table
    }

    /// Hashes the settings in any order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(table)
    }
}

extension ActiveConfigSection {
    /// True when listeners are to be notified: the section appears, is removed, or has a setting
    /// with another value, where an integer and an equal double below 2⁵³ are the same.
    static func isChange(from old: ActiveConfigSection?, to new: ActiveConfigSection?) -> Bool {
        switch (old, new) {
        case (nil, nil): false
        case (let old?, let new?): !new.table.isEquivalent(to: old.table)
        default: true
        }
    }
}

extension ActiveConfigSection: CustomStringConvertible {
    /// The settings, sorted by key.
    public var description: String {
        let settings = settingKeys.map { "\($0): \(self[$0] ?? .null)" }
        return "ActiveConfigSection(\(settings.joined(separator: ", ")))"
    }
}

/// A section's settings, shared by all copies of the section.
final class SettingTable: Sendable {
    static let empty = SettingTable(NameTable([:]), source: nil, shapeProblems: [])

    let settings: NameTable<SettingValue>

    /// Fingerprint of the text that the settings were read from, if any.
    ///
    /// Equal texts make equal sections, so unchanged sections of a new document are found without
    /// comparing settings.
    let source: ByteHash.Fingerprint?

    /// Problems of the section found while reading; not part of equality.
    let shapeProblems: [ShapeProblem]

    /// The table that this is a copy of, if any.
    private let original: SettingTable?

    init(
        _ settings: NameTable<SettingValue>, source: ByteHash.Fingerprint?,
        shapeProblems: [ShapeProblem]
    ) {
        self.settings = settings
        self.source = source
        self.shapeProblems = shapeProblems
        original = nil
    }

    init(copyOf other: SettingTable) {
        settings = other.settings
        source = other.source
        shapeProblems = other.shapeProblems
        original = other.original ?? other
    }
}

extension SettingTable: Hashable {
    static func == (left: SettingTable, right: SettingTable) -> Bool {
        left.isSame(as: right) || left.settings == right.settings
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(settings)
    }

    func isEquivalent(to other: SettingTable) -> Bool {
        isSame(as: other)
            || settings.isEqual(to: other.settings) { $0.isEquivalent(to: $1) }
    }

    /// True when both are known to be equal without comparing their settings.
    private func isSame(as other: SettingTable) -> Bool {
        if (original ?? self) === (other.original ?? other) { return true }
        return source.map { $0 == other.source } ?? false
    }
}
