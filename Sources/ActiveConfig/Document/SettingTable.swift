/// The settings of a section, in one object that all copies of the section share.
final class SettingTable: Sendable {
    /// The table of a section without settings.
    static let empty = SettingTable(NameTable([:]), source: nil)

    /// The settings.
    let settings: NameTable<SettingValue>

    /// The fingerprint of the text that the settings were read from, if they were.
    ///
    /// Sections of equal texts are equal, so that a new document's unchanged sections are found
    /// without looking at their settings.
    private let source: ByteHash.Fingerprint?

    /// Makes a table object.
    init(_ settings: NameTable<SettingValue>, source: ByteHash.Fingerprint?) {
        self.settings = settings
        self.source = source
    }
}

extension SettingTable: Hashable {
    /// Whether both have the same settings.
    static func == (left: SettingTable, right: SettingTable) -> Bool {
        if left === right { return true }
        if let source = left.source, source == right.source { return true }
        return left.settings == right.settings
    }

    /// Feeds the settings; their order does not count.
    func hash(into hasher: inout Hasher) {
        hasher.combine(settings)
    }
}
